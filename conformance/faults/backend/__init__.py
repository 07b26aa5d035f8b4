"""Variants of the embedded backend, a module per area of the contract; each module lists its own in VARIANTS."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.faults.registry import Variant


def all_variants() -> Iterator[Variant]:
    """Every variant, module after module."""
    for found in pkgutil.iter_modules(__path__, f"{__name__}."):
        yield from getattr(importlib.import_module(found.name), "VARIANTS", ())
