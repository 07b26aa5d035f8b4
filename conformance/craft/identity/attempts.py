"""Updates that somebody tries to make without asking who may: most are forbidden by the log they are meant for.

Which are is for a judge to say; the world they are tried in does not know of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.craft.draw import Draw
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.signer import Signer, over_text
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.world import Step, World


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One update to be tried: its kind, one of `ATTEMPTS`, which inbox, and who does it to whom."""

    kind: str
    inbox: int = 0
    who: int = 0
    whom: int = 0


@dataclass(frozen=True, kw_only=True)
class _Scene:
    inbox: Inbox
    who: Signer
    whom: Signer
    device: Installation
    earlier: IdentityUpdate


def attempted(world: World, draw: Draw, attempt: Attempt, steps: Sequence[Step]) -> Step:
    """Make the update of an attempt. `steps` are those of the world so far, at least one."""
    ids, people = world.inbox_ids, list(world.people.values())
    inbox = world.inbox(ids[attempt.inbox % len(ids)])
    scene = _Scene(
        inbox=inbox,
        who=people[attempt.who % len(people)],
        whom=people[attempt.whom % len(people)],
        device=Installation.drawn(draw),
        earlier=steps[attempt.who % len(steps)].update,
    )
    update = _MAKERS[attempt.kind](scene)
    return Step(inbox_id=update.inbox_id, update=update)


def _again(scene: _Scene) -> IdentityUpdate:
    """Say an earlier update again a nanosecond later, within the second that its signatures name (IDENT-050)."""
    update = IdentityUpdate()
    update.CopyFrom(scene.earlier)
    update.client_timestamp_ns += 1
    return update


def _elsewhere(scene: _Scene) -> IdentityUpdate:
    """Say an earlier update of one inbox as if it were meant for another."""
    update = _again(scene)
    update.inbox_id = scene.inbox.id
    return update


def _forged(scene: _Scene) -> IdentityUpdate:
    """Add an installation that signed something else."""
    return scene.inbox.add(over_text(scene.device, lambda text: text + "."), by=scene.who)


_MAKERS: Mapping[str, Callable[[_Scene], IdentityUpdate]] = {
    "open-again": lambda scene: scene.inbox.create(),
    "add": lambda scene: scene.inbox.add(scene.whom, by=scene.who),
    "add-by-device": lambda scene: scene.inbox.add(scene.whom, by=scene.device),
    "revoke": lambda scene: scene.inbox.revoke(scene.whom, by=scene.who),
    "change-recovery": lambda scene: scene.inbox.change_recovery(scene.whom, by=scene.who),
    "again": _again,
    "elsewhere": _elsewhere,
    "forged": _forged,
}
ATTEMPTS = tuple(_MAKERS)
