from __future__ import annotations

import pytest

from conformance.craft import topics
from conformance.craft.commit_log import new_entry
from conformance.craft.draw import Draw
from conformance.craft.group_message import content_type_of, group_envelope, new_message
from conformance.craft.group_shapes import LEFT_OPEN, SHAPES, Shape
from conformance.craft.mls_framing import private_message, public_message, read_frame
from conformance.craft.mls_objects import commit, key_package
from conformance.craft.topics import MALFORMED_TOPIC_NAMES, Kind, kind_of, malformed_topics, topic_of
from conformance.craft.welcome import new_welcome, pointer_envelope
from conformance.pb import association_pb2, backend_pb2

ALL_SHAPES = [*SHAPES.values(), *LEFT_OPEN.values()]


@pytest.fixture
def draw() -> Draw:
    return Draw(7, b"topics")


def test_each_kind_is_laid_out_as_kind_byte_and_identifier(draw: Draw) -> None:
    short, long = draw.group_id(), draw.installation_key()
    made = {
        topics.group_topic(short): b"\x00" + short,
        topics.welcome_topic(long): b"\x01" + long,
        topics.identity_topic(long.hex()): b"\x02" + long,
        topics.key_package_topic(long): b"\x03" + long,
        topics.commit_log_topic(short): b"\x04" + short,
    }
    assert all(name == expected for name, expected in made.items())
    assert [kind_of(name) for name in made] == list(Kind)


def test_the_topic_of_an_envelope_follows_from_its_payload(draw: Draw) -> None:
    short, long = draw.group_id(), draw.installation_key()
    envelopes = {
        Kind.GROUP_MESSAGE: new_message(draw, short),
        Kind.WELCOME: new_welcome(draw, long),
        Kind.IDENTITY_UPDATE: backend_pb2.ClientEnvelope(
            identity_update=association_pb2.IdentityUpdate(inbox_id=long.hex().upper())
        ),
        Kind.KEY_PACKAGE: backend_pb2.ClientEnvelope(
            key_package=backend_pb2.KeyPackage(key_package_tls_serialized=key_package(signature_key=long))
        ),
        Kind.COMMIT_LOG: new_entry(draw, short),
    }
    for kind, envelope in envelopes.items():
        identifier = short if topics.IDENTIFIER_BYTES[kind] == 16 else long
        assert topic_of(envelope) == topic_of(envelope.SerializeToString()) == bytes([kind]) + identifier
    assert topic_of(pointer_envelope(long)) == b"\x01" + long


ON_NO_TOPIC = {
    "payload-unset": backend_pb2.ClientEnvelope(),
    "version-unset": backend_pb2.ClientEnvelope(welcome_message=backend_pb2.WelcomeMessage()),
    "inbox-with-spaces": backend_pb2.ClientEnvelope(
        identity_update=association_pb2.IdentityUpdate(inbox_id="ab " * 22)
    ),
    "inbox-of-spaces-and-64-digits": backend_pb2.ClientEnvelope(
        identity_update=association_pb2.IdentityUpdate(inbox_id=" " + "ab" * 32)
    ),
    "key-package-cut": backend_pb2.ClientEnvelope(
        key_package=backend_pb2.KeyPackage(key_package_tls_serialized=b"\x00\x01\x00\x03")
    ),
    "data-empty": group_envelope(b""),
    "group-id-short": group_envelope(private_message(b"1" * 15)),
    "cut-before-content-type": group_envelope(private_message(b"1" * 16)[:29]),
    "not-group-framing": group_envelope(private_message(b"1" * 16, wire_format=5)),
}


@pytest.mark.parametrize("envelope", ON_NO_TOPIC.values(), ids=ON_NO_TOPIC.keys())
def test_an_envelope_that_belongs_on_no_topic_has_none(envelope: backend_pb2.ClientEnvelope) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each of the cases has a sentence of its own
        topic_of(envelope)


def test_every_malformed_topic_breaks_the_layout_in_a_way_of_its_own(draw: Draw) -> None:
    made = malformed_topics(draw)
    assert tuple(made) == MALFORMED_TOPIC_NAMES
    assert len({(name[:1], len(name)) for name in made.values()}) == len(made)
    for name in made.values():
        with pytest.raises(ValueError, match="is no topic"):
            kind_of(name)


@pytest.mark.parametrize("shape", ALL_SHAPES, ids=str)
def test_every_shape_says_its_group_and_content_type_in_the_clear(shape: Shape, draw: Draw) -> None:
    group_id = draw.group_id()
    framed = read_frame(shape.data(group_id))
    assert (framed.group_id, framed.content_type) == (group_id, shape.content_type)
    assert (framed.wire_format.name == "PRIVATE_MESSAGE") == shape.is_private
    assert content_type_of(group_envelope(shape.data(group_id))) == shape.content_type
    assert content_type_of(new_welcome(draw, draw.installation_key())) is None


def test_the_smallest_messages_have_the_sizes_the_layout_gives() -> None:
    group_id = b"1" * 16
    assert len(private_message(group_id, encrypted_sender_data=b"", ciphertext=b"")) == 33
    smallest_commit = public_message(
        group_id, content_type=3, content=commit(), signature=b"", confirmation_tag=b"", membership_tag=b""
    )
    assert len(smallest_commit) == 41
