"""Requests that bring about a row of the status table, for deployments with small limits and no outage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.encodings import padded
from conformance.craft.identity.wallet import Wallet
from conformance.craft.malformed import MALFORMED
from conformance.craft.sizes import envelope_of, longest_within, request_bytes
from conformance.craft.tiny import tiny_envelope, too_long_to_answer
from conformance.craft.topics import Kind, group_topic, key_package_topic
from conformance.pb import backend_pb2
from conformance.suite.api.s3_publish.judging import works
from conformance.suite.api.s6_identity.inboxes import asked, entry
from conformance.suite.api.s7_bounds.calls import RPCS, Rpc
from conformance.target.errors import Missing
from conformance.target.node import Node
from conformance.wire.transcript import Code

LAST_SEQUENCE_ID = (1 << 63) - 1
Make = Callable[[Node, Draw], bytes]


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition of the status table, as a request of one call brings it about."""

    rpc: Rpc
    code: Code
    make: Make


def _query(*entries: tuple[bytes, int | None], limit: int = 0) -> bytes:
    request = backend_pb2.QueryRequest(limit=limit)
    for topic, cursor in entries:
        added = request.queries.add()
        added.topic.topic = topic
        if cursor is not None:
            added.cursor.sequence_id = cursor
    return request.SerializeToString()


def _newest(*topics: bytes, full: bool = False) -> bytes:
    named = [backend_pb2.Topic(topic=topic) for topic in topics]
    return backend_pb2.QueryNewestRequest(topics=named, include_full_envelope=full).SerializeToString()


def _topics(draw: Draw, count: int) -> list[bytes]:
    return [group_topic(draw.group_id()) for _ in range(count)]


def _messages(draw: Draw, count: int) -> bytes:
    return request_bytes([new_envelope(draw, Kind.GROUP_MESSAGE) for _ in range(count)])


def _wallets(draw: Draw, count: int) -> bytes:
    return asked(*(entry(Wallet.drawn(draw)) for _ in range(count))).SerializeToString()


def _full_page(node: Node, draw: Draw) -> bytes:
    """Publish so many of the longest envelopes that one page of them is too long."""
    longest, group_id = longest_within(Kind.GROUP_MESSAGE, node.limits.max_envelope_bytes), draw.group_id()
    count = node.limits.max_response_bytes // longest + 1
    if count > node.limits.max_query_limit:
        raise Missing("limits", f"no page of up to {node.limits.max_query_limit} envelopes is too long")
    for _ in range(count):
        node.publish(envelope_of(draw, Kind.GROUP_MESSAGE, group_id, longest)).ok()
    return _query((group_topic(group_id), None), limit=count)


def _publish_too_long_to_answer(node: Node, draw: Draw) -> bytes:
    works(node, draw)
    tiny, limits = tiny_envelope(draw, Kind.GROUP_MESSAGE, draw.group_id()), node.limits
    return request_bytes(
        too_long_to_answer(
            [tiny], max_request_bytes=limits.max_request_bytes, max_response_bytes=limits.max_response_bytes
        )
    )


def _invalid(name: str, make: Make) -> Condition:
    return Condition(rpc=RPCS[name], code=Code.INVALID_ARGUMENT, make=make)


def _too_long(name: str, make: Make) -> Condition:
    return Condition(rpc=RPCS[name], code=Code.OUT_OF_RANGE, make=make)


def _padded(rpc: Rpc) -> Make:
    return lambda node, draw: padded(rpc.served(draw), node.limits.max_request_bytes + 1)


INVALID: Mapping[str, Condition] = {
    "envelope-without-payload": _invalid(
        "publish", lambda _, draw: request_bytes([MALFORMED["payload-unset"].build(draw).broken])
    ),
    "topics-of-a-publish": _invalid("publish", lambda node, draw: _messages(draw, node.limits.max_publish_topics + 1)),
    "entries-of-a-query": _invalid(
        "query",
        lambda node, draw: _query(*((name, None) for name in _topics(draw, node.limits.max_query_topics + 1))),
    ),
    "topic-cut-short": _invalid("query", lambda _, draw: _query((_topics(draw, 1)[0][:-1], None))),
    "key-package-topic": _invalid("query", lambda _, draw: _query((key_package_topic(draw.installation_key()), None))),
    "cursor-above-all": _invalid("query", lambda _, draw: _query((_topics(draw, 1)[0], LAST_SEQUENCE_ID + 1))),
    "topics-of-a-newest-read": _invalid(
        "newest", lambda node, draw: _newest(*_topics(draw, node.limits.max_newest_metadata_topics + 1))
    ),
    "newest-of-a-topic-cut-short": _invalid("newest", lambda _, draw: _newest(_topics(draw, 1)[0][:-1], full=True)),
    "entries-of-a-lookup": _invalid(
        "lookup", lambda node, draw: _wallets(draw, node.limits.max_lookup_identifiers + 1)
    ),
}
TOO_LONG: Mapping[str, Condition] = {
    **{f"{name}-on-the-wire": _too_long(name, _padded(rpc)) for name, rpc in RPCS.items()},
    "page": _too_long("query", _full_page),
    "receipts": _too_long("publish", _publish_too_long_to_answer),
}
