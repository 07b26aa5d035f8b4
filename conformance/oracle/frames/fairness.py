"""Catch-up is shared (API-261.a): no second frame of history for one registration before every other had its first.

A registration counts from the frame that acknowledges it until an Update to remove it was sent or its history is
delivered. A frame that serves several registrations counts for each (V21); live envelopes, above the target, do not
count (V20).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator
from itertools import accumulate

from conformance.oracle.frames.deliveries import known_ids, must_exist
from conformance.oracle.frames.facts import Finding, Known
from conformance.oracle.frames.registrations import Registration, Walked

_SECOND = 2


class _Turns:
    """The frames of history that one registration got, and how far each frame brought it."""

    def __init__(self, registration: Registration, ids: Collection[int], known: Known) -> None:
        self.registration = registration
        self.places = sorted({each.place for each in registration.history})
        self.first = self.places[0] if self.places else None
        target = registration.target or 0
        # The target was visible, so that no more is known of a topic than need be; unless it is a wrong one.
        rows = {*ids, target} if must_exist(registration, known) else set(ids)
        lasting = {each for each in rows if registration.cursor < each <= target and each not in known.expired}
        self._last_owed = max(lasting, default=0)
        self._delivered_at = [each.place for each in registration.deliveries]
        self._reached = list(accumulate((each.meta.sequence_id for each in registration.deliveries), max))

    def by(self, place: int) -> int:
        """Count the frames up to a place."""
        return bisect_right(self.places, place)

    def starved_at(self, place: int) -> bool:
        """Tell whether at a place it had got no frame although history was owed to it."""
        return (self.first is None or self.first > place) and self.owed_at(place)

    def owed_at(self, place: int) -> bool:
        """Tell whether behind the frame at a place history was still owed to it."""
        removal = self.registration.removal
        if removal is not None and removal < place:
            return False
        count = bisect_right(self._delivered_at, place)
        reached = self._reached[count - 1] if count else 0
        return reached < self._last_owed


def fairness(walked: Walked, known: Known) -> Iterator[Finding]:
    """Find a registration that got its second frame of history while another still waited for its first.

    Only those count that were waiting before the other got its first; a topic that joins later is left to
    `unfair_later`. Reason: `starved`.
    """
    everyone = _everyone(walked, known)
    for one in everyone:
        if len(one.places) < _SECOND:
            continue
        first, second = one.places[:_SECOND]
        for other in everyone:
            if other is not one and other.registration.place < first and other.starved_at(second):
                yield Finding(
                    about=("API-261.a",),
                    reason="starved",
                    sentence="A topic got a second frame of its history before another topic had got its first.",
                    places=(other.registration.place, first, second),
                    facts={
                        "got two": one.registration.topic,
                        "got none": other.registration.topic,
                        "its target": other.registration.target,
                    },
                )


def shared_history(walked: Walked) -> bool:
    """Tell whether a stream could show unfairness at all: two registrations whose history took two frames or more."""
    several = [each for each in walked.registrations if len({one.place for one in each.history}) >= _SECOND]
    return len(several) >= _SECOND


def unfair_later(walked: Walked, known: Known) -> Iterator[str]:
    """Note what the contract leaves open: later rounds out of turn, and a topic added late that waits for two turns."""
    everyone = _everyone(walked, known)
    for one in everyone:
        for other in everyone:
            if other is one or one.first is None:
                continue
            joined = other.registration.place
            since = one.by(joined)
            if since and len(one.places) >= since + _SECOND and other.starved_at(one.places[since + 1]):
                yield "A topic added while others caught up got no frame before one of them had two more."
            elif not since and _lapped(one, other):
                yield "Behind the first round, the topics that catch up do not take turns."


def _lapped(one: _Turns, other: _Turns) -> bool:
    return any(
        other.by(place) < turn - 1 and other.by(place) > 0 and other.owed_at(place)
        for turn, place in enumerate(one.places, start=1)
    )


def _everyone(walked: Walked, known: Known) -> list[_Turns]:
    ids = known_ids(walked, known)
    return [_Turns(each, ids.get(each.topic, ()), known) for each in walked.registrations]
