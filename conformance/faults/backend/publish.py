"""Faults of publishing: half-stored requests and misplaced entries (API-220, API-221)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from conformance.faults.backend.publish_parts import LateBounds, PartByPart, backend, clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.store import Stored


class CommitsEachRow(Publisher):
    """Leaves the bound of an envelope to its row, and commits row by row."""

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Store the rows up to the first one too long."""
        stored: dict[Key, Stored] = {}
        for candidate in new:
            Bounds(self.admission.bounds.limits).envelope(candidate.index, len(candidate.payload))
            stored |= super().store_new([candidate], deadline)
        return stored


class OneByOne(PartByPart):
    """Takes the envelopes of a request for requests of their own."""

    def answer(self, request: bytes) -> bytes:
        """Examine and store each envelope before the next is looked at."""
        stored: list[Stored] = []
        for index, envelope in enumerate(self.admission.decode(request).envelopes):
            stored += self.publish([self.admission.examine(index, envelope)], self.soon())
        return self.answered(stored)


class CountsTopicsLast(Publisher):
    """Counts topics once everything is stored."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Store, then fail."""
        stored = super().publish(candidates, deadline)
        Bounds(self.admission.bounds.limits).publish_topics(len(self.topics(candidates)))
        return stored


class StoresBesideRepeats(PartByPart):
    """Takes a failing request with a stored envelope in it for a retry."""

    def answer(self, request: bytes) -> bytes:
        """Store what is good, and report the failure."""
        try:
            return super().answer(request)
        except PublishFailure:
            good = self.good(request)
            if self.duplicates(good):
                self.publish(good, self.soon())
            raise


class RollsRepeatsBack(PartByPart):
    """Cleans up after a failing request by idempotency key."""

    def answer(self, request: bytes) -> bytes:
        """Delete everything that the failing request names."""
        try:
            return super().answer(request)
        except PublishFailure:
            keys = [candidate.key for candidate in self.good(request)]
            with self.database.write(self.soon()) as connection:
                connection.executemany("DELETE FROM envelope WHERE topic = ? AND message_hash = ?", keys)
            raise


class GroupsByTopic(Publisher):
    """Answers topic after topic."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Sort the entries by topic."""
        return sorted(super().publish(candidates, deadline), key=lambda stored: stored.topic)


class AnswersById(Publisher):
    """Answers in the order of sequence ids."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Sort the entries by id."""
        return sorted(super().publish(candidates, deadline), key=lambda stored: stored.sequence_id)


class ReversesEachTopic(Publisher):
    """Answers each topic from its end."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Give each place an entry of the right topic, the last first."""
        stored = super().publish(candidates, deadline)
        of_topic: dict[bytes, list[Stored]] = defaultdict(list)
        for each in stored:
            of_topic[each.topic].append(each)
        return [of_topic[each.topic].pop() for each in stored]


class AnswersEachOnce(Publisher):
    """Answers a repeat within a request with the entry of its first place alone."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Leave out the entries of repeats."""
        return list({stored.key: stored for stored in super().publish(candidates, deadline)}.values())


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        (
            "B043",
            "each row commits on its own, and a row that is too long fails after the earlier ones",
            "220.a",
            backend(publisher=CommitsEachRow, bounds=LateBounds),
        ),
        ("B044", "envelopes are validated and stored one by one", "220.a", backend(publisher=OneByOne)),
        (
            "B320",
            "the topics of a request are counted once it is stored",
            "220.a",
            backend(publisher=CountsTopicsLast, bounds=LateBounds),
        ),
        (
            "B321",
            "a failing request with a repeat in it stores its good part",
            "220.d",
            backend(publisher=StoresBesideRepeats),
        ),
        (
            "B322",
            "a failing request takes the stored envelopes it repeats away",
            "220.d",
            backend(publisher=RollsRepeatsBack),
        ),
        ("B049", "the entries are grouped by topic", "221.a 221.c", backend(publisher=GroupsByTopic)),
        ("B323", "the entries stand in the order of their ids", "221.c", backend(publisher=AnswersById)),
        ("B324", "the entries of one topic stand in reverse", "221.a 221.c", backend(publisher=ReversesEachTopic)),
        ("B050", "a repeat within a request has no entry", "221.b 222.c", backend(publisher=AnswersEachOnce)),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


VARIANTS: tuple[Variant, ...] = tuple(_faults())
