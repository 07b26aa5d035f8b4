"""Inboxes that live: lawful updates and attempts at others, published one after the other and held against the rules.

Whoever judges one thing only follows in all else, so that a fault elsewhere does not speak against it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conformance.craft.draw import Draw
from conformance.craft.identity.attempts import Attempt, attempted
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.world import Move, Step, World
from conformance.craft.topics import topic_of
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.verdict import Refused
from conformance.oracle.publish import at
from conformance.suite.api.s3_publish.judging import admitted, refused
from conformance.target.errors import Missing, Undecided
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.target.answers import Published
    from conformance.target.node import Node

TAKES_LAWFUL, REFUSES_OTHERS = "takes what is lawful", "refuses what is not"


class Life:
    """Several inboxes on a node, and what the rules say of them. `judges` names what is judged, None for nothing."""

    def __init__(self, node: Node, draw: Draw, *, judges: str | None = None) -> None:
        self.node = node
        # choices that are the same whenever hypothesis plays an example again, identifiers that never are
        self.draw = Draw(0, draw.identifier(16))
        self.world = World(self.draw)
        self.directory = Directory()
        self.steps: list[Step] = []
        self._judges = judges

    def live(self, plan: Iterable[Move | Attempt]) -> None:
        """Carry out moves and attempts.

        Raises Undecided when the target goes another way than the rules allow, Missing when an inbox has no more room.
        """
        for step in plan:
            if isinstance(step, Move):
                self._lawful(self.world.play(step))
            elif self.steps:
                self._tried(attempted(self.world, self.draw, step, self.steps))

    def topics(self) -> tuple[bytes, ...]:
        """Name the identity topics of all inboxes."""
        return tuple(dict.fromkeys(topic_of(encoded_update(step.update)) for step in self.steps))

    def _lawful(self, step: Step) -> None:
        state, most = self.directory.state(step.inbox_id), self.node.limits.max_identity_entries
        if state is not None and state.updates >= most:
            raise Missing("limits", f"an inbox takes no more than {most} updates here")
        verdict = self.directory.judge(step.update)
        if isinstance(verdict, Refused) or verdict.open:
            raise RuntimeError(f"the world and the rules differ about {step.update}")
        answer = self.node.publish(encoded_update(step.update))
        if self._judges == TAKES_LAWFUL:
            admitted(answer)
        if answer.status.code is not Code.OK:
            raise _astray(answer)
        self.steps.append(step)
        meta = answer.meta
        self.directory.store(step.update, sequence_id=meta.sequence_id, server_ns=meta.server_ns)

    def _tried(self, step: Step) -> None:
        verdict = self.directory.judge(step.update)
        if not isinstance(verdict, Refused):
            return
        answer = self.node.publish(encoded_update(step.update))
        if self._judges == REFUSES_OTHERS:
            refused(answer, at(0, *verdict.reasons))
        if answer.status.code is not Code.INVALID_ARGUMENT:
            raise _astray(answer)


def _astray(answer: Published) -> Undecided:
    return Undecided(f"An update that others judge was answered {answer.status.code.name}, so its inbox is in doubt.")
