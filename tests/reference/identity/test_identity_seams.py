"""Each variant is a wrong backend; what it does wrong shows, and the clean backend does not show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.reference.backend.backend import Backend
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import InProcess, running
from tests.reference.identity import trials
from tests.reference.identity import variants as wrong
from tests.reference.identity import variants_of_claims as claims
from tests.reference.identity import variants_of_lookups as lookups

ARGS: dict[str, Any] = {
    "limits": {"max_identity_entries": 3},
    "handles": {"min_name_length": 4, "reserved": ["keeper"]},
    "timers": {"publish_ms": 5000},
}

lax = {"index_class": claims.LaxIndex}
VARIANTS: dict[str, tuple[type[Backend], trials.Trial]] = {
    "B085": (wrong.backend(association_class=wrong.AlwaysTheSignature), trials.blames_a_signature),
    "B092": (wrong.backend(wallets_class=wrong.OutageIsForged), trials.judges_in_an_outage),
    "B094": (wrong.backend(verification_class=wrong.OutageIsAnswered), trials.answers_in_an_outage),
    "B095": (wrong.backend(wallets_class=wrong.ForgedIsOutage), trials.forged_is_unavailable),
    "B096": (wrong.backend(admission_class=wrong.NeverMoved), trials.both_of_two),
    "B097": (wrong.backend(publisher=wrong.StoresTheRest), trials.half_of_an_aborted),
    "B099": (wrong.backend(admission_class=wrong.EmptyNeverMoved), trials.both_of_two_first),
    "B100": (wrong.backend(admission_class=wrong.LaggingHistory), trials.misses_the_confirmed),
    "B101": (wrong.backend(admission_class=wrong.InSequence), trials.two_of_an_inbox),
    "B102": (wrong.backend(admission_class=wrong.EachPlace), trials.refuses_twice_the_same),
    "B103": (wrong.backend(admission_class=wrong.OneForAll), trials.refuses_two_inboxes),
    "B104": (wrong.backend(admission_class=wrong.OneTooMany), trials.a_fourth),
    "B105": (wrong.backend(admission_class=wrong.CountsActions), trials.no_third),
    "B106": (wrong.backend(policy_class=claims.AnyoneHas, **lax), trials.two_holders),
    "B107": (wrong.backend(policy_class=claims.OwnIsTaken), trials.own_is_taken),
    "B109": (wrong.backend(admission_class=claims.ClaimsUnconfirmed, **lax), trials.two_holders_at_once),
    "B110": (wrong.backend(index_class=claims.CurrentHandleOnly), trials.old_is_free),
    "B111": (wrong.backend(policy_class=claims.CaseCounts), trials.capitals_are_free),
    "B112": (wrong.backend(policy_class=claims.WholeLength), trials.takes_short),
    "B115": (wrong.backend(inbox_ids_class=lookups.HidesReserved), trials.hides_reserved),
    "B116": (wrong.backend(admission_class=claims.AgainAtOnce), trials.again_at_once),
    "B117": (wrong.backend(policy_class=claims.SevenDaysAndMore), trials.waits_longer),
    "B118": (wrong.backend(admission_class=claims.AnyUpdateCounts), trials.waits_after_anything),
    "B119": (wrong.backend(admission_class=claims.EveryInboxCounts), trials.waits_for_others),
    "B190": (wrong.backend(inbox_ids_class=lookups.OmitsUnknown), trials.shifts),
    "B191": (wrong.backend(inbox_ids_class=lookups.EchoesFolded), trials.echoes_otherwise),
    "B192": (wrong.backend(inbox_ids_class=lookups.OldestWins), trials.finds_the_older),
    "B193": (wrong.backend(index_class=lookups.NothingIsRevoked), trials.finds_the_revoked),
    "B195": (wrong.backend(index_class=lookups.RevokedForGood), trials.misses_the_readded),
    "B197": (wrong.backend(inbox_ids_class=lookups.AsWritten), trials.minds_case),
    "B198": (wrong.backend(admission_class=lookups.IndexedLater), trials.indexes_later),
    "B199": (wrong.backend(inbox_ids_class=lookups.NewestHandleOnly), trials.old_is_forgotten),
    "B200": (wrong.backend(inbox_ids_class=lookups.AsWritten), trials.minds_case_of_handles),
    "B201": (wrong.backend(policy_class=lookups.UnicodeCase), trials.folds_more_than_ascii),
    "B202": (wrong.backend(inbox_ids_class=lookups.BadHandleIsAbsent), trials.answers_no_handle),
    "B203": (wrong.backend(verification_class=wrong.BlockAsAsked), trials.hides_the_block),
    "B205": (wrong.backend(verification_class=wrong.InvalidFailsAll), trials.fails_for_one),
    "B206": (wrong.backend(verification_class=wrong.AnyHash), trials.takes_any_hash),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_an_override_changes_what_it_names_and_the_clean_backend_does_not_show_it(tmp_path: Path, name: str) -> None:
    variant, shows = VARIANTS[name]
    for build, folder in ((Backend, "clean"), (variant, "wrong")):
        (tmp_path / folder).mkdir()
        with ChainStub() as chain, running(tmp_path / folder, build, chains={chain.name: chain.url}, **ARGS) as made:
            assert shows(InProcess(made), made) == (build is variant)
