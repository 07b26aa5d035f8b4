"""The variants of the admission of identity updates fail as they say and never by falling over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import encoded_update
from conformance.craft.identity.updates import ODD_UPDATES, OPEN_UPDATES, WRONG_UPDATES
from conformance.faults.backend import (
    identity_admission,
    identity_admission_bound,
    identity_admission_chain,
    identity_admission_rules,
    identity_admission_variations,
)
from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, PublishRequest
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.settings import Settings
from conformance.suite.api.s3_publish.identity import inbox_of, joining

MODULES = (
    identity_admission,
    identity_admission_bound,
    identity_admission_chain,
    identity_admission_rules,
    identity_admission_variations,
)
VARIANTS = [variant for module in MODULES for variant in module.VARIANTS]
EVERY_FEW = 25


def requests() -> Iterator[list[bytes]]:
    """Part of the catalogues, one update a request; and the two updates of an inbox in every way of repeating them."""
    draw = Draw(1, b"identity faults")
    for wrong in [*WRONG_UPDATES.values(), *OPEN_UPDATES.values()][::EVERY_FEW]:
        situation = wrong.build(draw)
        yield from ([each] for each in (*situation.before, situation.broken, situation.twin))
    for odd in [*ODD_UPDATES.values()][::EVERY_FEW]:
        yield from ([each] for each in odd.build(draw).envelopes)
    inbox = inbox_of(draw)
    one, two = encoded_update(inbox.create()), joining(inbox, draw)
    yield from ([one, two], [one, one], [one], [one, two], [two, one], [two], [one, two])


REQUESTS = list(requests())


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_a_variant_takes_or_refuses_and_never_falls_over(variant: Variant, tmp_path: Path) -> None:
    settings = Settings().changed(json.loads('{"limits": {"max_identity_entries": 3}}'))
    backend = variant.build(settings, tmp_path)
    try:
        for request in REQUESTS:
            ended = attempt(backend, PublishRequest(envelopes=map(ClientEnvelope.FromString, request)))
            assert ended in {"OK", "INVALID_ARGUMENT", "UNAVAILABLE"}
    finally:
        backend.close()


def attempt(backend: Backend, request: PublishRequest) -> str:
    try:
        backend.publisher.answer(request.SerializeToString())
    except Failure as failure:
        return failure.code.name
    return "OK"


def test_a_part_that_identity_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="no part called admision_class"):
        with_identity(admision_class=object)
