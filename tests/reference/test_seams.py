"""The seams take small overrides: each variant here is a wrong backend, and what it does wrong shows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.admission import Encoder
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.ranges import IdAllocator
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.responses import ErrorDetails
from conformance.reference.backend.store import Store, Stored, View
from tests.reference.harness import (
    InProcess,
    fresh_group,
    group_message,
    ids,
    page_ids,
    publish,
    query,
    running,
)

Trial = Callable[[InProcess, Backend], bool]


class SaltedHash(Backend):
    """The hash covers more than the value."""

    class _Encoder(Encoder):
        calls = 0

        def hash(self, payload: bytes) -> bytes:
            self.calls += 1
            return super().hash(payload + bytes([self.calls]))

    encoder_class = _Encoder


class LimitPerTopic(Backend):
    class _Query(QueryReader):
        def select(self, view: View, positions: Mapping[bytes, int], limit: int) -> tuple[Sequence[Stored], bool]:
            pages = [
                super(type(self), self).select(view, {topic: cursor}, limit) for topic, cursor in positions.items()
            ]
            return [row for rows, _ in pages for row in rows], any(more for _, more in pages)

    query_class = _Query


class MoreWhenFull(Backend):
    class _Query(QueryReader):
        def select(self, view: View, positions: Mapping[bytes, int], limit: int) -> tuple[Sequence[Stored], bool]:
            rows, _ = super().select(view, positions, limit)
            return rows, len(rows) == limit

    query_class = _Query


class StaleQuery(Backend):
    class _Query(QueryReader):
        stale: sqlite3.Connection | None = None

        @contextmanager
        def view(self) -> Iterator[View]:
            if self.stale is None:
                self.stale = self.store.database.connect()
                self.stale.execute("BEGIN")
                self.stale.execute("SELECT * FROM counter").fetchall()
            yield View(self.stale)

    query_class = _Query


class CommitPerRow(Backend):
    class _Store(Store):
        def insert(self, connection: sqlite3.Connection, rows: Iterable[Stored]) -> None:
            for row in rows:
                super().insert(connection, [row])
                connection.execute("COMMIT")
                connection.execute("BEGIN IMMEDIATE")
                raise ZeroDivisionError

    store_class = _Store


class IndexAlwaysZero(Backend):
    class _Details(ErrorDetails):
        def publish_error(self, failure: PublishFailure) -> pb.PublishError:
            detail = super().publish_error(failure)
            detail.index = 0
            return detail

    details_class = _Details


class CounterFromZero(Backend):
    class _Allocator(IdAllocator):
        def reserve(self, connection: sqlite3.Connection, count: int) -> Sequence[int]:
            return [number - 1 for number in super().reserve(connection, count)]

    allocator_class = _Allocator


def stores_a_value_twice(call: InProcess, _backend: Backend) -> bool:
    envelope = group_message(fresh_group()[0])
    return publish(call, envelope) != publish(call, envelope)


def exceeds_the_limit(call: InProcess, _backend: Backend) -> bool:
    groups = [fresh_group() for _ in range(2)]
    publish(call, *[group_message(group_id) for group_id, _ in groups])
    return len(page_ids(query(call, *[topic for _, topic in groups], limit=1))) > 1


def promises_more_than_there_is(call: InProcess, _backend: Backend) -> bool:
    group_id, topic = fresh_group()
    publish(call, group_message(group_id))
    return query(call, topic, limit=1).continuation.has_more


def misses_its_own_write(call: InProcess, _backend: Backend) -> bool:
    group_id, topic = fresh_group()
    query(call, topic)
    stored = ids(publish(call, group_message(group_id)))
    return page_ids(query(call, topic)) != stored


def stores_half_a_request(call: InProcess, _backend: Backend) -> bool:
    group_id, topic = fresh_group()
    with suppress(ZeroDivisionError):
        publish(call, group_message(group_id, b"1"), group_message(group_id, b"2"))
    return len(page_ids(query(call, topic))) == 1


def blames_the_first_envelope(call: InProcess, backend: Backend) -> bool:
    with pytest.raises(PublishFailure) as caught:
        publish(call, group_message(fresh_group()[0]), group_message(b"short"))
    return backend.details.publish_error(caught.value).index == 0


def gives_an_id_of_zero(call: InProcess, _backend: Backend) -> bool:
    return ids(publish(call, group_message(fresh_group()[0]))) == [0]


VARIANTS: list[tuple[type[Backend], Trial]] = [
    (SaltedHash, stores_a_value_twice),
    (LimitPerTopic, exceeds_the_limit),
    (MoreWhenFull, promises_more_than_there_is),
    (StaleQuery, misses_its_own_write),
    (CommitPerRow, stores_half_a_request),
    (IndexAlwaysZero, blames_the_first_envelope),
    (CounterFromZero, gives_an_id_of_zero),
]


@pytest.mark.parametrize(("variant", "shows"), VARIANTS, ids=[variant.__name__ for variant, _ in VARIANTS])
def test_an_override_changes_what_it_names_and_the_clean_backend_does_not_show_it(
    tmp_path: Path, variant: type[Backend], shows: Trial
) -> None:
    (tmp_path / "clean").mkdir()
    (tmp_path / "wrong").mkdir()
    with running(tmp_path / "clean") as backend:
        assert not shows(InProcess(backend), backend)
    with running(tmp_path / "wrong", variant) as backend:
        assert shows(InProcess(backend), backend)
