"""Faults in what a Query may ask for: limits, repeated topics, and what must be refused (API-240 to API-243)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence

from conformance.faults.backend.query import EVERY, faults, reading
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import QueryRequest
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.settings import Limits
from conformance.reference.backend.topics import KEY_PACKAGE


class RefusesAboveCeiling(QueryReader):
    """Takes a limit above the maximum for an error."""

    def effective_limit(self, limit: int) -> int:
        """Fail above the maximum."""
        if limit > self.limits.max_query_limit:
            raise Failure(Code.INVALID_ARGUMENT, "the limit is above max_query_limit")
        return super().effective_limit(limit)


def paged_by(rule: Callable[[Limits, int], int]) -> type[QueryReader]:
    """Make a reader whose effective limit follows `rule`: from the limits and what is asked for."""

    class Reader(QueryReader):
        def effective_limit(self, limit: int) -> int:
            return rule(self.limits, limit)

    return Reader


def default_above_ceiling(limits: Limits, asked: int) -> int:
    """Page by the default for 0 and for what is above the maximum."""
    return asked if 0 < asked <= limits.max_query_limit else limits.default_query_limit


def reads_repeats_from(pick: Callable[[Sequence[int | None]], int]) -> type[QueryReader]:
    """Make a reader that reads a topic from the cursor that `pick` takes of all supplied for it, None being absent."""

    class Reader(QueryReader):
        def positions(self, query: QueryRequest) -> Mapping[bytes, int]:
            supplied: dict[bytes, list[int | None]] = {}
            for entry in query.queries:
                cursor = entry.cursor.sequence_id if entry.HasField("cursor") else None
                supplied.setdefault(entry.topic.topic, []).append(cursor)
            return {topic: pick(cursors) for topic, cursors in supplied.items()}

    return Reader


def lowest_present(cursors: Sequence[int | None]) -> int:
    """Take the lowest of the cursors that are there."""
    return min((cursor for cursor in cursors if cursor is not None), default=0)


class PagesKeyPackages(QueryReader):
    """Serves key package topics like all others."""

    def check_topic(self, topic: bytes) -> None:
        """Refuse malformed topics only."""
        self.topics.check_named(topic)


class LeavesKeyPackagesOut(QueryReader):
    """Leaves key package topics out of the answer instead of failing."""

    def check_topic(self, topic: bytes) -> None:
        """Refuse malformed topics only."""
        self.topics.check_named(topic)

    def positions(self, query: QueryRequest) -> Mapping[bytes, int]:
        """Forget the key package topics."""
        return {topic: at for topic, at in super().positions(query).items() if topic[0] != KEY_PACKAGE}


class WrongCodeForKeyPackages(QueryReader):
    """Refuses key package topics as a matter of state."""

    def check_topic(self, topic: bytes) -> None:
        """Fail with another code than INVALID_ARGUMENT."""
        self.topics.check_named(topic)
        if topic[0] == KEY_PACKAGE:
            raise Failure(Code.FAILED_PRECONDITION, "key package topics are not paged")


class AnyCursor(Bounds):
    """Knows no highest cursor."""

    def cursor(self, sequence_id: int) -> None:
        """Let every cursor pass."""


class SignedCursor(QueryReader):
    """Casts cursors to signed numbers, so that the highest ones are negative and everything stands above them."""

    def positions(self, query: QueryRequest) -> Mapping[bytes, int]:
        """Cast the cursors."""
        for entry in query.queries:
            if entry.HasField("cursor"):
                entry.cursor.sequence_id = max(0, ctypes.c_int64(entry.cursor.sequence_id).value)
        return super().positions(query)


class MalformedTopicIsEmpty(QueryReader):
    """Takes a malformed topic for one that holds nothing."""

    def check_topic(self, topic: bytes) -> None:
        """Refuse key package topics only."""
        if topic[:1] == bytes([KEY_PACKAGE]):
            super().check_topic(topic)


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B130", "limit 0 is no limit", "241.a", paged_by(lambda limits, asked: asked or EVERY)),
        ("B353", "limit 0 shows nothing", "241.a", paged_by(lambda limits, asked: min(asked, limits.max_query_limit))),
        ("B131", "a limit above the maximum is an error", "241.b", RefusesAboveCeiling),
        ("B354", "a limit above the maximum becomes the default", "241.b", paged_by(default_above_ceiling)),
        ("B355", "there is no maximum", "241.b", paged_by(lambda limits, asked: asked or limits.default_query_limit)),
        ("B356", "limits below 3 become 3", "240.b 241.c", paged_by(lambda limits, asked: max(3, asked))),
        ("B357", "the last cursor of a topic counts", "242.a", reads_repeats_from(lambda at: at[-1] or 0)),
        ("B358", "the first cursor of a topic counts", "242.a", reads_repeats_from(lambda at: at[0] or 0)),
        ("B359", "an absent cursor does not count beside another", "242.a", reads_repeats_from(lowest_present)),
        ("B133", "key package topics are paged", "243.a", PagesKeyPackages),
        ("B360", "key package topics are left out of a page", "243.a", LeavesKeyPackagesOut),
        ("B361", "key package topics fail with FAILED_PRECONDITION", "243.a", WrongCodeForKeyPackages),
        ("B368", "a malformed topic reads as an empty one", "240.j", MalformedTopicIsEmpty),
    ),
    Variant(
        id="B134",
        says="cursors are signed numbers: above 2^63-1 they read from the start",
        clauses=("API-240.j",),
        build=reading(SignedCursor, AnyCursor),
    ),
)
