"""Cases: how a collected test is named in plans, seeds and results, and which clauses it decides."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from conformance.plugin.options import SUITE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest

SLOW_FIXTURE = "unhurried"


def case_id(item: pytest.Item) -> str:
    """The id of a case, independent of where the package is installed: `api/s3_publish/test_222...py::test_x[a]`."""
    try:
        module = item.path.resolve().relative_to(SUITE_FOLDER).as_posix()
    except ValueError:
        return item.nodeid
    _, _, test = item.nodeid.partition("::")
    return f"{module}::{test}"


def covered_clauses(item: pytest.Item) -> tuple[str, ...]:
    """The clauses a case decides, in ledger order of their ids."""
    return tuple(sorted({str(clause) for mark in item.iter_markers("covers") for clause in mark.args}))


def required_classes(item: pytest.Item) -> frozenset[str]:
    """The classes of input a property must have tried."""
    return frozenset(str(name) for mark in item.iter_markers("reaches") for name in mark.args)


def requirements_of(clauses: Iterable[str]) -> tuple[str, ...]:
    """The requirements that clauses belong to."""
    return tuple(sorted({clause.split(".", 1)[0] for clause in clauses}))


def chosen_for_each_clause(items: Sequence[pytest.Item], most: int, run_seed: int) -> set[pytest.Item]:
    """Cases in an order that the seed of the run decides, until every clause has `most` of them, if it has so many.

    Cases that take a while come last, so that they are chosen for what no other decides.
    """

    def place(item: pytest.Item) -> tuple[bool, int]:
        return SLOW_FIXTURE in getattr(item, "fixturenames", ()), case_seed(run_seed, case_id(item))

    chosen: set[pytest.Item] = set()
    cases: Counter[str] = Counter()
    for item in sorted(items, key=place):
        clauses = covered_clauses(item)
        if any(cases[clause] < most for clause in clauses):
            chosen.add(item)
            cases.update(clauses)
    return chosen


def case_seed(run_seed: int, case: str) -> int:
    """The seed of one case, which neither the order of tests nor an edit of a test changes."""
    return int.from_bytes(hashlib.sha256(f"{run_seed}\0{case}".encode()).digest()[:8], "big")
