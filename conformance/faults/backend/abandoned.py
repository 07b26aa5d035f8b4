"""Backends that notice when the client of a publish goes away, and what they make of it (API-220.e, API-224.a)."""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from conformance.faults.backend.publish_parts import backend, clauses
from conformance.faults.registry import Variant
from conformance.reference.backend.admission import Candidate, Encoder
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.publisher import Key, Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.store import Stored

if TYPE_CHECKING:
    from conformance.reference.backend.server import Server

# how long such a backend takes on the way, in seconds: by then the client may have gone
PAUSE_S = 0.01
LATE_S = 0.05


class _Caller(threading.local):
    """Whether the client of the call that this thread serves is still there."""

    is_there: Callable[[], bool] = staticmethod(lambda: True)


CALLER = _Caller()


def watching(part: type[Publisher]) -> type[Backend]:
    """Make a backend whose publisher can ask for the client."""

    class Made(Backend):
        publisher_class = part

        def server(self) -> Server:
            """Return the server that notes the caller."""
            from conformance.faults.callers import Watching  # noqa: PLC0415 - the adapter program needs no grpc

            return Watching(self)

    return Made


class StopsBetweenTopics(Publisher):
    """Stores the envelopes of each topic in a transaction of its own, for as long as the client is there."""

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Store topic after topic."""
        stored: dict[Key, Stored] = {}
        for topic in dict.fromkeys(candidate.topic for candidate in new):
            if not CALLER.is_there():
                raise Failure(Code.CANCELLED, "the client has gone")
            stored |= super().store_new([each for each in new if each.topic == topic], deadline)
        return stored


class CleansUp(Publisher):
    """Deletes what it has stored when the client has gone before the answer."""

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Store, and see whether the client is still there."""
        stored = super().store_new(new, deadline)
        time.sleep(PAUSE_S)
        if not CALLER.is_there():
            ids = [(each.sequence_id,) for each in self.doomed([*stored.values()])]
            with self.database.write(deadline) as connection:
                connection.executemany("DELETE FROM envelope WHERE sequence_id = ?", ids)
            raise Failure(Code.CANCELLED, "the client has gone")
        return stored

    def doomed(self, stored: Sequence[Stored]) -> Sequence[Stored]:
        """Take all of it."""
        return stored


class CleansUpInPart(CleansUp):
    """Deletes all but the first."""

    def doomed(self, stored: Sequence[Stored]) -> Sequence[Stored]:
        """Leave the first."""
        return stored[1:]


class HashesTheRequest(Encoder):
    """Mixes the request into the hash, so that no retry is a duplicate."""

    def hash(self, payload: bytes) -> bytes:
        """Hash the payload with an id of the request."""
        return super().hash(payload + uuid.uuid4().bytes)


class GivesUpWhole(Publisher):
    """Rolls the one transaction back when the client has gone before its end."""

    def commit(self, connection: sqlite3.Connection, new: Sequence[Candidate], span: Span) -> dict[Key, Stored]:
        """Look for the client while everything can be taken back."""
        stored = super().commit(connection, new, span)
        if not CALLER.is_there():
            raise Failure(Code.CANCELLED, "the client has gone")
        return stored


class StoresLate(Publisher):
    """Takes its time to store what nobody waits for any more."""

    def store_new(self, new: Sequence[Candidate], deadline: Deadline) -> dict[Key, Stored]:
        """Wait first when the client has gone."""
        time.sleep(PAUSE_S)
        if not CALLER.is_there():
            time.sleep(LATE_S)
        return super().store_new(new, deadline)


_FAULTS: tuple[tuple[str, str, str, type[Publisher]], ...] = (
    ("B045", "each topic has its transaction, and a cancelled publish stops between two", "220.e", StopsBetweenTopics),
    ("B347", "of a publish whose client has gone all but the first envelope is deleted", "220.e", CleansUpInPart),
    ("B348", "what a client that has gone has published is deleted after readers have seen it", "224.a", CleansUp),
)
_VARIATIONS: tuple[tuple[str, str, type[Publisher]], ...] = (
    ("V347", "a publish whose client has gone is rolled back as a whole", GivesUpWhole),
    ("V348", "a publish whose client has gone is stored late", StoresLate),
)


def _variants() -> Iterator[Variant]:
    for name, says, numbers, part in _FAULTS:
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=watching(part), racy=True)
    says = "the hash has an id of the request in it, so that a retry is stored again"
    yield Variant(id="B073", says=says, clauses=clauses("224.a"), build=backend(encoder=HashesTheRequest), racy=True)
    for name, says, part in _VARIATIONS:
        yield Variant(id=name, says=says, clauses=clauses("220.e 224.a"), build=watching(part), kind="variation")


VARIANTS: tuple[Variant, ...] = tuple(_variants())
