"""What the checker keeps: a record per stored envelope, per value sent, and per topic. Linear in distinct envelopes."""

from __future__ import annotations

from typing import NamedTuple

from conformance.wire.transcript import Meta

NOBODY = -1


class Sighting(NamedTuple):
    """A sequence id and the number of the operation that showed it first."""

    id: int
    by: int


NOTHING = Sighting(0, NOBODY)


class Floor(NamedTuple):
    """The highest ids seen before a publish was invoked: anywhere, on the same topic, through another endpoint."""

    anywhere: Sighting
    topic: Sighting
    elsewhere: Sighting


class Envelope:
    """A stored envelope, known by its sequence id.

    `shown` is the digest of the payload that read `read` carried, `claimed` that of the envelope which stood in the
    request of publish `receipt` where its answer names this id; for a right answer the two are the same.
    Every id from `below` up to this one was read by operation `below_by`; None while no such read is known.
    `confirmed_ns` is when the receipt that stored it was held, None while that is not certain.
    """

    __slots__ = (
        "below",
        "below_by",
        "claimed",
        "confirmed_ns",
        "first",
        "meta",
        "read",
        "receipt",
        "shown",
    )

    def __init__(self, meta: Meta, first: int) -> None:
        self.meta = meta
        self.first = first
        self.shown: bytes | None = None
        self.read = NOBODY
        self.claimed: bytes | None = None
        self.receipt = NOBODY
        self.below: int | None = None
        self.below_by = NOBODY
        self.confirmed_ns: int | None = None


class Value:
    """A value that clients sent, once or several times.

    `attempts` are the numbers of the publishes that carried it, in the order invoked, `running` those not yet ended;
    `refused` and `unknown` those that ended so. `candidates` are the attempts that may have stored it when the first
    receipt came and whose own receipt is not held yet (see `own_writes`), None before that.
    `claimed` and `shown` are the ids under which a receipt and a read with payload know it, `visible` is its first
    sight in a read, and `suspects` are the attempts that were under way then, when all others had been refused.
    """

    __slots__ = (
        "attempts",
        "candidates",
        "claimed",
        "floor",
        "refused",
        "running",
        "shown",
        "suspects",
        "topic",
        "unknown",
        "visible",
    )

    def __init__(self, topic: bytes, floor: Floor) -> None:
        self.topic = topic
        self.floor = floor
        self.attempts: tuple[int, ...] = ()
        self.running: tuple[int, ...] = ()
        self.refused: tuple[int, ...] = ()
        self.unknown: tuple[int, ...] = ()
        self.candidates: tuple[int, ...] | None = None
        self.claimed = NOTHING
        self.shown = NOTHING
        self.visible = NOTHING
        self.suspects: tuple[int, ...] | None = None


class Topic:
    """A topic: all ids ever seen on it in order, the id each hash was seen under, and how far it is confirmed.

    `whole` is the number of the latest Query that reached its end.
    """

    __slots__ = ("confirmed", "hashes", "highest", "ids", "name", "whole")

    def __init__(self, name: bytes) -> None:
        self.name = name
        self.ids: list[int] = []
        self.hashes: dict[bytes, int] = {}
        self.highest = NOTHING
        self.confirmed = NOTHING
        self.whole: int | None = None
