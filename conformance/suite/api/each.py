"""Parameters that tests of several sections share: what an obligation holds for, with names a reader can use."""

from __future__ import annotations

import pytest

from conformance.craft.any_kind import KINDS
from conformance.craft.strategies import UNSIGNED_KINDS
from conformance.craft.topics import Kind


def _name(kind: Kind) -> str:
    return kind.name.lower().replace("_", "-")


each_kind = pytest.mark.parametrize("kind", KINDS, ids=_name)
# a signed envelope cannot be changed, or made of any length, and stay valid
each_unsigned_kind = pytest.mark.parametrize("kind", UNSIGNED_KINDS, ids=_name)
# Query does not page key packages (API-243)
PAGED_KINDS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind is not Kind.KEY_PACKAGE)
each_paged_kind = pytest.mark.parametrize("kind", PAGED_KINDS, ids=_name)
