from __future__ import annotations

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.claims import claiming_metadata
from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded, encodings, padded
from conformance.craft.neighbours import neighbours
from conformance.craft.plans import Cast, EnvelopePlan
from conformance.craft.strategies import envelope_plans
from conformance.craft.topics import topic_of
from conformance.craft.welcome import negative_enum_welcome
from conformance.pb import association_pb2, backend_pb2, signature_pb2

SIGNATURE = signature_pb2.Signature(
    erc_6492=signature_pb2.SmartContractWalletSignature(account_id="é:1", block_number=9)
)
IDENTITY_UPDATE = backend_pb2.ClientEnvelope(
    identity_update=association_pb2.IdentityUpdate(
        inbox_id="ab" * 32,
        client_timestamp_ns=1 << 62,
        actions=[
            association_pb2.IdentityAction(
                create_inbox=association_pb2.CreateInbox(
                    initial_identifier="0x", initial_identifier_signature=SIGNATURE, relying_party=""
                )
            ),
            association_pb2.IdentityAction(
                add=association_pb2.AddAssociation(
                    new_member_identifier=association_pb2.MemberIdentifier(installation_public_key=b""),
                    new_member_signature=SIGNATURE,
                )
            ),
        ],
    )
)
REQUEST = backend_pb2.QueryRequest(
    limit=3,
    queries=[
        backend_pb2.TopicQuery(topic=backend_pb2.Topic(topic=b"t"), cursor=backend_pb2.Cursor()),
        backend_pb2.TopicQuery(),
    ],
)


def assert_all_encodings_read_the_same(message: Message) -> None:
    assert encoded(message) == message.SerializeToString(deterministic=True)
    forms = encodings(message)
    assert forms
    for name, form in forms.items():
        read = type(message).FromString(form)
        assert read == message, name
        # equal and with nothing besides: no unknown field crept in
        assert read.SerializeToString(deterministic=True) == message.SerializeToString(deterministic=True), name


@given(plan=envelope_plans(largest=300), seed=st.integers(0, 1000))
def test_every_encoding_of_an_envelope_reads_as_the_same_value(plan: EnvelopePlan, seed: int) -> None:
    assert_all_encodings_read_the_same(Cast(Draw(seed, b"encodings")).envelope(plan))


@pytest.mark.parametrize("message", [IDENTITY_UPDATE, REQUEST], ids=["identity-update", "request"])
def test_every_encoding_of_nested_and_repeated_fields_reads_as_the_same_value(message: Message) -> None:
    assert_all_encodings_read_the_same(message)
    assert encodings(message).keys() >= FORMS.keys() - {"rivalled-oneofs"}


def test_every_form_occurs_on_an_envelope_and_differs_from_the_plain_one() -> None:
    assert encodings(IDENTITY_UPDATE).keys() == FORMS.keys()
    assert len(set(encodings(IDENTITY_UPDATE).values())) == len(FORMS)


def test_a_message_with_unknown_fields_has_no_other_encoding() -> None:
    envelope = backend_pb2.ClientEnvelope.FromString(padded(b"", 20))
    with pytest.raises(ValueError, match="unknown fields"):
        encodings(envelope)


@given(plain=st.binary(max_size=300), room=st.integers(3, 70_000))
def test_padding_hits_the_length_and_changes_no_known_field(plain: bytes, room: int) -> None:
    message = backend_pb2.GroupMessage(data=plain)
    before = message.SerializeToString()
    after = padded(before, len(before) + room)
    assert len(after) == len(before) + room
    assert backend_pb2.GroupMessage.FromString(after).data == plain
    assert padded(before, len(before)) == before


@pytest.mark.parametrize("room", [-1, 1, 2])
def test_padding_says_when_there_is_no_room(room: int) -> None:
    with pytest.raises(ValueError, match="cannot be padded"):
        padded(b"1234", 4 + room)


@given(data=st.binary(max_size=400))
def test_a_negative_enum_in_five_bytes_grows_by_five_or_more_when_encoded_again(data: bytes) -> None:
    wire = negative_enum_welcome(b"\x01" * 32, data=data)
    read = backend_pb2.ClientEnvelope.FromString(wire)
    assert read.welcome_message.v1.wrapper_algorithm == -1
    assert 5 <= read.ByteSize() - len(wire) <= 16


@given(plan=envelope_plans(largest=300), seed=st.integers(0, 1000))
def test_a_neighbour_differs_in_value_and_stays_on_the_topic(plan: EnvelopePlan, seed: int) -> None:
    envelope = Cast(Draw(seed, b"neighbours")).envelope(plan)
    found = neighbours(envelope)
    values = [envelope, *found.values()]
    assert len(found) >= 3
    assert len({each.SerializeToString(deterministic=True) for each in values}) == len(values)
    assert {topic_of(each) for each in values} == {topic_of(envelope)}


@given(plan=envelope_plans(largest=300), seed=st.integers(0, 1000))
def test_claimed_metadata_changes_no_field_an_envelope_has(plan: EnvelopePlan, seed: int) -> None:
    envelope = Cast(Draw(seed, b"claims")).envelope(plan)
    claims = claiming_metadata(envelope)
    for form in claims.values():
        read = backend_pb2.ClientEnvelope.FromString(form)
        assert read.SerializeToString() != envelope.SerializeToString()
        read.DiscardUnknownFields()
        assert read == envelope
    assert len({*claims.values(), encoded(envelope)}) == 4


def test_an_envelope_without_a_payload_claims_nothing() -> None:
    with pytest.raises(ValueError, match="claim nothing"):
        claiming_metadata(backend_pb2.ClientEnvelope())


def test_only_unsigned_envelopes_have_neighbours() -> None:
    for envelope in (
        IDENTITY_UPDATE,
        backend_pb2.ClientEnvelope(),
        backend_pb2.ClientEnvelope(welcome_message=backend_pb2.WelcomeMessage()),
    ):
        with pytest.raises(ValueError, match="neighbours"):
            neighbours(envelope)
