"""Whole answers of a publish, judged by the oracle: refused for the right fault, taken, stored as sent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from conformance.craft.accepted import ACCEPTED
from conformance.craft.any_kind import new_envelope
from conformance.craft.encodings import encoded
from conformance.craft.malformed import MALFORMED
from conformance.craft.topics import Kind, kind_of, topic_of
from conformance.craft.two_lengths import shrinking_request
from conformance.craft.welcome import negative_enum_welcome
from conformance.oracle import publish
from conformance.oracle.absence import nothing_stored
from conformance.oracle.entries import stored_as_sent
from conformance.oracle.publish import Refusal, at
from conformance.pb import backend_pb2
from conformance.target.backend_clock import BackendClock
from conformance.target.errors import Missing
from conformance.target.settled import settled_newest
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.craft.catalogue import Accepted, Malformed
    from conformance.craft.draw import Draw
    from conformance.suite import Notes
    from conformance.target.answers import Published
    from conformance.target.node import Node
    from conformance.wire.transcript import Meta, Seen

Envelope = backend_pb2.ClientEnvelope
_ROOM_FOR_PARTS = 256
MALFORMED_PAYLOAD = int(backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD)


def broken_by(clause: str) -> tuple[Malformed, ...]:
    """Pick the defects of the catalogue that a clause names."""
    return tuple(defect for defect in MALFORMED.values() if defect.clause == clause)


def odd_by(clause: str) -> tuple[Accepted, ...]:
    """Pick the odd but lawful envelopes of the catalogue that a clause names."""
    return tuple(odd for odd in ACCEPTED.values() if odd.clause == clause)


def backend_clock(node: Node, draw: Draw) -> BackendClock:
    """Tell the clock of the backend from the receipt of an ordinary message."""
    return BackendClock(node.publish(new_envelope(draw, Kind.GROUP_MESSAGE)))


def topics_of(*envelopes: Envelope | bytes) -> list[bytes]:
    """Name the topic of each envelope, in order."""
    return [topic_of(envelope) for envelope in envelopes]


def placed(others: Sequence[Envelope | bytes], envelope: Envelope | bytes, place: int) -> list[Envelope | bytes]:
    """Put an envelope among others, at the index `place` of the request."""
    return [*others[:place], envelope, *others[place:]]


def refused(answer: Published, expected: Refusal, *alternatives: Refusal) -> None:
    """Judge that a publish was refused and that its PublishError names the fault."""
    publish.refused(answer.call, answer.failure, answer.details_problem, expected, *alternatives)


def detailed(answer: Published, notes: Notes) -> None:
    """Judge that a publish ended INVALID_ARGUMENT with a PublishError; another code beside the detail is noted."""
    publish.detailed(answer.call, answer.failure, answer.details_problem)
    if answer.inner_code != answer.status.code:
        notes.add(f"The google.rpc.Status of an INVALID_ARGUMENT carries code {answer.inner_code}.")


def admitted(answer: Published) -> None:
    """Judge that a publish was taken."""
    publish.admitted(answer.call, answer.failure)


def stored(node: Node, answer: Published, sent: Collection[Envelope | bytes]) -> tuple[Meta, ...]:
    """Judge that a publish was taken and that reads show each envelope as sent; return its entries."""
    admitted(answer)
    stored_as_sent([wire(envelope) for envelope in sent], answer.metas, shown(node, *sent))
    return answer.metas


def shown(node: Node, *envelopes: Envelope | bytes) -> tuple[Seen, ...]:
    """Read the topics of envelopes that were published: with Query, and those of key packages with QueryNewest.

    Of a key package topic it shows the newest, once there is one: it has to be the only one (API-243, V02).
    """
    topics = list(dict.fromkeys(topics_of(*envelopes)))
    newest_only = [topic for topic in topics if kind_of(topic) is Kind.KEY_PACKAGE]
    newest = (settled_newest(node, topic, full=True).results for topic in newest_only)
    paged = node.envelopes_on(*(topic for topic in topics if topic not in newest_only))
    return (*paged, *(seen for results in newest for seen in results))


def refused_unlike_its_twin(node: Node, draw: Draw, defect: Malformed) -> None:
    """Judge that an envelope with a defect fails its request, which stores nothing, and that its twin is taken."""
    good, pair = new_envelope(draw, Kind.GROUP_MESSAGE), defect.build(draw)
    refused(node.publish(good, pair.broken), at(1, *defect.reasons))
    nothing_stored((), node.envelopes_on(*topics_of(good, pair.twin)))
    admitted(node.publish(good, pair.twin))


def stored_though_odd(node: Node, draw: Draw, odd: Accepted) -> None:
    """Judge that an odd envelope is taken and shown as it came; raise Missing where it exceeds the published bound."""
    envelope = odd.build(draw)
    if envelope.ByteSize() > node.limits.max_envelope_bytes:
        raise Missing("limits", f"an envelope of {envelope.ByteSize()} bytes exceeds max_envelope_bytes")
    stored(node, node.publish(envelope), [envelope])


def needs_growing_envelopes(node: Node, draw: Draw) -> None:
    """Raise Missing unless the backend keeps an enum of -1, without which no envelope grows when encoded again."""
    welcome = negative_enum_welcome(draw.installation_key())
    answer = node.publish(welcome)
    if answer.status.code is not Code.INVALID_ARGUMENT:
        answer.ok()
        if any(seen.envelope and len(seen.envelope) > len(welcome) for seen in node.read_all(topic_of(welcome))):
            return
    raise Missing("negative enum values", "this backend refuses them or writes them in five bytes")


def works(node: Node, draw: Draw) -> None:
    """Judge that a node stores a message, before something is tried on it that takes long."""
    message = new_envelope(draw, Kind.GROUP_MESSAGE)
    stored(node, node.publish(message), [message])


def needs_merged_parts(node: Node, draw: Draw, kind: Kind) -> None:
    """Raise Missing unless the backend reads a payload that comes in two parts, as shrinking requests have it."""
    envelope = new_envelope(draw, kind)
    answer = node.publish_raw(shrinking_request(envelope, len(encoded(envelope)) + _ROOM_FOR_PARTS))
    if answer.status.code is Code.INVALID_ARGUMENT:
        raise Missing("payloads in parts", "this backend refuses them")
    answer.ok()


def wire(envelope: Envelope | bytes) -> bytes:
    """Encode an envelope as it is published; bytes are taken to be encoded already."""
    return envelope if isinstance(envelope, bytes) else encoded(envelope)
