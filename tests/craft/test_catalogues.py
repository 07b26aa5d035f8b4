from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError

from conformance.craft.accepted import ACCEPTED
from conformance.craft.catalogue import Accepted, Malformed, by_name
from conformance.craft.draw import Draw
from conformance.craft.group_shapes import SHAPES, Shape, strict_prefixes
from conformance.craft.malformed import MALFORMED
from conformance.craft.topics import Kind, kind_of, topic_of
from conformance.pb import backend_pb2

GROUP_CLAUSES = {"API-230.c", "API-230.d", "API-230.e"}


@pytest.mark.parametrize("case", MALFORMED.values(), ids=str)
def test_a_malformed_envelope_stands_beside_a_twin_that_belongs_on_a_topic(case: Malformed) -> None:
    pair = case.build(Draw(3, b"malformed"))
    assert kind_of(topic_of(pair.twin)) is case.kind
    assert pair.broken != pair.twin
    assert case.reason == backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD
    # the request around it must decode, so that the refusal is admission's and names this envelope
    backend_pb2.ClientEnvelope.FromString(pair.broken)


def test_what_breaks_an_identifier_leaves_the_envelope_on_no_topic() -> None:
    for case in MALFORMED.values():
        if case.clause in {"API-230.a", "API-230.b", "API-230.n"}:
            with pytest.raises((ValueError, DecodeError)):
                topic_of(case.build(Draw(3, b"malformed")).broken)


@pytest.mark.parametrize("case", ACCEPTED.values(), ids=str)
def test_an_odd_envelope_belongs_on_a_topic_and_is_new_each_time(case: Accepted) -> None:
    draw = Draw(3, b"accepted")
    one, other = case.build(draw), case.build(draw)
    assert kind_of(topic_of(one)) is case.kind
    assert topic_of(one) != topic_of(other)
    assert (case.clause in GROUP_CLAUSES) == (case.kind is Kind.GROUP_MESSAGE)


def test_no_odd_envelope_is_also_a_malformed_one() -> None:
    broken = {case.build(Draw(3, b"same")).broken for case in MALFORMED.values()}
    assert not broken & {case.build(Draw(3, b"same")).SerializeToString() for case in ACCEPTED.values()}
    assert len({case.build(Draw(3, b"same")).broken for case in MALFORMED.values()}) >= len(MALFORMED) - 4


@pytest.mark.parametrize("shape", SHAPES.values(), ids=str)
def test_the_strict_prefixes_of_a_message_are_all_of_them_and_never_the_message(shape: Shape) -> None:
    data = shape.data(b"1" * 16)[:200]
    assert list(strict_prefixes(data)) == [data[:size] for size in range(len(data))]


def test_two_entries_of_one_name_are_no_catalogue() -> None:
    entry = next(iter(ACCEPTED.values()))
    with pytest.raises(ValueError, match="share a name"):
        by_name(entry, entry)
