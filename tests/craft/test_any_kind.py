from __future__ import annotations

import pytest

from conformance.craft.any_kind import KINDS, new_envelope, new_identifier, one_of_each_kind
from conformance.craft.draw import Draw
from conformance.craft.sizes import exists, longest_within, request_bytes, shortest_above
from conformance.craft.strategies import UNSIGNED_KINDS
from conformance.craft.tiny import SHORTEST_ENTRY_BYTES, tiny_envelope, too_long_to_answer
from conformance.craft.topics import Kind, kind_of, topic, topic_of
from conformance.pb import backend_pb2

TINY_BYTES = 50


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.lower())
def test_an_envelope_of_a_kind_is_new_and_on_the_topic_asked_for(kind: Kind) -> None:
    draw = Draw(1, b"any kind")
    identifier = new_identifier(draw, kind)
    made = [new_envelope(draw, kind, identifier), new_envelope(draw, kind, identifier), new_envelope(draw, kind)]
    assert [topic_of(envelope) == topic(kind, identifier) for envelope in made] == [True, True, False]
    assert len({envelope.SerializeToString(deterministic=True) for envelope in made}) == len(made)
    assert kind_of(topic_of(made[2])) is kind


def test_a_key_package_needs_an_identifier_that_has_a_private_key() -> None:
    draw = Draw(1, b"any kind")
    with pytest.raises(KeyError):
        new_envelope(draw, Kind.KEY_PACKAGE, draw.identifier(32))


def test_one_of_each_kind_has_every_kind() -> None:
    assert [kind_of(topic_of(envelope)) for envelope in one_of_each_kind(Draw(1, b"each"))] == list(KINDS)


@pytest.mark.parametrize("kind", UNSIGNED_KINDS, ids=lambda kind: kind.name.lower())
def test_tiny_envelopes_are_shorter_than_the_shortest_entry_that_answers_them(kind: Kind) -> None:
    draw = Draw(1, b"tiny")
    identifier = new_identifier(draw, kind)
    sent = [tiny_envelope(draw, kind, identifier) for _ in range(4)]
    assert len({envelope.SerializeToString(deterministic=True) for envelope in sent}) == len(sent)
    assert {topic_of(envelope) for envelope in sent} == {topic(kind, identifier)}
    assert max(envelope.ByteSize() for envelope in sent) <= TINY_BYTES

    smallest = backend_pb2.EnvelopeMeta(
        cursor=backend_pb2.Cursor(sequence_id=1),
        server_ns=1 << 60,
        message_hash=backend_pb2.MessageHash(sha256=bytes(32)),
        topic=backend_pb2.Topic(topic=topic_of(sent[0])),
    )
    answer = backend_pb2.PublishResponse(envelope_metas=[smallest])
    assert answer.ByteSize() >= SHORTEST_ENTRY_BYTES
    request = too_long_to_answer(sent, max_request_bytes=65_536, max_response_bytes=65_536)
    assert len(request) * SHORTEST_ENTRY_BYTES > 65_536 >= len(request_bytes(request))


def test_a_request_that_cannot_be_short_enough_is_refused() -> None:
    draw = Draw(1, b"tiny")
    sent = [tiny_envelope(draw, Kind.WELCOME, draw.installation_key())]
    with pytest.raises(ValueError, match="no request of 1000 bytes"):
        too_long_to_answer(sent, max_request_bytes=1000, max_response_bytes=65_536)


@pytest.mark.parametrize("limit", [128, 130, 4096, 16_384, 16_387, 16_390, 1 << 20])
@pytest.mark.parametrize("kind", UNSIGNED_KINDS, ids=lambda kind: kind.name.lower())
def test_the_sizes_around_a_limit_exist_and_enclose_it(kind: Kind, limit: int) -> None:
    below, above = longest_within(kind, limit), shortest_above(kind, limit)
    assert below <= limit < above
    assert exists(kind, below)
    assert exists(kind, above)
    assert not any(exists(kind, size) for size in range(below + 1, above))
