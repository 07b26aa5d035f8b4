"""Query and QueryNewest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from google.protobuf.message import DecodeError

from conformance.pb.backend_pb2 import QueryNewestRequest, QueryRequest, Topic
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.settings import Limits
from conformance.reference.backend.store import Store, Stored, View
from conformance.reference.backend.topics import KEY_PACKAGE, Topics


class QueryReader:
    """Serves Query (API-240 through API-243)."""

    def __init__(self, *, store: Store, bounds: Bounds, topics: Topics, responses: Responses, limits: Limits) -> None:
        self.store = store
        self.bounds = bounds
        self.topics = topics
        self.responses = responses
        self.limits = limits

    def answer(self, request: bytes) -> bytes:
        """Serve one request."""
        try:
            query = QueryRequest.FromString(request)
        except DecodeError as error:
            raise Failure(Code.INVALID_ARGUMENT, "the request is not a QueryRequest") from error
        self.check(query)
        with self.view() as view:
            rows, has_more = self.select(view, self.positions(query), self.effective_limit(query.limit))
        return self.responses.page(rows, has_more=has_more).SerializeToString()

    def check(self, query: QueryRequest) -> None:
        """Refuse a request past its bound, with a malformed or a key package topic, or with a cursor out of range."""
        self.bounds.query_entries(len(query.queries))
        for entry in query.queries:
            self.check_topic(entry.topic.topic)
            self.bounds.cursor(entry.cursor.sequence_id)

    def check_topic(self, topic: bytes) -> None:
        """Refuse a topic that Query does not page (API-243, TOPIC-003)."""
        self.topics.check_named(topic)
        if topic[0] == KEY_PACKAGE:
            raise Failure(Code.INVALID_ARGUMENT, "key package topics are read with QueryNewest only")

    def view(self) -> AbstractContextManager[View]:
        """Open the view to read: everything committed, because Query reads its own writes (API-202)."""
        return self.store.current()

    def positions(self, query: QueryRequest) -> Mapping[bytes, int]:
        """Return the cursor of each distinct topic: the lowest one supplied for it (API-242)."""
        cursors: dict[bytes, int] = {}
        for entry in query.queries:
            topic, cursor = entry.topic.topic, entry.cursor.sequence_id
            cursors[topic] = min(cursor, cursors.get(topic, cursor))
        return cursors

    def effective_limit(self, limit: int) -> int:
        """Return the default for 0, never above the ceiling (API-241)."""
        return min(limit or self.limits.default_query_limit, self.limits.max_query_limit)

    def select(self, view: View, positions: Mapping[bytes, int], limit: int) -> tuple[Sequence[Stored], bool]:
        """Pick the rows of the page, topic by topic; beside them whether more were eligible than the limit."""
        rows: list[Stored] = []
        for topic, cursor in positions.items():
            rows += view.after(topic, cursor, limit + 1 - len(rows))
            if len(rows) > limit:
                return rows[:limit], True
        return rows, False


class NewestReader:
    """Serves QueryNewest (API-244)."""

    def __init__(self, *, store: Store, bounds: Bounds, topics: Topics, responses: Responses) -> None:
        self.store = store
        self.bounds = bounds
        self.topics = topics
        self.responses = responses

    def answer(self, request: bytes) -> bytes:
        """Serve one request."""
        try:
            query = QueryNewestRequest.FromString(request)
        except DecodeError as error:
            raise Failure(Code.INVALID_ARGUMENT, "the request is not a QueryNewestRequest") from error
        self.check(query)
        with self.view() as view:
            rows = self.select(view, self.distinct(query.topics), full=query.include_full_envelope)
        return self.responses.newest(rows).SerializeToString()

    def check(self, query: QueryNewestRequest) -> None:
        """Refuse a request past its bound or with a malformed topic."""
        self.bounds.newest_entries(len(query.topics), full=query.include_full_envelope)
        for topic in query.topics:
            self.topics.check_named(topic.topic)

    def view(self) -> AbstractContextManager[View]:
        """Open the view to read, which may lag a publish the client holds a receipt for (API section 1)."""
        return self.store.copy()

    def distinct(self, topics: Iterable[Topic]) -> Sequence[bytes]:
        """Each requested topic once, in request order."""
        return list(dict.fromkeys(topic.topic for topic in topics))

    def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Return the newest envelope of each topic that has one, its payload only when it was asked for."""
        newest = (view.newest(topic, payload=full) for topic in topics)
        return [stored for stored in newest if stored is not None]
