"""The digest of an envelope stands for its value: one for all encodings, another for every other value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded, padded
from conformance.craft.plans import Cast, EnvelopePlan
from conformance.craft.strategies import envelope_plans
from conformance.oracle.history.digest import DIGEST_BYTES, value_digest


@given(plans=st.lists(envelope_plans(largest=200), min_size=2, max_size=4), seed=st.integers(0, 999))
def test_only_the_value_of_an_envelope_decides_its_digest(plans: list[EnvelopePlan], seed: int) -> None:
    cast = Cast(Draw(seed, b"digest"))
    envelopes = [cast.envelope(plan) for plan in plans]
    digests = [value_digest(encoded(envelope)) for envelope in envelopes]
    assert len(set(digests)) == len(digests)
    for envelope, digest in zip(envelopes, digests, strict=True):
        assert len(digest) == DIGEST_BYTES
        forms = [encoded(envelope, style) for style in FORMS.values()]
        forms.append(padded(encoded(envelope), len(encoded(envelope)) + 9))
        assert {value_digest(form) for form in forms} == {digest}


def test_bytes_that_are_no_message_stand_for_themselves() -> None:
    assert value_digest(b"\x0f") != value_digest(b"\x07") != value_digest(b"")
