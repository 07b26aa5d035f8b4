"""Each lint rule is shown silent on a sound ledger and loud on the one mistake it is there for."""

from __future__ import annotations

import dataclasses

import pytest

from conformance.ledger.lint import lint
from conformance.ledger.load import parse
from conformance.ledger.model import Ledger

TEXT = f"""
[API-222]
title = "T"
section = "3. Publish"
digest = "{"a" * 64}"
[API-222.a]
says = "A."
sees = "full"
state = "tested"
[API-222.b]
says = "B."
sees = "none"
why_not = "Nobody looks."
[API-222.c]
says = "C."
sees = "part"
state = "tested"
owner = "IDENT"
[API-222.d]
says = "D."
sees = "part"
state = "tested"
note = "Advisory: an open reading."
"""
SOUND = Ledger(requirements=parse(TEXT, contract="API", name="api.toml"))
PLANNED = Ledger(requirements=parse(TEXT.replace('"tested"', '"planned"'), contract="API", name="api.toml"))
MARKS = {"t.py::one": ("API-222.a",), "t.py::two": ("API-222.c", "API-222.d")}
FAULTS = {"B001": ("API-222.a",)}


def _without_reason() -> Ledger:
    requirement = SOUND.requirements["API-222"]
    clauses = tuple(dataclasses.replace(clause, why_not=None) for clause in requirement.clauses)
    return Ledger(requirements={"API-222": dataclasses.replace(requirement, clauses=clauses)})


@pytest.mark.parametrize("release", [False, True])
def test_a_sound_ledger_has_no_problem(release: bool) -> None:
    assert lint(SOUND, MARKS, FAULTS, release=release) == []


def test_a_plan_without_tests_is_sound_until_the_release() -> None:
    assert lint(PLANNED, {}, {}, release=False) == []
    assert lint(PLANNED, {}, {}, release=True) == [
        "API-222.a is still planned.",
        "API-222.a has no seeded fault that breaks it.",
        "API-222.c is still planned.",
        "API-222.d is still planned.",
    ]


@pytest.mark.parametrize(
    ("ledger", "marks", "faults", "problem"),
    [
        (SOUND, MARKS | {"t.py::x": ("API-999.a",)}, FAULTS, "The case t.py::x names API-999.a, which is no clause"),
        (SOUND, MARKS, FAULTS | {"B2": ("API-222",)}, "The fault B2 names API-222, which is no clause"),
        (SOUND, MARKS | {"t.py::x": ()}, FAULTS, "The case t.py::x names no clause."),
        (SOUND, MARKS, FAULTS | {"B2": ()}, "The fault B2 names no clause."),
        (SOUND, MARKS | {"t.py::x": ("API-222.b",)}, FAULTS, "API-222.b is excused from testing, and a case decides"),
        (_without_reason(), MARKS, FAULTS, "API-222.b is excused from testing without a reason."),
        (SOUND, {"t.py::two": MARKS["t.py::two"]}, FAULTS, "API-222.a is said to be tested, and no case decides it."),
        (PLANNED, {"t.py::one": ("API-222.a",)}, FAULTS, "API-222.a is planned, and a case decides it already."),
    ],
)
def test_a_mistake_is_the_only_problem_named(
    ledger: Ledger, marks: dict[str, tuple[str, ...]], faults: dict[str, tuple[str, ...]], problem: str
) -> None:
    (found,) = lint(ledger, marks, faults, release=False)
    assert found.startswith(problem)


def test_a_release_needs_a_fault_for_what_decides_a_verdict_alone() -> None:
    assert lint(SOUND, MARKS, {}, release=False) == []
    assert lint(SOUND, MARKS, {}, release=True) == ["API-222.a has no seeded fault that breaks it."]
