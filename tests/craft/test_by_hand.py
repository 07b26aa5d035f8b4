"""What is written by hand from the numbers of the contract is what generated types write, with every field filled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.by_hand import ENVELOPES, newest_request, query_request
from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.topics import topic_of
from conformance.pb import backend_pb2, commit_log_pb2

topics = st.lists(st.binary(min_size=1, max_size=33), max_size=4)


def unfilled(message: Message) -> Iterator[str]:
    """Name the fields that are left at their default, members of a oneof that are not chosen aside."""
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.containing_oneof is not None and not message.HasField(field.name):
            continue
        if isinstance(value, Message):
            yield from unfilled(value)
        elif not value:
            yield field.full_name


@pytest.mark.parametrize("name", ENVELOPES)
def test_an_envelope_by_hand_is_a_whole_envelope_of_its_kind(name: str) -> None:
    draw = Draw(1, name.encode())
    written, other = ENVELOPES[name](draw), ENVELOPES[name](draw)
    envelope = backend_pb2.ClientEnvelope.FromString(written)
    assert encoded(envelope) == written
    assert not list(unfilled(envelope))
    assert topic_of(written) != topic_of(other)
    if name == "commit-log-entry":
        entry = commit_log_pb2.PlaintextCommitLogEntry.FromString(envelope.commit_log_entry.serialized_commit_log_entry)
        assert not list(unfilled(entry))


@given(names=topics, cursors=st.lists(st.none() | st.integers(0, 1 << 63), min_size=4), limit=st.integers(0, 1 << 31))
def test_a_query_by_hand_is_the_query_meant(names: list[bytes], cursors: list[int | None], limit: int) -> None:
    entries = list(zip(names, cursors, strict=False))
    read = backend_pb2.QueryRequest.FromString(query_request(entries, limit=limit))
    assert read.limit == limit
    assert [
        (entry.topic.topic, entry.cursor.sequence_id if entry.HasField("cursor") else None) for entry in read.queries
    ] == entries


@given(names=topics, full=st.booleans())
def test_a_query_for_the_newest_by_hand_is_the_query_meant(names: list[bytes], full: bool) -> None:
    read = backend_pb2.QueryNewestRequest.FromString(newest_request(names, full=full))
    assert ([topic.topic for topic in read.topics], read.include_full_envelope) == (names, full)
