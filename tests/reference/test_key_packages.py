from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.key_package import new_key_package, signer, usual_parts
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGES
from conformance.craft.real_client import Line, real_client_lines
from conformance.craft.topics import Kind, topic_of
from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.key_package_reader import whole_key_package
from conformance.reference.backend.tls_reader import TlsError
from tests.reference.harness import (
    NEWEST,
    PUBLISH,
    InProcess,
    fresh_group,
    group_message,
    ids,
    newest,
    page_ids,
    publish,
    publish_request,
    query,
    running,
)

NOW_S = 1_800_000_000
NANOSECONDS = 1_000_000_000
DAYS = 90
MALFORMED, INVALID = 1, 2


class MovedClock(Clock):
    """A clock that stands where a test puts it."""

    ns = NOW_S * NANOSECONDS

    def now_ns(self) -> int:
        return self.ns


class Moved(Backend):
    clock_class = MovedClock


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    with running(tmp_path_factory.mktemp("moved"), Moved) as backend:
        yield backend


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, moved: Backend) -> InProcess:
    """The calls of a client on a backend whose clock stands at `NOW_S`."""
    monkeypatch.setattr(MovedClock, "ns", NOW_S * NANOSECONDS)
    return InProcess(moved)


counter = iter(range(1_000_000))


def drawer() -> Draw:
    return Draw(1, next(counter).to_bytes(4, "big"), now_s=lambda: NOW_S)


def refusal(call: InProcess, *envelopes: pb.ClientEnvelope) -> tuple[int, int | None]:
    with pytest.raises(PublishFailure) as caught:
        publish(call, *envelopes)
    assert caught.value.code == Code.INVALID_ARGUMENT
    return caught.value.reason, caught.value.index


def test_a_key_package_is_filed_under_its_signature_key_and_expires_by_its_own_retention(at: InProcess) -> None:
    draw = drawer()
    key = draw.installation_key()
    first, second = new_key_package(draw, key), new_key_package(draw, key)
    (one,), (two,) = publish(at, first), publish(at, second)
    assert one.topic.topic == topic_of(first) == b"\x03" + key
    assert one.expiry_ns == one.server_ns + DAYS * 86_400 * NANOSECONDS
    assert not one.is_commit_or_proposal
    (shown,) = newest(at, b"\x03" + key, full=True)
    assert (shown.meta, shown.envelope) == (two, second)
    with pytest.raises(Failure, match="QueryNewest only"):
        query(at, b"\x03" + key)


@pytest.mark.parametrize("lifetime", [(0, 1), (0, 0), (1, 2), (-5, 0), (-1, 1), (2, -2)])
@pytest.mark.parametrize("nanoseconds", [0, 1, NANOSECONDS - 1])
def test_a_lifetime_is_checked_in_whole_seconds(
    at: InProcess, monkeypatch: pytest.MonkeyPatch, lifetime: tuple[int, int], nanoseconds: int
) -> None:
    monkeypatch.setattr(MovedClock, "ns", NOW_S * NANOSECONDS + nanoseconds)
    draw = drawer()
    begin, end = lifetime
    package = new_key_package(draw, draw.installation_key(), not_before=NOW_S + begin, not_after=NOW_S + end)
    if lifetime in {(0, 1), (-1, 1)}:
        assert publish(at, package)
    else:
        assert refusal(at, package) == (INVALID, 0)


def test_a_stored_key_package_is_not_validated_again_but_a_new_one_beside_it_is(
    at: InProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = drawer()
    key = draw.installation_key()
    short, twin = (new_key_package(draw, key, not_after=NOW_S + 5) for _ in range(2))
    first = publish(at, short)
    monkeypatch.setattr(MovedClock, "ns", (NOW_S + 5) * NANOSECONDS)
    assert publish(at, short, short) == first * 2
    assert refusal(at, short, twin, twin) == (INVALID, 1)
    assert [result.meta for result in newest(at, b"\x03" + key)] == first


def test_a_key_package_that_another_publish_stores_meanwhile_is_not_refused(
    at: InProcess, moved: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = drawer()
    package = new_key_package(draw, draw.installation_key(), not_after=NOW_S + 5)
    lookup = moved.publisher.duplicates
    looks = iter((lambda: publish(at, package), lambda: None))

    def raced(candidates: object) -> object:
        found = lookup(candidates)  # type: ignore[arg-type] # handed on as it came
        next(looks, lambda: None)()
        monkeypatch.setattr(MovedClock, "ns", (NOW_S + 5) * NANOSECONDS)
        return found

    (candidate,) = moved.admission.admit(publish_request(package), raced)  # type: ignore[arg-type] # counts its calls
    assert candidate.topic == topic_of(package)


def test_the_lowest_index_is_named_over_parsing_and_validation_together(at: InProcess) -> None:
    draw = drawer()
    good, stored = new_key_package(draw, draw.installation_key()), new_key_package(draw, draw.installation_key())
    publish(at, stored)
    pair = INVALID_KEY_PACKAGES["key-package-signature-of-zeros"].build(draw)
    invalid, malformed = pb.ClientEnvelope.FromString(pair.broken), group_message(b"short")
    group_id, topic = fresh_group()
    message = group_message(group_id)
    assert refusal(at, stored, good, invalid, malformed, message) == (INVALID, 2)
    assert refusal(at, stored, malformed, invalid, message) == (MALFORMED, 1)
    assert page_ids(query(at, topic)) == []
    assert newest(at, topic_of(good)) == []


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), suffix=st.binary(min_size=1, max_size=40))
def test_a_reader_of_key_packages_takes_all_bytes_or_none(seed: int, suffix: bytes) -> None:
    draw = Draw(seed, b"reader", now_s=lambda: NOW_S)
    key = draw.installation_key()
    parts = replace(usual_parts(draw, key), init_key=draw.bytes(seed % 70), encryption_key=draw.bytes(seed % 80))
    data = parts.encoded(signer(draw, key))
    package = whole_key_package(data)
    assert (package.init_key, package.leaf.encryption_key) == (parts.init_key, parts.encryption_key)
    assert (package.leaf.signature_key, package.leaf.capabilities.extensions) == (key, parts.capabilities.extensions)
    assert package.signed == data[: -len(package.signature) - 2]
    assert package.leaf.lifetime is not None
    assert (package.leaf.lifetime.not_before, package.leaf.lifetime.not_after) == (parts.not_before, parts.not_after)
    for size in range(len(data)):
        with pytest.raises(TlsError):
            whole_key_package(data[:size])
    with pytest.raises(TlsError):
        whole_key_package(data + suffix)


@pytest.mark.parametrize(
    "line",
    [line for line in real_client_lines() if line.kind is not Kind.IDENTITY_UPDATE],
    ids=lambda line: line.number,
)
def test_everything_a_real_client_sent_is_admitted_at_its_time(
    at: InProcess, monkeypatch: pytest.MonkeyPatch, line: Line
) -> None:
    monkeypatch.setattr(MovedClock, "ns", line.made_ns)
    request = pb.PublishRequest(envelopes=[pb.ClientEnvelope.FromString(line.envelope)]).SerializeToString()
    (meta,) = pb.PublishResponse.FromString(at(PUBLISH, request)).envelope_metas
    assert (meta.topic.topic, meta.is_commit_or_proposal) == (line.topic, line.is_commit_or_proposal)
    if line.duplicate_of is not None:
        assert ids([meta]) < ids(publish(at, group_message(fresh_group()[0])))
    shown = pb.QueryNewestResponse.FromString(
        at(
            NEWEST,
            pb.QueryNewestRequest(topics=[pb.Topic(topic=line.topic)], include_full_envelope=True).SerializeToString(),
        )
    )
    assert shown.results[0].meta.cursor.sequence_id >= meta.cursor.sequence_id


def test_a_clock_that_was_moved_stays_moved_for_every_endpoint_and_can_be_set_right(tmp_path: Path) -> None:
    one, other = Clock(tmp_path), Clock(tmp_path)
    before = one.now_ns()
    one.move(-(10**18))
    assert abs(other.now_ns() - (before - 10**18)) < 60 * NANOSECONDS
    other.move(0)
    assert abs(one.now_ns() - before) < 60 * NANOSECONDS
    assert one.now_s() == one.now_ns() // NANOSECONDS
