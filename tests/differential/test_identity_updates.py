"""The suite's idea of which identity updates are lawful, against the embedded backend's, over any histories."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import WrongUpdate
from conformance.craft.identity.strategies import moves
from conformance.craft.identity.update import IdentityUpdate
from conformance.craft.identity.updates import ODD_UPDATES, OPEN_UPDATES, WRONG_UPDATES
from conformance.craft.identity.world import Move
from conformance.pb.backend_pb2 import ClientEnvelope
from conformance.reference.backend.failure import CheckFailure
from conformance.reference.backend.identity.association import Association
from conformance.reference.backend.identity.contract_wallets import ContractWallets
from conformance.reference.backend.identity.signatures import Signatures
from conformance.reference.backend.key_package_rules import KeyPackageRules
from tests.differential.identity_updates import Judges, afterwards, judges, mutants, new_world
from tests.differential.test_differential import admission_of

USUAL = 1000
UPDATES = int(os.environ.get("DIFFERENTIAL_EXAMPLES", USUAL))
# each history is at least so long, and of each of its updates at least so many relatives are judged beside it
STEPS, RELATIVES = 6, 6
# at least this share of the updates, in percent, has to end in each way, or the agreement is about too little
LEAST = {"taken": 15, "refused for 1": 2, "refused for 3": 15, "refused for 4": 15}
ADMISSION = admission_of(KeyPackageRules())
OPENING = Move(kind="open", whom=1)
CATALOGUES = (*WRONG_UPDATES.values(), *OPEN_UPDATES.values())
CHAINS = sorted({number for entry in (*CATALOGUES, *ODD_UPDATES.values()) for number in entry.chains})


def judged(both: Judges, seed: int, history: list[Move]) -> Counter[str]:
    """Have a history and its relatives judged."""
    ends: Counter[str] = Counter()
    both.forget()
    told, rng = new_world(seed), random.Random(seed)  # noqa: S311 - choices of a test
    for move in [OPENING, *history]:
        step = told.world.play(move)
        ends.update(both.agree(each) for each in mutants(told, step, rng))
        ends[both.agree(step.update, store=True)] += 1
        told.steps.append(step)
        ends.update(both.agree(each) for each in afterwards(told, step, rng))
    return ends


@pytest.mark.timeout(60 + UPDATES // 20)
def test_the_suite_and_the_embedded_backend_agree_about_any_update(tmp_path: Path) -> None:
    ends: Counter[str] = Counter()

    @settings(
        max_examples=-(-UPDATES // ((STEPS + 1) * (RELATIVES + 1))),
        deadline=None,
        database=None,
        derandomize=UPDATES == USUAL,
    )
    @given(st.integers(0, (1 << 32) - 1), st.lists(moves(), min_size=STEPS, max_size=STEPS + 4))
    def agree(seed: int, history: list[Move]) -> None:
        ends.update(judged(both, seed, history))

    with judges(tmp_path, ADMISSION) as both:
        agree()
    total = ends.total()
    figures = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{total} identity updates: {figures}")  # noqa: T201 - what `make differential` shows
    assert total >= UPDATES
    for end, percent in LEAST.items():
        assert ends[end] * 100 >= percent * total, f"only {ends[end]} of {total} updates are {end}"


def update_of(encoded: bytes) -> IdentityUpdate:
    return ClientEnvelope.FromString(encoded).identity_update


def catalogued(both: Judges, entries: Iterable[WrongUpdate]) -> None:
    """Have the logs of a catalogue judged, and each wrong update beside its twin."""
    both.chain.trusting = True
    for entry in entries:
        situation = entry.build(Draw(1, str(entry).encode()))
        both.chain.rejected |= set(situation.rejected)
        for each in situation.before:
            assert both.agree(update_of(each), store=True) == "taken"
        both.agree(update_of(situation.broken))
        assert both.agree(update_of(situation.twin), store=True) == "taken"


def test_they_agree_about_every_update_of_the_catalogues(tmp_path: Path) -> None:
    with judges(tmp_path, ADMISSION, known=CHAINS) as both:
        catalogued(both, CATALOGUES)
        for odd in ODD_UPDATES.values():
            for each in odd.build(Draw(2, str(odd).encode())).envelopes:
                assert both.agree(update_of(each), store=True) == "taken"


class Forgetful(Association):
    def check_replay(self, *_: object) -> None:
        """Look at nothing."""


class Gullible(Signatures):
    def verify(self, *_: object) -> None:
        """Verify nothing."""


class Trusting(ContractWallets):
    def verify(self, *_: object) -> None:
        """Ask nobody."""


class Excited(Association):
    def apply(self, *args, **kwargs):  # noqa: ANN002, ANN003, ANN201 - handed on as they are
        try:
            return super().apply(*args, **kwargs)
        except CheckFailure as failure:
            failure.reason += 1
            raise


@pytest.mark.parametrize(
    "wrong",
    [
        {"association_class": Forgetful},
        {"signatures_class": Gullible},
        {"wallets_class": Trusting},
        {"association_class": Excited},
    ],
    ids=lambda wrong: next(iter(wrong.values())).__name__,
)
def test_a_rule_that_the_embedded_backend_breaks_is_noticed(tmp_path: Path, wrong: dict[str, type]) -> None:
    noticed = pytest.raises(AssertionError, match="expected was")
    with judges(tmp_path, ADMISSION, known=CHAINS, **wrong) as both, noticed:
        catalogued(both, reversed(CATALOGUES))
