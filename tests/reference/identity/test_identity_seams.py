"""Each variant is a wrong backend; what it does wrong shows, and the clean backend does not show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.faults.backend import identity_admission as admission
from conformance.faults.backend import identity_admission_bound as bound
from conformance.faults.backend import identity_admission_chain as outages
from conformance.faults.backend import identity_admission_rules as rules
from conformance.faults.backend import identity_claims as claims
from conformance.faults.backend import identity_handles as handles
from conformance.faults.backend import identity_history as history
from conformance.faults.backend import identity_lookups as members
from conformance.faults.backend import identity_verification as verification
from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.reference.backend.backend import Backend
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import InProcess, running
from tests.reference.identity import trials
from tests.reference.identity import variants_of_lookups as lookups

ARGS: dict[str, Any] = {
    "limits": {"max_identity_entries": 3},
    "handles": {"min_name_length": 4, "reserved": ["keeper"]},
    "timers": {"publish_ms": 5000},
}

lax = {"index_class": claims.LaxIndex}
VARIANTS: dict[str, tuple[type[Backend], trials.Trial]] = {
    "B085": (with_identity(association_class=rules.AlwaysTheSignature), trials.blames_a_signature),
    "B092": (with_identity(wallets_class=outages.OutageIsForged), trials.judges_in_an_outage),
    "B094": (with_identity(verification_class=outages.OutageIsAnswered), trials.answers_in_an_outage),
    "B095": (with_identity(wallets_class=outages.ForgedIsOutage), trials.forged_is_unavailable),
    "B096": (with_identity(admission_class=history.NeverMoved), trials.both_of_two),
    "B097": (with_identity(publisher=history.StoresTheRest), trials.half_of_an_aborted),
    "B099": (with_identity(admission_class=history.EmptyNeverMoved), trials.both_of_two_first),
    "B100": (with_identity(admission_class=history.LaggingHistory), trials.misses_the_confirmed),
    "B101": (with_identity(admission_class=admission.InSequence), trials.two_of_an_inbox),
    "B102": (with_identity(admission_class=admission.EachPlace), trials.refuses_twice_the_same),
    "B103": (with_identity(admission_class=admission.OneForAll), trials.refuses_two_inboxes),
    "B104": (with_identity(admission_class=bound.OneTooMany), trials.a_fourth),
    "B105": (with_identity(admission_class=bound.CountsActions), trials.no_third),
    "B106": (with_identity(policy_class=claims.AnyoneHas, **lax), trials.two_holders),
    "B107": (with_identity(policy_class=claims.OwnIsTaken), trials.own_is_taken),
    "B109": (with_identity(admission_class=claims.ClaimsUnconfirmed, **lax), trials.two_holders_at_once),
    "B110": (with_identity(index_class=claims.CurrentHandleOnly), trials.old_is_free),
    "B111": (with_identity(policy_class=claims.CaseCounts), trials.capitals_are_free),
    "B112": (with_identity(policy_class=claims.WholeLength), trials.takes_short),
    "B115": (with_identity(inbox_ids_class=lookups.HidesReserved), trials.hides_reserved),
    "B116": (with_identity(admission_class=claims.AgainAtOnce), trials.again_at_once),
    "B117": (with_identity(policy_class=claims.SevenDaysAndMore), trials.waits_longer),
    "B118": (with_identity(admission_class=claims.AnyUpdateCounts), trials.waits_after_anything),
    "B119": (with_identity(admission_class=claims.EveryInboxCounts), trials.waits_for_others),
    "B190": (with_identity(inbox_ids_class=members.OmitsUnknown), trials.shifts),
    "B191": (with_identity(inbox_ids_class=members.EchoesFolded), trials.echoes_otherwise),
    "B192": (with_identity(inbox_ids_class=members.OldestWins), trials.finds_the_older),
    "B193": (with_identity(index_class=members.NothingIsRevoked), trials.finds_the_revoked),
    "B195": (with_identity(index_class=members.RevokedForGood), trials.misses_the_readded),
    "B197": (with_identity(inbox_ids_class=members.WalletsAsWritten), trials.minds_case),
    "B198": (with_identity(admission_class=members.IndexesTheFirst), trials.indexes_the_first),
    "B199": (with_identity(inbox_ids_class=handles.NewestHandleOnly), trials.old_is_forgotten),
    "B200": (with_identity(inbox_ids_class=handles.HandlesAsWritten), trials.minds_case_of_handles),
    "B201": (with_identity(policy_class=handles.UnicodeCase), trials.folds_more_than_ascii),
    "B202": (with_identity(inbox_ids_class=handles.BadHandleIsAbsent), trials.answers_no_handle),
    "B203": (with_identity(verification_class=verification.BlockAsAsked), trials.hides_the_block),
    "B205": (with_identity(verification_class=verification.InvalidFailsAll), trials.fails_for_one),
    "B206": (with_identity(verification_class=verification.AnyHash), trials.takes_any_hash),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_an_override_changes_what_it_names_and_the_clean_backend_does_not_show_it(tmp_path: Path, name: str) -> None:
    variant, shows = VARIANTS[name]
    for build, folder in ((Backend, "clean"), (variant, "wrong")):
        (tmp_path / folder).mkdir()
        with ChainStub() as chain, running(tmp_path / folder, build, chains={chain.name: chain.url}, **ARGS) as made:
            assert shows(InProcess(made), made) == (build is variant)
