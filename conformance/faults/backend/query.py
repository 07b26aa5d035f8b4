"""Faults and variations of the pages of Query (API-240)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import QueryRequest, QueryResponse
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.readers import QueryReader
from conformance.reference.backend.store import Stored, View

Positions = Mapping[bytes, int]
Rows = tuple[Sequence[Stored], bool]

# more rows than any topic of a test holds
EVERY = 100_000
# seconds between the two reads of a backend that makes two of them
PAUSE_S = 0.003


def above(view: View, positions: Positions) -> list[Stored]:
    """Every eligible envelope, topic after topic."""
    return [row for topic, cursor in positions.items() for row in view.after(topic, cursor, EVERY)]


class FromTheCursor(QueryReader):
    """Takes the cursor for the first position wanted."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Read from one below every cursor."""
        return super().select(view, {topic: max(0, cursor - 1) for topic, cursor in positions.items()}, limit)


class CursorIsARow(QueryReader):
    """Looks the cursor up among the rows of its topic."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Read from the start where no row has the cursor."""
        rows = {(row.topic, row.sequence_id) for row in above(view, dict.fromkeys(positions, 0))}
        found = {topic: cursor if (topic, cursor) in rows else 0 for topic, cursor in positions.items()}
        return super().select(view, found, limit)


class LimitPerTopic(QueryReader):
    """Applies the limit to each topic."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Pick a page of each topic and put them together."""
        pages = [QueryReader.select(self, view, {topic: at}, limit) for topic, at in positions.items()]
        return [row for rows, _ in pages for row in rows], any(more for _, more in pages)


class EntryByEntry(QueryReader):
    """Does not merge the entries that name one topic."""

    def answer(self, request: bytes) -> bytes:
        """Read each entry by itself, up to the limit together."""
        query = QueryRequest.FromString(request)
        self.check(query)
        limit = self.effective_limit(query.limit)
        with self.view() as view:
            entries = [(entry.topic.topic, entry.cursor.sequence_id) for entry in query.queries]
            rows = [row for topic, cursor in entries for row in view.after(topic, cursor, limit + 1)]
        return self.responses.page(rows[:limit], has_more=len(rows) > limit).SerializeToString()


class NewestFirst(QueryReader):
    """Reads the newest envelopes and turns them round."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Cut the page from the end of the log."""
        rows = sorted(above(view, positions), key=lambda row: row.sequence_id)
        return rows[-limit:], len(rows) > limit


class FilterAfterLimit(QueryReader):
    """Drops what lies at or below the cursor only after the limit has cut the page."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Cut a page from the start of every topic, then filter it."""
        rows, has_more = super().select(view, dict.fromkeys(positions, 0), limit)
        return [row for row in rows if row.sequence_id > positions[row.topic]], has_more


class StopsAtEmptyTopic(QueryReader):
    """Takes a topic without rows for the end of the page."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Leave out the first topic without rows and all behind it."""
        reached: dict[bytes, int] = {}
        for topic, cursor in positions.items():
            if not view.after(topic, cursor, 1):
                break
            reached[topic] = cursor
        return super().select(view, reached, limit)


class FullMeansMore(QueryReader):
    """Takes a full page for a sign of more."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Say has_more when the page is full."""
        rows, _ = super().select(view, positions, limit)
        return rows, len(rows) == limit


class MoreFromALaterRead(QueryReader):
    """Looks in a second, later read whether anything stands above the page."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Read the page, and a little later what follows it."""
        rows, _ = super().select(view, positions, limit)
        time.sleep(PAUSE_S)
        reached = dict(positions) | {row.topic: row.sequence_id for row in rows}
        with self.store.current() as later:
            return rows, bool(above(later, reached))


class MoreFromAnEarlierRead(QueryReader):
    """Counts what is eligible in a first read and takes the page from a second one."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Count, and a little later read the page."""
        has_more = len(above(view, positions)) > limit
        time.sleep(PAUSE_S)
        with self.store.current() as later:
            return super().select(later, positions, limit)[0], has_more


class TrimmedToFit(QueryReader):
    """Drops envelopes from the end of a page until it is short enough in bytes."""

    def answer(self, request: bytes) -> bytes:
        """Serve the page that fits, and say that there is more."""
        page = QueryResponse.FromString(super().answer(request))
        while page.ByteSize() > self.limits.max_response_bytes:
            del page.envelopes[-1]
            page.continuation.has_more = True
        return page.SerializeToString()


class TurnByTurn(QueryReader):
    """Fills a page with one envelope of each topic in turn, the last topic first (V05)."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Pick the page row by row over all topics."""
        rows = [view.after(topic, cursor, limit + 1) for topic, cursor in reversed([*positions.items()])]
        turns = [row for number in range(limit + 1) for topic in rows for row in topic[number : number + 1]]
        return turns[:limit], len(turns) > limit


class GloballySorted(QueryReader):
    """Cuts the page from all topics together, lowest sequence ids first (V06)."""

    def select(self, view: View, positions: Positions, limit: int) -> Rows:
        """Sort before the limit cuts."""
        rows = sorted(above(view, positions), key=lambda row: row.sequence_id)
        return rows[:limit], len(rows) > limit


def reading(reader: type[QueryReader], bounds: type[Bounds] = Bounds) -> type[Backend]:
    """Make a backend whose Query is served by `reader`."""

    class Querying(Backend):
        query_class = reader
        bounds_class = bounds

    return Querying


def faults(*rows: tuple[str, str, str, type[QueryReader]]) -> Iterator[Variant]:
    """Make a fault of each row: its id, what it says, its clauses without the contract's name, its reader."""
    for name, says, clauses, reader in rows:
        named = tuple(f"API-{clause}" for clause in clauses.split())
        yield Variant(id=name, says=says, clauses=named, build=reading(reader))


def variation(name: str, says: str, reader: type[QueryReader]) -> Variant:
    """Make a variation that every clause about pages comes close to noticing."""
    clauses = ("240.a", "240.b", "240.c", "240.d", "240.e", "240.f", "240.g", "240.h", "241.a", "241.c", "242.a")
    named = tuple(f"API-{clause}" for clause in clauses)
    return Variant(id=name, says=says, clauses=named, build=reading(reader), kind="variation")


VARIANTS: tuple[Variant, ...] = (
    *faults(
        ("B120", "a page begins with the envelope at the cursor", "240.a", FromTheCursor),
        ("B350", "a cursor that is no id of its topic reads from the start", "240.a", CursorIsARow),
        ("B121", "the limit is applied to each topic", "240.b 241.c", LimitPerTopic),
        ("B122", "a topic named twice is shown twice", "240.c", EntryByEntry),
        ("B123", "a cut page holds the newest envelopes", "240.d 240.h", NewestFirst),
        ("B125", "envelopes below the cursor take up room in the limit", "240.e 240.h", FilterAfterLimit),
        ("B351", "an empty topic ends the page", "240.e", StopsAtEmptyTopic),
        ("B126", "a full page always says has_more", "240.f 240.h", FullMeansMore),
        ("B129", "a page too long in bytes is trimmed to fit", "240.i 283.a", TrimmedToFit),
    ),
    Variant(
        id="B128",
        says="has_more comes from a read after the one of the page",
        clauses=("API-240.g",),
        build=reading(MoreFromALaterRead),
        racy=True,
    ),
    Variant(
        id="B352",
        says="has_more comes from a read before the one of the page",
        clauses=("API-240.g",),
        build=reading(MoreFromAnEarlierRead),
        racy=True,
    ),
    variation("V05", "a page takes turns among the topics, the last one first", TurnByTurn),
    variation("V06", "a page is sorted over all topics", GloballySorted),
)
