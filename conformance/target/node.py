"""The verbs of one endpoint: publish, the reads of topics and identities, and reading a topic to its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.pb import backend_pb2
from conformance.target import stream_opening
from conformance.target.answers import Configured, Newest, Page, Published, Resolved, Verified
from conformance.target.limits import Limits
from conformance.target.refusals import UnexpectedAnswer
from conformance.target.stream_opening import UnreadSubscription
from conformance.target.stream_requests import static_request
from conformance.target.streams import StaticSubscription, Subscription
from conformance.wire import methods
from conformance.wire.channel import DEFAULT_DEADLINE_S, Connection
from conformance.wire.transcript import Call, Code, Seen
from conformance.wire.walk import WireError, submessages
from conformance.wire.write import bytes_field

if TYPE_CHECKING:
    from conformance.target.web import WebNode

KEY_PACKAGE_KIND = 0x03

# A topic of a test holds far fewer pages; more of them mean that paging runs in a circle.
MOST_PAGES = 1000


@dataclass(frozen=True)
class Position:
    """A topic and where to read on: above `cursor`, or from the start with no cursor on the wire when it is None.

    A `topic` of None is no topic on the wire, as an entry must not be (API-240).
    """

    topic: bytes | None
    cursor: int | None = None


class Node:
    """One endpoint of a deployment as a client sees it.

    No verb raises for a status: the answer holds it, and reading facts out of the answer demands success.
    `deadline_s` (seconds) is this side's patience for one call.
    """

    def __init__(self, connection: Connection, limits: Limits, *, deadline_s: float = DEFAULT_DEADLINE_S) -> None:
        self.connection = connection
        self.limits = limits
        self.deadline_s = deadline_s

    def publish(self, *envelopes: backend_pb2.ClientEnvelope | bytes) -> Published:
        """Publish `envelopes` in one request; bytes are an encoded ClientEnvelope and go out exactly as given."""
        return Published(call=self.raw(methods.PUBLISH, _publish_request(envelopes)), sent=len(envelopes))

    def publish_abandoned(
        self, *envelopes: backend_pb2.ClientEnvelope | bytes, after_s: float, disconnect: bool = False
    ) -> Published:
        """Publish as `publish` does, but after `after_s` seconds cancel the call, or with `disconnect` hang up.

        A node that has hung up can do nothing any more: use one of `Deployment.fresh_node`.
        """
        request = _publish_request(envelopes)
        call = self.connection.unary_abandoned(methods.PUBLISH, request, after_s=after_s, disconnect=disconnect)
        return Published(call=call, sent=len(envelopes))

    def publish_raw(self, request: bytes) -> Published:
        """Publish `request`, an encoded PublishRequest or something that only looks like one."""
        sent: int | None
        try:
            sent = len(submessages(request, 1))
        except WireError:
            sent = None
        return Published(call=self.raw(methods.PUBLISH, request), sent=sent)

    def query(self, *topics: bytes | Position, limit: int = 0) -> Page:
        """Read one page of `topics`, each from its position; bare bytes mean from the start. 0 is the default limit."""
        request = backend_pb2.QueryRequest(limit=limit)
        for item in topics:
            position = item if isinstance(item, Position) else Position(item)
            entry = request.queries.add()
            if position.topic is not None:
                entry.topic.topic = position.topic
            if position.cursor is not None:
                entry.cursor.sequence_id = position.cursor
        return Page(call=self.raw(methods.QUERY, request.SerializeToString(deterministic=True)))

    def newest(self, *topics: bytes, full: bool = False) -> Newest:
        """Read the newest envelope of each of `topics`, with its payload when `full`."""
        request = backend_pb2.QueryNewestRequest(
            topics=[backend_pb2.Topic(topic=topic) for topic in topics], include_full_envelope=full
        )
        return Newest(call=self.raw(methods.QUERY_NEWEST, request.SerializeToString(deterministic=True)))

    def query_raw(self, request: bytes) -> Page:
        """Send `request`, an encoded QueryRequest, exactly as given."""
        return Page(call=self.raw(methods.QUERY, request))

    def newest_raw(self, request: bytes) -> Newest:
        """Send `request`, an encoded QueryNewestRequest, exactly as given."""
        return Newest(call=self.raw(methods.QUERY_NEWEST, request))

    def inbox_ids(self, request: backend_pb2.GetInboxIdsRequest) -> Resolved:
        """Look inboxes up by wallet, passkey or handle (API-270, API-299)."""
        return Resolved(call=self.raw(methods.GET_INBOX_IDS, request.SerializeToString(deterministic=True)))

    def verify_wallets(self, request: backend_pb2.VerifySmartContractWalletSignaturesRequest) -> Verified:
        """Have signatures of contract wallets verified by their chain (API-271)."""
        data = request.SerializeToString(deterministic=True)
        return Verified(call=self.raw(methods.VERIFY_SMART_CONTRACT_WALLET_SIGNATURES, data))

    def configuration(self) -> Configured:
        """Ask for the published configuration."""
        return Configured(call=self.raw(methods.GET_CONFIGURATION, b""))

    def subscribe(self, *, answer_pings: bool = True) -> Subscription:
        """Open a Subscribe stream; without `answer_pings` the Pings of the backend are left to the test.

        A context manager: leaving it cancels the call.
        """
        return stream_opening.subscribe(self.connection, answer_pings=answer_pings)

    def subscribe_static(self, *topics: bytes | Position) -> StaticSubscription:
        """Open a SubscribeStatic stream for `topics`, each from its position; bare bytes carry no cursor."""
        return self.subscribe_static_raw(static_request(topics))

    def subscribe_static_raw(self, request: bytes) -> StaticSubscription:
        """Open a SubscribeStatic stream with `request` exactly as given."""
        return stream_opening.subscribe_static(self.connection, request)

    def subscribe_unread(self, *, window_bytes: int = 65_535) -> UnreadSubscription:
        """Open a Subscribe stream on a connection of its own that stops reading after so many bytes, until told."""
        return stream_opening.subscribe_unread(self.connection, window_bytes=window_bytes)

    def web(self) -> WebNode:
        """Return the same endpoint as a page of another origin reaches it, over gRPC-Web; a context manager."""
        from conformance.target.web import WebNode  # noqa: PLC0415 - it builds on this class, and few tests need it

        return WebNode(self)

    def raw(self, method: str, request: bytes) -> Call:
        """Send `request` to `method` ("/package.Service/Method") as it is."""
        return self.connection.unary(method, request, deadline_s=self.deadline_s)

    def read_all(self, topic: bytes) -> tuple[Seen, ...]:
        """Return everything that is visible on `topic`, paged to the end through Query.

        Query does not serve key package topics (API-243): of those only the newest envelope is returned.
        Raises what `Answer.ok` raises, and UnexpectedAnswer when paging makes no progress.
        """
        if topic[:1] == bytes([KEY_PACKAGE_KIND]):
            return self.newest(topic, full=True).results
        return tuple(self._pages(topic))

    def envelopes_on(self, *topics: bytes) -> tuple[Seen, ...]:
        """Return everything that is visible on each distinct topic of `topics`, topic after topic."""
        return tuple(seen for topic in dict.fromkeys(topics) for seen in self.read_all(topic))

    def _pages(self, topic: bytes) -> Iterator[Seen]:
        cursor: int | None = None
        limit = self.limits.max_query_limit
        for _ in range(MOST_PAGES):
            page = self.query(Position(topic, cursor), limit=limit)
            if page.status.code is Code.OUT_OF_RANGE and limit > 1:
                # Lawful: a page longer than max_response_bytes fails as a whole (API-283). Ask for less.
                limit //= 2
                continue
            yield from page.seen
            if not page.has_more:
                return
            reached = max((seen.meta.sequence_id for seen in page.of(topic)), default=0)
            if reached <= (cursor or 0):
                where = f"above {cursor}" if cursor else "at its start"
                raise UnexpectedAnswer(
                    page.call, f"Paging topic {topic.hex()} did not end: has_more, but nothing {where} was answered."
                )
            cursor = reached
        raise UnexpectedAnswer(page.call, f"Paging topic {topic.hex()} did not end after {MOST_PAGES} pages.")

    def close(self) -> None:
        """Close the connection of this node."""
        self.connection.close()


def _publish_request(envelopes: Iterable[backend_pb2.ClientEnvelope | bytes]) -> bytes:
    return b"".join(
        bytes_field(1, item if isinstance(item, bytes) else item.SerializeToString(deterministic=True))
        for item in envelopes
    )
