"""Which clauses the tests of the suite claim to decide, read from their marks without running pytest."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import conformance.suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


def collect_marks() -> dict[str, tuple[str, ...]]:
    """Map every test of the suite (`api/.../test_x.py::test_y`) to the clauses of its `covers` mark."""
    prefix = f"{conformance.suite.__name__}."
    return {
        f"{module.__name__.removeprefix(prefix).replace('.', '/')}.py::{name}": clauses
        for module in _modules()
        for name, clauses in _marked(module)
    }


def _modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(conformance.suite.__path__, f"{conformance.suite.__name__}."):
        if found.name.rsplit(".", 1)[-1].startswith("test_"):
            yield importlib.import_module(found.name)


def _marked(module: ModuleType) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in vars(module).items():
        if name.startswith("test_") and callable(value):
            marks = getattr(value, "pytestmark", [])
            yield name, tuple(str(clause) for mark in marks if mark.name == "covers" for clause in mark.args)
