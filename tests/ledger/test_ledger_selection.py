"""Patterns name clauses, and a pattern that names none says what was probably meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.ledger.load import load
from conformance.ledger.model import LedgerError

CLAUSES = sorted(clause.id for clause in load().clauses())


def test_a_requirement_names_all_its_clauses_and_a_clause_itself_alone() -> None:
    assert load().select(["SEND-012"]) == {"SEND-012.a", "SEND-012.b", "SEND-012.c"}
    assert load().select(["SEND-012.*"]) == load().select(["SEND-012"])
    assert load().select(["SEND-022.d"]) == {"SEND-022.d"}
    assert load().select(["api-230.J"]) == {"API-230.j"}


def test_wildcards_name_the_clauses_of_every_requirement_they_fit() -> None:
    selected = load().select(["API-25*"])
    assert {clause_id.split(".")[0] for clause_id in selected} == {f"API-25{digit}" for digit in range(10)}
    assert load().select(["*"]) == frozenset(CLAUSES)


@given(st.sets(st.sampled_from(CLAUSES), min_size=1))
def test_patterns_add_up(ids: set[str]) -> None:
    assert load().select(ids) == ids


@pytest.mark.parametrize("pattern", ["API-2222", "API-299.z", "SEND-7*", "SEND-007a"])
def test_an_unknown_pattern_is_refused_with_the_nearest_ids(pattern: str) -> None:
    with pytest.raises(LedgerError, match=r"^'.*' names no requirement or clause; the nearest are \S+.*\.$"):
        load().select(["API-222", pattern])


def test_a_pattern_like_nothing_at_all_is_refused_too() -> None:
    with pytest.raises(LedgerError, match=r"^'%%%%' names no requirement or clause\.$"):
        load().select(["%%%%"])


def test_a_clause_is_found_by_its_exact_id_only() -> None:
    assert load().clause("API-230.j.ident").owner == "IDENT"
    with pytest.raises(LedgerError, match=r"no clause 'API-230\.x'"):
        load().clause("API-230.x")
    with pytest.raises(LedgerError, match="no requirement 'API-23'"):
        load().requirement("API-23")
