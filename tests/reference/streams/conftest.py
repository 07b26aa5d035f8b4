from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.reference.harness import OverWire
from tests.reference.streams.calls import Endpoint, endpoint


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """An endpoint with the contract's defaults, shared by a module: every test draws topics of its own."""
    with endpoint(tmp_path_factory.mktemp("streams")) as shared:
        yield shared


@pytest.fixture(scope="module")
def wire(served: Endpoint) -> OverWire:
    return served.wire
