"""Checks that ledger, test marks and seeded faults fit together."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.ledger.model import Clause, Ledger

    Marks = Mapping[str, tuple[str, ...]]


def lint(ledger: Ledger, marks: Marks, faults: Marks, *, release: bool) -> list[str]:
    """Return one sentence per problem, in a stable order; an empty list if all is well.

    `marks` maps each test case to the clauses it decides, `faults` each seeded fault to the clauses it breaks. With
    `release` every clause that can be seen must be tested, and every one that decides a verdict must have a fault.
    """
    tested = frozenset(chain.from_iterable(marks.values()))
    seeded = frozenset(chain.from_iterable(faults.values()))
    problems = [*_references(ledger, "case", marks), *_references(ledger, "fault", faults)]
    for clause in ledger.clauses():
        problems += _clause(clause, tested=clause.id in tested)
        if release:
            problems += _release(clause, seeded=clause.id in seeded)
    return problems


def _references(ledger: Ledger, kind: str, named: Marks) -> Iterator[str]:
    known = {clause.id for clause in ledger.clauses()}
    for name in sorted(named):
        if not named[name]:
            yield f"The {kind} {name} names no clause."
        for clause_id in named[name]:
            if clause_id not in known:
                yield f"The {kind} {name} names {clause_id}, which is no clause of the ledger."


def _clause(clause: Clause, *, tested: bool) -> Iterator[str]:
    if not clause.observable:
        if clause.why_not is None or not clause.why_not.strip():
            yield f"{clause.id} is excused from testing without a reason."
        if tested:
            yield f"{clause.id} is excused from testing, and a case decides it all the same."
    elif tested and clause.state != "tested":
        yield f"{clause.id} is {clause.state}, and a case decides it already."
    elif not tested and clause.state == "tested":
        yield f"{clause.id} is said to be tested, and no case decides it."


def _release(clause: Clause, *, seeded: bool) -> Iterator[str]:
    if clause.observable and clause.state == "planned":
        yield f"{clause.id} is still planned."
    if clause.decides and not seeded:
        yield f"{clause.id} has no seeded fault that breaks it."
