"""Odd but right backends near sections 1 and 2: gaps, any order inside a request, lagging reads, other limits."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from conformance.faults.backend.visibility import LaggingCopy
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import IdAllocator, Span
from conformance.reference.backend.settings import Limits, Retention, Settings
from conformance.reference.backend.store import Store, Stored, View

WIDEST_GAP = 1_000_000


class Gaps(Backend):
    """V01."""

    class _Allocator(IdAllocator):
        def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
            ids = super().reserve(connection, count * random.randint(1, WIDEST_GAP))  # noqa: S311 - no secret
            return sorted(random.sample(ids, count))

    allocator_class = _Allocator


class TwoLaggingCopies(Backend):
    """V02b."""

    class _Store(Store):
        copies = (LaggingCopy(lag_s=0.05), LaggingCopy(lag_s=0.15))

        def copy(self) -> AbstractContextManager[View]:
            return random.choice(self.copies).view(self)  # noqa: S311 - no secret

    store_class = _Store


class IdsInAnyOrder(Backend):
    """V09."""

    class _Publisher(Publisher):
        def rows(self, new: Sequence[Candidate], span: Span) -> list[Stored]:
            return sorted(super().rows(random.sample(new, len(new)), span), key=lambda row: row.sequence_id)

    publisher_class = _Publisher


class OtherLimits(Backend):
    """V32."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        if settings.limits == Limits():
            limits = replace(
                settings.limits,
                max_envelope_bytes=9000,
                max_request_bytes=70_000,
                max_response_bytes=70_000,
                max_publish_topics=9,
                max_query_topics=5,
                max_query_limit=6,
                default_query_limit=2,
                max_newest_metadata_topics=3,
                max_newest_full_topics=2,
            )
            retention = Retention(group_message_seconds=7, welcome_seconds=3_000_000, key_package_seconds=99)
            settings = replace(settings, limits=limits, retention=retention)
        super().__init__(settings, folder)


class TopicByTopic(Backend):
    """V44."""

    class _Store(Store):
        def insert(self, connection: sqlite3.Connection, rows: Iterable[Stored]) -> None:
            by_topic: dict[bytes, list[Stored]] = defaultdict(list)
            for row in rows:
                by_topic[row.topic].append(row)
            for topic in random.sample(list(by_topic), len(by_topic)):
                super().insert(connection, by_topic[topic])
                connection.execute("COMMIT")
                connection.execute("BEGIN IMMEDIATE")

    store_class = _Store


def _named(*clauses: str) -> tuple[str, ...]:
    return tuple(f"API-{clause}" for clause in clauses)


VARIANTS = (
    Variant(
        id="V01",
        says="ids have gaps of any size, also inside one request",
        clauses=_named("286.a", "287.a", "287.b", "288.a", "289.a", "289.b", "289.c", "289.e", "201.a", "212.a"),
        build=Gaps,
        kind="variation",
    ),
    Variant(
        id="V02b",
        says="QueryNewest answers from either of two copies that lag by different times",
        clauses=_named(
            "288.b", "210.a", "210.b", "210.c", "210.d", "211.a", "211.b", "212.b", "212.e", "212.f", "212.h"
        ),
        build=TwoLaggingCopies,
        kind="variation",
    ),
    Variant(
        id="V09",
        says="the ids of one request follow no order of its envelopes",
        clauses=_named("289.a", "289.e", "201.a", "201.c", "202.a", "202.c", "211.d", "212.a", "212.c", "212.g"),
        build=IdsInAnyOrder,
        kind="variation",
    ),
    Variant(
        id="V32",
        says="every limit and retention is other than usual, and small",
        clauses=_named(
            *(
                "286.a",
                "287.a",
                "287.b",
                "288.a",
                "288.b",
                "289.a",
                "289.b",
                "289.e",
                "201.a",
                "201.c",
                "202.a",
                "202.b",
            ),
            *("202.c", "202.d", "202.e", "210.a", "210.b", "210.c", "210.d", "211.a", "211.b", "211.c", "211.d"),
            *("212.a", "212.b", "212.c", "212.c1", "212.e", "212.f", "212.g", "212.h"),
        ),
        build=OtherLimits,
        kind="variation",
    ),
    Variant(
        id="V44",
        says="the topics of one request become visible one after the other, in any order",
        clauses=_named("289.b", "289.e", "201.a", "201.c", "202.a", "202.c"),
        build=TopicByTopic,
        kind="variation",
    ),
)
