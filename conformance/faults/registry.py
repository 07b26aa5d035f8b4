"""The seeded faults and conforming variations: what each does wrong, or oddly, and which clauses must notice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conformance.reference.backend.backend import Backend
    from conformance.reference.backend.settings import Settings

Kind = Literal["fault", "variation", "peer"]


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One wrong or odd backend.

    A `fault` breaks the contract, and every clause of `clauses` must turn red on it. A `variation` is odd but right:
    no clause may turn red, and `clauses` names those whose tests come closest to noticing. A `peer` is no backend at
    all (it accepts, refuses or implements everything or nothing), and whatever runs on it must be red. `racy` faults
    show only when requests race, so they are proved over many seeds. `says` is one line for people.
    """

    id: str
    says: str
    clauses: tuple[str, ...]
    build: Callable[[Settings, Path], Backend]
    kind: Kind = "fault"
    racy: bool = False


def variants() -> dict[str, Variant]:
    """Every variant of the embedded backend by id; a doubled id raises ValueError."""
    from conformance.faults import backend  # noqa: PLC0415 - the references load only when a variant is wanted

    found: dict[str, Variant] = {}
    for variant in backend.all_variants():
        if variant.id in found:
            raise ValueError(f"two variants are called {variant.id}")
        found[variant.id] = variant
    return found


def fault_clauses() -> dict[str, tuple[str, ...]]:
    """Map every seeded fault to the clauses it must turn red."""
    return {variant.id: variant.clauses for variant in variants().values() if variant.kind == "fault"}
