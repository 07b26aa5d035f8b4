from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from conformance.reference.backend.backend import Backend
from tests.reference.harness import AdapterProcess, InProcess, running


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """A backend with the contract's defaults, shared by a module: every test draws topics of its own."""
    with running(tmp_path_factory.mktemp("backend")) as shared:
        yield shared


@pytest.fixture(scope="module")
def call(backend: Backend) -> InProcess:
    return InProcess(backend)


@pytest.fixture(scope="module")
def adapter() -> Iterator[AdapterProcess]:
    with closing(AdapterProcess()) as process:
        yield process
