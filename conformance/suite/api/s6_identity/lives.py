"""What four members do in three inboxes: each life tells one thing about lookups, and they mix in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from conformance.craft.draw import Draw
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.craft.topics import Kind, topic

Step = tuple[Inbox, Callable[[], IdentityUpdate]]


@dataclass(frozen=True, kw_only=True)
class Lives:
    """Inboxes that have to be opened first, the people, and what happens to each of them, step by step."""

    inboxes: tuple[Inbox, ...]
    people: tuple[Signer, ...]
    steps: tuple[tuple[Step, ...], ...]

    @property
    def topics(self) -> tuple[bytes, ...]:
        """The identity topics of the inboxes."""
        return tuple(topic(Kind.IDENTITY_UPDATE, bytes.fromhex(inbox.id)) for inbox in self.inboxes)


def lives_of_four(draw: Draw) -> Lives:
    """Make people who join two inboxes each: one stays, one leaves the second, one returns, one returns at once."""
    one, other, third = inboxes = tuple(Inbox(Wallet.drawn(draw)) for _ in range(3))
    stays, leaves, returns, returns_at_once = people = (
        Wallet.drawn(draw),
        Passkey.drawn(draw),
        Wallet.drawn(draw),
        Passkey.drawn(draw, compressed=True),
    )
    return Lives(
        inboxes=inboxes,
        people=(*people, *(inbox.owner for inbox in inboxes)),
        steps=(
            (_joins(one, stays), _joins(other, stays)),
            (_joins(other, leaves), _joins(third, leaves), _leaves(third, leaves)),
            (_joins(third, returns), _joins(one, returns), _leaves(third, returns), _joins(third, returns)),
            (_joins(one, returns_at_once), _joins(third, returns_at_once), _leaves_and_joins(one, returns_at_once)),
        ),
    )


def interleaved(draw: Draw, lives: Lives, *, most: int) -> Iterator[Sequence[IdentityUpdate]]:
    """Open the inboxes, then mix the lives in an order that the seed decides; at most `most` updates per request.

    A request holds one update of an inbox at most (API-233).
    """
    request: list[Step] = []
    for step in [*((inbox, inbox.create) for inbox in lives.inboxes), *_mixed(draw, lives.steps)]:
        if len(request) == most or any(inbox is step[0] for inbox, _ in request):
            yield [make() for _, make in request]
            request = []
        request.append(step)
    yield [make() for _, make in request]


def _mixed(draw: Draw, lives: Sequence[Sequence[Step]]) -> Iterator[Step]:
    order = [number for number, steps in enumerate(lives) for _ in steps]
    draw.random.shuffle(order)
    left = [iter(steps) for steps in lives]
    return (next(left[number]) for number in order)


def _joins(inbox: Inbox, member: Signer) -> Step:
    return inbox, lambda: inbox.add(member)


def _leaves(inbox: Inbox, member: Signer) -> Step:
    return inbox, lambda: inbox.revoke(member)


def _leaves_and_joins(inbox: Inbox, member: Signer) -> Step:
    return inbox, lambda: inbox.update(*inbox.revocations([member]), inbox.addition(member))
