"""The pytest plugin `xmtp-conformance`: inert in every run that does not name the suite or one of its options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.plugin import options

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the `--conformance-*` options."""
    options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Take part in this run only when it is one of ours."""
    if not options.concern(config):
        return
    # Imported late: a foreign test run must not pay for grpc and hypothesis.
    from conformance.plugin import activation  # noqa: PLC0415

    activation.activate(config)
