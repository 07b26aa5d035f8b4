"""Faults and variations of QueryNewest (API-244), and its malformed topics (API-240)."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import QueryNewestRequest, QueryNewestResponse, Topic
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.readers import NewestReader
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.store import Store, Stored, View

LAG_NS = 40_000_000


class RepeatsRepeated(NewestReader):
    """Answers a topic as often as it is named."""

    def distinct(self, topics: Iterable[Topic]) -> Sequence[bytes]:
        """Merge nothing."""
        return [topic.topic for topic in topics]


class PlaceholderForEmpty(NewestReader):
    """Has a result for every topic."""

    def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Put a row of zeros where a topic has none."""
        blank = Stored(
            sequence_id=0, topic=b"", message_hash=b"", server_ns=0, expiry_ns=0, is_commit_or_proposal=False
        )
        return [view.newest(topic, payload=full) or replace(blank, topic=topic) for topic in topics]


class NewestByTime(View):
    """Takes the latest time for the newest, and the first row of those that share it."""

    def newest(self, topic: bytes, *, payload: bool) -> Stored | None:
        """Order by server_ns."""
        rows = self._rows("WHERE topic = ? ORDER BY server_ns DESC, sequence_id LIMIT 1", (topic,), payload=payload)
        return rows[0] if rows else None


class OldestRow(View):
    """Sorts the wrong way round."""

    def newest(self, topic: bytes, *, payload: bool) -> Stored | None:
        """Return the first row of a topic."""
        rows = self._rows("WHERE topic = ? ORDER BY sequence_id LIMIT 1", (topic,), payload=payload)
        return rows[0] if rows else None


class AlwaysFull(NewestReader):
    """Ignores include_full_envelope."""

    def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Read the payload always."""
        return super().select(view, topics, full=True)


class NeverFull(NewestReader):
    """Ignores include_full_envelope."""

    def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Read the payload never."""
        return super().select(view, topics, full=False)


class UnnamedResults(Responses):
    """Leaves it to the metadata to name the topic."""

    def result(self, stored: Stored) -> QueryNewestResponse.Result:
        """Leave `topic` out."""
        result = super().result(stored)
        result.ClearField("topic")
        return result


class NamedByPosition(NewestReader):
    """Names the results after the topics of the request, one by one, although empty topics have no result."""

    def answer(self, request: bytes) -> bytes:
        """Write the names of the request over those of the results."""
        topics = self.distinct(QueryNewestRequest.FromString(request).topics)
        response = QueryNewestResponse.FromString(super().answer(request))
        for result, topic in zip(response.results, topics, strict=False):
            result.topic.topic = topic
        return response.SerializeToString()


class MalformedLeftOut(NewestReader):
    """Takes a malformed topic for one that holds nothing."""

    def check(self, query: QueryNewestRequest) -> None:
        """Check the number of topics only."""
        self.bounds.newest_entries(len(query.topics), full=query.include_full_envelope)


class LaggingCopy(Store):
    """Keeps the reads other than Query a little behind (V02)."""

    class Behind(View):
        """Shows what was stored some time ago."""

        def newest(self, topic: bytes, *, payload: bool) -> Stored | None:
            """Return the newest row that the copy has."""
            rows = self._rows(
                "WHERE topic = ? AND server_ns < ? ORDER BY sequence_id DESC LIMIT 1",
                (topic, time.time_ns() - LAG_NS),
                payload=payload,
            )
            return rows[0] if rows else None

    @contextmanager
    def copy(self) -> Iterator[View]:
        """Open the lagging view."""
        with self.database.read() as connection:
            yield self.Behind(connection)


class AnyOrder(NewestReader):
    """Answers the topics in an order of its own (V07)."""

    def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Shuffle the results."""
        rows = super().select(view, topics, full=full)
        random.shuffle(rows)
        return rows


def newest(reader: type[NewestReader] = NewestReader, responses: type[Responses] = Responses) -> type[Backend]:
    """Make a backend whose QueryNewest is served by `reader` and written by `responses`."""

    class Answering(Backend):
        newest_class = reader
        responses_class = responses

    return Answering


def stored_as(store: type[Store]) -> type[Backend]:
    """Make a backend over `store`."""

    class Storing(Backend):
        store_class = store

    return Storing


def viewed_as(view: type[View]) -> type[Backend]:
    """Make a backend whose reads go through `view`."""

    class Viewed(Store):
        view_type = view

    return stored_as(Viewed)


VARIANTS: tuple[Variant, ...] = (
    Variant(
        id="B135", says="a repeated topic gets repeated results", clauses=("API-244.a",), build=newest(RepeatsRepeated)
    ),
    Variant(id="B362", says="an empty topic gets a result", clauses=("API-244.a",), build=newest(PlaceholderForEmpty)),
    Variant(
        id="B136", says="the newest is the latest by server_ns", clauses=("API-244.b",), build=viewed_as(NewestByTime)
    ),
    Variant(id="B363", says="the newest is the oldest", clauses=("API-244.b",), build=viewed_as(OldestRow)),
    Variant(id="B364", says="the envelope is always carried", clauses=("API-244.c",), build=newest(AlwaysFull)),
    Variant(id="B365", says="the envelope is never carried", clauses=("API-244.c",), build=newest(NeverFull)),
    Variant(id="B366", says="results name no topic", clauses=("API-244.f",), build=newest(responses=UnnamedResults)),
    Variant(
        id="B367",
        says="results are named by position, empty topics included",
        clauses=("API-244.f",),
        build=newest(NamedByPosition),
    ),
    Variant(id="B369", says="a malformed topic is left out", clauses=("API-240.j",), build=newest(MalformedLeftOut)),
    Variant(
        id="V02",
        says="QueryNewest lags behind the receipts",
        clauses=("API-244.a", "API-244.b", "API-244.c", "API-244.f"),
        build=stored_as(LaggingCopy),
        kind="variation",
    ),
    Variant(
        id="V07",
        says="the results of QueryNewest stand in any order",
        clauses=("API-244.a", "API-244.b", "API-244.c", "API-244.f"),
        build=newest(AnyOrder),
        kind="variation",
    ),
)
