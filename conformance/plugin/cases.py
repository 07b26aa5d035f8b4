"""Cases: how a collected test is named in plans, seeds and results, and which clauses it decides."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

from conformance.plugin.options import SUITE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest


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


def chosen_of_each_test(items: Sequence[pytest.Item], most: int, run_seed: int) -> set[pytest.Item]:
    """Up to `most` cases of every parametrized test, chosen by the seed of the run and the name of the test alone."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(case_id(item).partition("[")[0], []).append(item)
    return {
        item
        for test, cases in tests.items()
        for item in random.Random(case_seed(run_seed, test)).sample(cases, min(most, len(cases)))  # noqa: S311 - no secret
    }


def case_seed(run_seed: int, case: str) -> int:
    """The seed of one case, which neither the order of tests nor an edit of a test changes."""
    return int.from_bytes(hashlib.sha256(f"{run_seed}\0{case}".encode()).digest()[:8], "big")
