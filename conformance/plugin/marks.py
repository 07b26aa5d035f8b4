"""Which clauses the tests of the suite claim to decide, read from their marks without running pytest."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import conformance.suite
from conformance.plugin.options import SUITE_FOLDER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path
    from types import ModuleType


def collect_marks(clauses: Collection[str] | None = None) -> dict[str, tuple[str, ...]]:
    """Map every test of the suite (`api/.../test_x.py::test_y`) to the clauses of its `covers` mark.

    With `clauses`, only the tests of modules that name one of them, which is quicker.
    """
    prefix = f"{conformance.suite.__name__}."
    return {
        f"{module.__name__.removeprefix(prefix).replace('.', '/')}.py::{name}": marked
        for module in _modules(clauses)
        for name, marked in _marked(module)
    }


def names_any(module: Path, clauses: Collection[str]) -> bool:
    """Whether a file of tests names one of some clauses; a test of it can only decide one that it names."""
    text = module.read_text(encoding="utf-8")
    return any(f'"{clause}"' in text for clause in clauses)


def _modules(clauses: Collection[str] | None) -> Iterator[ModuleType]:
    package = f"{conformance.suite.__name__}."
    for found in pkgutil.walk_packages(conformance.suite.__path__, package):
        if not found.name.rsplit(".", 1)[-1].startswith("test_"):
            continue
        file = SUITE_FOLDER.joinpath(*found.name.removeprefix(package).split(".")).with_suffix(".py")
        if clauses is None or names_any(file, clauses):
            yield importlib.import_module(found.name)


def _marked(module: ModuleType) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in vars(module).items():
        if name.startswith("test_") and callable(value):
            marks = getattr(value, "pytestmark", [])
            yield name, tuple(str(clause) for mark in marks if mark.name == "covers" for clause in mark.args)
