"""The suite's idea of what admission must do, against the embedded backend's: two readers that share no code."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from conformance.oracle import admission as expected
from conformance.pb import backend_pb2
from conformance.reference.backend.admission import Admission, Candidate, Encoder
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.key_package_rules import KeyPackageRules
from conformance.reference.backend.kinds import KINDS, KeyPackageKind
from conformance.reference.backend.settings import Limits
from conformance.reference.backend.topics import Topics
from tests.differential.objects import CATALOGUED, NOW_S, Envelope, drawer, objects

USUAL = 1000
EXAMPLES = int(os.environ.get("DIFFERENTIAL_EXAMPLES", USUAL))

# what the contract leaves open, so that the two may differ; anything else that is open is a mistake of the judge
OPEN = {
    "a credential of an unknown type",
    "a proposal of a type that RFC 9420 does not define",
    "an application message in public framing",
    "a key that the scheme of its suite cannot have",
    "an extension that its capabilities do not list",
    "an extension of its leaf that its capabilities do not list",
    "capabilities without its own version, suite or credential type",
    "a key that is not 32 bytes long",
    "an extension twice",
    "an extension of MLS itself that is out of place, or has a body that may be no body of it",
    "an inbox id of another wire type",
}
# at least this share of the objects, in percent, has to end in each way, or the agreement is about too little
LEAST = {
    "group_message taken": 10,
    "group_message refused for 1": 5,
    "key_package taken": 5,
    "key_package refused for 1": 5,
    "key_package refused for 2": 5,
}


class StoppedClock(Clock):
    """A clock that always tells the time that the objects are made around."""

    def now_ns(self) -> int:
        return NOW_S * 1_000_000_000


def admission_of(rules: KeyPackageRules) -> Admission:
    kinds = KINDS | {"key_package": KeyPackageKind(rules)}
    clock = StoppedClock(Path("a clock that stands still needs no folder"))
    return Admission(kinds=kinds, topics=Topics(), encoder=Encoder(), bounds=Bounds(Limits()), clock=clock)


def admitted(admission: Admission, envelope: Envelope) -> Candidate | int:
    """Give what the embedded backend makes of an envelope: the candidate, or the reason of its refusal."""
    request = backend_pb2.PublishRequest(envelopes=[envelope]).SerializeToString()
    try:
        (candidate,) = admission.admit(request, lambda _: ())
    except PublishFailure as failure:
        return failure.reason
    return candidate


def expectation(envelope: Envelope) -> expected.Expectation:
    if envelope.WhichOneof("payload") == "group_message":
        return expected.group_message(envelope.group_message.data)
    return expected.key_package(envelope.key_package.key_package_tls_serialized, now_s=NOW_S)


def agree(admission: Admission, envelope: Envelope) -> str:
    """Have both judge one object, and say how it ended; AssertionError where the two differ."""
    found, wanted = admitted(admission, envelope), expectation(envelope)
    reason = found if isinstance(found, int) else None
    assert set(wanted.open) <= OPEN
    assert wanted.allows(reason), f"refused for {reason}, expected was {wanted}"
    if isinstance(found, Candidate) and wanted.topic is not None:
        assert (found.topic, found.parsed.is_commit_or_proposal) == (wanted.topic, wanted.is_commit_or_proposal)
    end = "taken" if reason is None else f"refused for {reason}"
    return f"{envelope.WhichOneof('payload')} {end}{' (open)' if wanted.open else ''}"


@pytest.mark.timeout(60 + EXAMPLES // 10)
def test_the_suite_and_the_embedded_backend_agree_about_any_object() -> None:
    admission = admission_of(KeyPackageRules())
    ends = Counter(agree(admission, make(drawer(1))) for make in CATALOGUED)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=EXAMPLES == USUAL,
        suppress_health_check=list(HealthCheck),
    )
    @given(objects)
    def agree_about_any(envelope: Envelope) -> None:
        ends[agree(admission, envelope)] += 1

    agree_about_any()
    total = ends.total()
    figures = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{total} objects: {figures}")  # noqa: T201 - what `make differential` shows
    assert total >= EXAMPLES
    for end, percent in LEAST.items():
        assert ends[end] * 100 >= percent * total, f"only {ends[end]} of {total} objects are a {end}"


@pytest.mark.parametrize(
    "rule",
    [
        "check_version",
        "check_suite",
        "check_lifetime",
        "check_credential",
        "check_keys",
        "check_leaf_signature",
        "check_signature",
    ],
)
def test_a_rule_that_the_embedded_backend_forgets_is_noticed(rule: str) -> None:
    forgetful = admission_of(type("Forgetful", (KeyPackageRules,), {rule: lambda *_: None})())
    with pytest.raises(AssertionError, match="refused for None"):
        [agree(forgetful, make(drawer(1))) for make in CATALOGUED]
