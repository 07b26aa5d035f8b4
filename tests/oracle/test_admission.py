from __future__ import annotations

import pytest

from conformance.craft.accepted import ACCEPTED
from conformance.craft.catalogue import Accepted, Malformed
from conformance.craft.draw import Draw
from conformance.craft.group_shapes import LEFT_OPEN, SHAPES, Shape
from conformance.craft.key_package import new_key_package
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGES
from conformance.craft.key_package_malformed import MALFORMED_KEY_PACKAGES
from conformance.craft.key_package_shapes import ACCEPTED_KEY_PACKAGES, OPEN_KEY_PACKAGES
from conformance.craft.malformed import MALFORMED
from conformance.craft.topics import Kind, topic_of
from conformance.oracle import admission
from conformance.oracle.admission import Expectation
from conformance.pb import backend_pb2

NOW_S = 1_800_000_000
READ = (Kind.GROUP_MESSAGE, Kind.KEY_PACKAGE)
FAULTS = {**MALFORMED, **MALFORMED_KEY_PACKAGES, **INVALID_KEY_PACKAGES}
ODD = {**ACCEPTED, **ACCEPTED_KEY_PACKAGES}


def draw() -> Draw:
    return Draw(5, b"admission", now_s=lambda: NOW_S)


def expected(envelope: bytes) -> Expectation:
    message = backend_pb2.ClientEnvelope.FromString(envelope)
    if message.WhichOneof("payload") == "group_message":
        return admission.group_message(message.group_message.data)
    return admission.key_package(message.key_package.key_package_tls_serialized, now_s=NOW_S)


@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS.values() if fault.kind in READ and fault.clause != "API-230.a"], ids=str
)
def test_every_fault_of_the_catalogues_is_one_by_the_grammar_and_its_twin_is_none(fault: Malformed) -> None:
    pair = fault.build(draw())
    broken, twin = expected(pair.broken), expected(pair.twin)
    assert (broken.reasons, broken.may_be_taken, broken.open) == (frozenset(fault.reasons), False, ())
    assert twin == Expectation(topic=topic_of(pair.twin), is_commit_or_proposal=twin.is_commit_or_proposal)


@pytest.mark.parametrize("odd", [odd for odd in ODD.values() if odd.kind in READ], ids=str)
def test_every_odd_envelope_must_be_taken_by_the_grammar_too(odd: Accepted) -> None:
    envelope = odd.build(draw())
    found = expected(envelope.SerializeToString())
    assert found == Expectation(topic=topic_of(envelope), is_commit_or_proposal=found.is_commit_or_proposal)


@pytest.mark.parametrize("odd", OPEN_KEY_PACKAGES.values(), ids=str)
def test_what_is_open_about_a_key_package_is_named(odd: Accepted) -> None:
    found = expected(odd.build(draw()).SerializeToString())
    assert found.open
    assert found.may_be_taken
    assert found.reasons == {admission.MALFORMED_PAYLOAD, admission.INVALID_KEY_PACKAGE}


@pytest.mark.parametrize("shape", [*SHAPES.values(), *LEFT_OPEN.values()], ids=str)
def test_the_flag_follows_from_the_content_type_and_what_is_open_is_named(shape: Shape) -> None:
    found = admission.group_message(shape.data(b"g" * 16))
    assert bool(found.open) == (shape.name in LEFT_OPEN)
    assert found.open or found.is_commit_or_proposal == (shape.content_type != 1)


@pytest.mark.parametrize(
    ("not_before", "not_after", "taken"),
    [(0, 0, True), (1, 1, False), (0, 1, True), (-1, 0, False), (-1, 1, True), (2, 1, False)],
)
def test_a_lifetime_begins_with_its_first_second_and_ends_before_its_last(
    not_before: int, not_after: int, taken: bool
) -> None:
    case = draw()
    made = new_key_package(
        case,
        case.installation_key(),
        not_before=NOW_S + not_before,
        not_after=NOW_S + not_after + (not_after == not_before == 0),
    )
    assert expected(made.SerializeToString()).may_be_taken == taken
