"""Request frames that must fail a Subscribe stream (API-251), each beside the one it would be without its fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.craft.plans import LAST_SEQUENCE_ID
from conformance.craft.topics import MALFORMED_TOPIC_NAMES, malformed_topics
from conformance.oracle.frames import findings
from conformance.oracle.violation import Undecidable, Violation
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.target.errors import Missing
from conformance.target.node import Position
from conformance.target.patience import until
from conformance.target.stream_requests import ping_frame, update_frame
from conformance.target.streams import Subscription
from conformance.wire.transcript import Code

LAST_ID = (1 << 64) - 1
ACCEPTED = 7  # the id of the Update that stands before the one that must fail
NEXT = ACCEPTED + 1
# Codes that a guard or a load in front of the backend gives too: they tell nothing here.
_ENVIRONMENT = (Code.UNAUTHENTICATED, Code.PERMISSION_DENIED, Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED)
# How long an answer that must not come is looked out for before the end is waited for, in seconds.
_GLANCE_S = 1.0
_LOOK_S = 0.02
_MOST_NAMED = 3  # in one list of a frame


@dataclass(frozen=True, kw_only=True)
class Place:
    """The topics a frame can name: `kept` is registered, `named` holds envelopes, `other` is a third, `broken` none."""

    kept: bytes
    named: bytes
    other: bytes
    broken: Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True)
class WrongFrame:
    """A request frame with a fault, and its twin without it; both as encoded SubscribeRequests."""

    name: str
    clause: str
    broken: Callable[[Place], bytes]
    twin: Callable[[Place], bytes]

    def __str__(self) -> str:
        return self.name


def _adds(*cursors: int | None, number: int = NEXT) -> Callable[[Place], bytes]:
    """Add `named` once for each cursor."""
    return lambda place: update_frame(number, [Position(place.named, cursor) for cursor in cursors], [])


def _good(place: Place) -> bytes:
    return update_frame(NEXT, [place.named, place.other], [place.kept])


def _frame(name: str, clause: str, broken: Callable[[Place], bytes]) -> WrongFrame:
    return WrongFrame(name=name, clause=clause, broken=broken, twin=_good)


def _add_broken(shape: str) -> Callable[[Place], bytes]:
    return lambda place: update_frame(NEXT, [place.named, place.broken[shape], place.other], [])


def _remove_broken(shape: str) -> Callable[[Place], bytes]:
    return lambda place: update_frame(NEXT, [place.named], [place.kept, place.broken[shape]])


def _without_topic(cursor: int | None, at: int) -> Callable[[Place], bytes]:
    def made(place: Place) -> bytes:
        adds: list[bytes | Position] = [place.named, place.other]
        adds.insert(at, Position(None, cursor))
        return update_frame(NEXT, adds, [])

    return made


WRONG_FRAMES = (
    _frame("id-0", "API-251.a", _adds(None, number=0)),
    _frame("same-id", "API-251.b", _adds(None, number=ACCEPTED)),
    _frame("lower-id", "API-251.b", _adds(None, number=ACCEPTED - 1)),
    _frame("id-1-again", "API-251.b", _adds(None, number=1)),
    _frame("added-twice", "API-251.c", _adds(None, None)),
    _frame("added-twice-with-two-cursors", "API-251.c", _adds(0, LAST_SEQUENCE_ID)),
    _frame("removed-twice", "API-251.c", lambda place: update_frame(NEXT, [place.named], [place.kept, place.kept])),
    _frame("added-and-removed", "API-251.c", lambda place: update_frame(NEXT, [place.named], [place.named])),
    _frame("kept-added-and-removed", "API-251.c", lambda place: update_frame(NEXT, [place.kept], [place.kept])),
    *(_frame(f"adds-{shape}", "API-251.d", _add_broken(shape)) for shape in MALFORMED_TOPIC_NAMES),
    *(_frame(f"removes-{shape}", "API-251.d", _remove_broken(shape)) for shape in MALFORMED_TOPIC_NAMES),
    _frame("no-topic-first", "API-251.e", _without_topic(None, 0)),
    _frame("no-topic-last", "API-251.e", _without_topic(None, 2)),
    _frame("no-topic-with-a-cursor", "API-251.e", _without_topic(5, 1)),
    _frame("cursor-2^63", "API-251.f", _adds(LAST_SEQUENCE_ID + 1)),
    _frame("cursor-2^64-1", "API-251.f", _adds((1 << 64) - 1)),
    WrongFrame(name="no-bytes", clause="API-251.g", broken=lambda _: b"", twin=lambda _: ping_frame(0)),
    WrongFrame(  # field 100, which SubscribeRequest has not: to a reader that skips it the frame is empty
        name="unknown-member",
        clause="API-251.g",
        broken=lambda _: bytes([0xA2, 0x06, 0x02, 0x08, 0x07]),
        twin=lambda _: ping_frame(0) + bytes([0xA2, 0x06, 0x02, 0x08, 0x07]),
    ),
)


def wrong_by(clause: str) -> tuple[WrongFrame, ...]:
    """Pick the frames that are wrong by one clause."""
    return tuple(wrong for wrong in WRONG_FRAMES if wrong.clause == clause)


def place_of(traffic: Traffic) -> Place:
    """Make the topics that frames name; Missing where a bound would make some of the frames invalid, too."""
    limits = traffic.node.limits
    if min(limits.max_update_adds, limits.max_stream_topics) < _MOST_NAMED or limits.max_update_removes < _MOST_NAMED:
        raise Missing("limits", f"an Update may not name {_MOST_NAMED} topics")
    return Place(
        kept=traffic.topic(),
        named=traffic.stocked(3),
        other=traffic.topic(),
        broken=malformed_topics(traffic.draw),
    )


def begun(traffic: Traffic, place: Place) -> Subscription:
    """Open a stream that has accepted an Update of the id `ACCEPTED`."""
    stream = traffic.node.subscribe()
    stream.update(adds=[place.kept], id=ACCEPTED)
    return stream


def fails_unlike_its_twin(traffic: Traffic, wrong: WrongFrame) -> None:
    """Judge that a frame ends its stream INVALID_ARGUMENT, and that its twin is accepted on one that is alike."""
    place = place_of(traffic)
    with begun(traffic, place) as beside, begun(traffic, place) as stream:
        for each in (beside, stream):
            each.started()
            each.applied(ACCEPTED)
        beside.send(wrong.twin(place))
        stream.send(wrong.broken(place))
        if wrong.clause != "API-251.g":
            beside.applied(NEXT)
        beside.round_trip()
        traffic.judge(beside, wrong.clause)
        refused(traffic, stream, wrong.clause)


def refused(traffic: Traffic, stream: Subscription, *about: str) -> None:
    """Judge that a stream ends INVALID_ARGUMENT, and has not carried out what must not be.

    A failure of the stream is looked for while it is waited for. Raises Violation or what waiting for the end raises.
    """
    known = traffic.known()
    until(
        lambda: not stream.watch(_LOOK_S) or any(each.concerns(*about) for each in findings(stream.call, known)),
        bool,
        patience_s=_GLANCE_S,
    )
    traffic.judge(stream, *about)
    status = stream.end()
    traffic.judge(stream, *about)
    if status.code in _ENVIRONMENT:
        raise Undecidable(f"Subscribe was ended {status.code.name}, which says nothing about the contract here")
    if status.code is not Code.INVALID_ARGUMENT:
        raise Violation(
            "accepted" if status.code is Code.OK else "wrong-code",
            f"Subscribe ended {status.code.name}, but must end INVALID_ARGUMENT.",
            witness={"message": status.message},
        )


def refuse_all(traffic: Traffic, frames: Sequence[WrongFrame], *about: str) -> None:
    """Send each frame on a stream of its own, all at once, and judge how the streams end."""
    place = place_of(traffic)
    streams = [begun(traffic, place) for _ in frames]
    try:
        for stream in streams:
            stream.started()
            stream.applied(ACCEPTED)
        for stream, wrong in zip(streams, frames, strict=True):
            stream.send(wrong.broken(place))
        traffic.publish(*traffic.one_each([place.named, place.other]))
        for stream in streams:
            refused(traffic, stream, *about)
    finally:
        for stream in streams:
            stream.close()
