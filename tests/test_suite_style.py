"""Every test of the suite reads the same way: a sentence for a name, its clauses in its mark and its docstring."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import conformance.suite
from conformance.faults.registry import fault_clauses
from conformance.ledger.lint import lint
from conformance.ledger.load import load
from conformance.plugin.marks import collect_marks, names_any
from conformance.plugin.profiles import PROFILES

SUITE = Path(conformance.suite.__file__).parent
CLAUSE = re.compile(r"(?:API|SEND)-\d{3}\.[a-z]+\d*(?:\.[a-z]+)?")
LONGEST_TEST = 22
FOLDERS_OF_SEVERAL_REQUIREMENTS = {"histories"}


def functions_in(path: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


MODULES = sorted(SUITE.rglob("test_*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SUITE)))
def test_a_test_names_its_clauses_and_is_short(path: Path) -> None:
    marks = collect_marks()
    for test in functions_in(path):
        name = f"{path.relative_to(SUITE)}::{test.name}"
        docstring = ast.get_docstring(test) or ""
        named = set(CLAUSE.findall(docstring.partition("\n")[0].partition(": ")[0]))
        assert named, f"{name}: the first line of the docstring begins with its clauses"
        assert named <= set(marks[name]), f"{name}: docstring and mark differ: {named} and {marks[name]}"
        assert (test.end_lineno or 0) - test.lineno < LONGEST_TEST, f"{name} is too long to be read as a sentence"


def test_a_module_holds_one_requirement() -> None:
    for path in MODULES:
        if path.parent.name in FOLDERS_OF_SEVERAL_REQUIREMENTS:
            continue
        number = path.stem.split("_")[1]
        own = {
            clause.partition(".")[0][-3:]
            for name, clauses in collect_marks().items()
            for clause in clauses[:1]
            if name.startswith(f"{path.relative_to(SUITE)}::")
        }
        assert own == {number}, f"{path.name} holds tests of {own}"


def test_a_module_spells_out_the_clauses_that_its_tests_decide() -> None:
    for test, clauses in collect_marks().items():
        for clause in clauses:
            assert names_any(SUITE / test.partition("::")[0], {clause}), f"{test}: write {clause} where it is marked"


def test_what_a_profile_leaves_out_is_decided_by_other_tests_as_well() -> None:
    marks = collect_marks()
    for profile in PROFILES.values():
        kept = {
            clause for test, clauses in marks.items() if not test.startswith(profile.leaves_out) for clause in clauses
        }
        assert {clause for clauses in marks.values() for clause in clauses} == kept


def test_the_ledger_and_the_suite_agree() -> None:
    assert lint(load(), collect_marks(), fault_clauses(), release=False) == []


def test_every_tested_clause_has_a_seeded_fault() -> None:
    seeded = {clause for clauses in fault_clauses().values() for clause in clauses}
    tested = {clause.id for clause in load().clauses() if clause.state == "tested" and clause.decides}
    assert tested - seeded == set()
