"""Claims of handles, published and judged; and the week that has to lie between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.craft.any_kind import new_envelope
from conformance.craft.identity.entry import encoded_update
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import never_visible, value_of
from conformance.oracle.identity.handles import PAUSE_NS, published_min_name_length
from conformance.oracle.identity.verdict import HANDLE_NOT_ALLOWED, HANDLE_TAKEN, HANDLE_TOO_SOON
from conformance.oracle.publish import at
from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2
from conformance.suite.api.s3_publish.identity import opened, written
from conformance.suite.api.s3_publish.judging import refused, wire
from conformance.target.backend_clock import BackendClock
from conformance.target.configurations import WIDE_FORM, WIDE_GRAMMAR, WIDE_LETTERS
from conformance.target.errors import Missing, Undecided
from conformance.target.patience import until

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.craft.identity.handles import HandlesProfile
    from conformance.craft.identity.update import Inbox
    from conformance.target.deployment import Deployment
    from conformance.target.node import Node
    from conformance.target.pool import Pool
    from conformance.wire.transcript import Meta

__all__ = ["HANDLE_NOT_ALLOWED", "HANDLE_TAKEN", "HANDLE_TOO_SOON", "PAUSE_NS"]

MILLISECOND_NS = 1_000_000
SECOND_NS = 1_000_000_000
DAY_NS = 86_400 * SECOND_NS
# the clock that a claim is checked by may be so far from the one behind server_ns
LEEWAY_NS = 2 * SECOND_NS


class Claims:
    """Makes claims on one node, in the wire form of a profile."""

    def __init__(self, node: Node, draw: Draw, handles: HandlesProfile) -> None:
        self.node = node
        self.draw = draw
        self.handles = handles

    def name(self) -> str:
        """Give a handle that nobody has claimed."""
        return self.handles.drawn(self.draw)

    def inbox(self, *claimed: str) -> Inbox:
        """Open an inbox that claims some handles, one update each."""
        inbox = opened(self.node, self.draw)
        for handle in claimed:
            self.take(inbox, handle)
        return inbox

    def encoded(self, inbox: Inbox, handle: str) -> bytes:
        """Encode a claim."""
        return encoded_update(inbox.claim(handle, self.handles))

    def take(self, inbox: Inbox, handle: str) -> Meta:
        """Claim a handle, and judge that the claim is taken."""
        (receipt,) = written(self.node, [self.encoded(inbox, handle)])
        return receipt

    def refuse(self, inbox: Inbox, handle: str, *reasons: int) -> None:
        """Claim a handle beside a message, and judge that the claim fails the request, of which nothing is stored."""
        good, claim = new_envelope(self.draw, Kind.GROUP_MESSAGE), self.encoded(inbox, handle)
        refused(self.node.publish(good, claim), at(1, *reasons))
        self.never_stored(wire(good), claim)

    def never_stored(self, *envelopes: bytes) -> None:
        """Judge that none of these is shown on its topic."""
        never_visible(self.node.envelopes_on(*map(topic_of, envelopes)), envelopes)

    def is_stored(self, envelope: bytes) -> bool:
        """Tell whether the topic of an update ends with it."""
        value = value_of(envelope)
        return any(one.envelope and value_of(one.envelope) == value for one in self.node.read_all(topic_of(envelope)))

    def found(self, handle: str) -> str | None:
        """Look a handle up; the inbox id, None where there is none."""
        asked = backend_pb2.GetInboxIdsRequest()
        entry = asked.requests.add(identifier=handle)
        # an enum of proto3 holds numbers without a name, which the stubs do not say
        entry.identifier_kind = self.handles.identifier_kind  # type: ignore[assignment]
        (answer,) = self.node.inbox_ids(asked).response.responses
        return answer.inbox_id if answer.HasField("inbox_id") else None

    def resolves(self, handle: str, inbox: Inbox) -> None:
        """Judge that a handle is found to be an inbox's, once the copies that answer lookups have caught up."""
        found = until(lambda: self.found(handle), lambda inbox_id: inbox_id == inbox.id)
        if found != inbox.id:
            raise Violation(
                "wrong-inbox",
                "A handle does not resolve to the inbox that has claimed it.",
                witness={"handle": handle, "answered": found, "expected": inbox.id},
            )


class Calendar:
    """The clock of a deployment that a case has for itself, moved forward only."""

    def __init__(self, deployment: Deployment, draw: Draw) -> None:
        self._deployment = deployment
        answer = deployment.node().publish(new_envelope(draw, Kind.GROUP_MESSAGE))
        self._clock = BackendClock(answer)
        # so far ahead of what its receipt told the clock of the backend may be
        self._doubt_ns = answer.call.ended_ns - answer.call.started_ns
        self._moved_ns = 0

    def move_to(self, instant_ns: int) -> None:
        """Set the clock of the backend to an instant, nanoseconds since the epoch, or some milliseconds after it."""
        ahead_ms = -((self._clock.now_ns() - instant_ns) // MILLISECOND_NS)
        self._deployment.clock_offset(ahead_ms)
        self._moved_ns = ahead_ms * MILLISECOND_NS

    @contextmanager
    def before(self, instant_ns: int) -> Iterator[None]:
        """Judge in the block what happens before an instant; Undecided when that was over before the block was."""
        yield
        if self._clock.now_ns() + self._moved_ns + self._doubt_ns >= instant_ns:
            raise Undecided("The case was too slow: what it set the clock for was over before it had asked.")

    def a_week_after(self, receipt: Meta) -> None:
        """Let the pause pass that a claim begins, by every clock of the backend."""
        self.move_to(receipt.server_ns + PAUSE_NS + LEEWAY_NS)


@contextmanager
def calendar(pool: Pool, draw: Draw) -> Iterator[tuple[Node, Calendar]]:
    """Give a node of a deployment for one case alone, and its clock. Raises Missing when the clock cannot be moved."""
    if "clock" not in pool.subject().controls:
        raise Missing("clock", "between two claims of an inbox lie seven days")
    with pool.exclusive() as deployment:
        yield deployment.node(), Calendar(deployment, draw)


def min_name_length(node: Node, handles: HandlesProfile) -> int:
    """Read the least length of a name, in characters. Raises Missing where the node publishes none."""
    published = published_min_name_length(node.configuration().ok().call.response or b"", handles)
    if published is None:
        raise Missing("handles", "the target publishes no HandlesConfiguration where the handles profile looks for it")
    return published


def wide_handles(handles: HandlesProfile) -> HandlesProfile:
    """Give the profile of the configuration `wide-handles`: names of letters that take two bytes each."""
    return replace(
        handles, grammar=WIDE_GRAMMAR, form=WIDE_FORM, letters=WIDE_LETTERS, shortest_name=1, longest_name=32
    )


@contextmanager
def stricter_later(pool: Pool) -> Iterator[Deployment]:
    """Give a deployment for one case alone, whose least length of names a restart can raise. Raises Missing."""
    for control in ("handles", "restart"):
        if control not in pool.subject().controls:
            raise Missing(control, "the least length of names has to be raised for handles that are claimed already")
    with pool.exclusive() as deployment:
        yield deployment


def allow_no_longer(deployment: Deployment, handle: str, handles: HandlesProfile) -> None:
    """Restart a deployment with a least length of names that a handle falls short of by one character."""
    deployment.restart(handles={"min_name_length": len(handles.name_of(handle) or "") + 1})
