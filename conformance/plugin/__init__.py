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
    """Make the marks known to every run, and take part in this one only when it is one of ours."""
    config.addinivalue_line("markers", "covers(*clauses): the clauses of the ledger that the test decides")
    config.addinivalue_line("markers", "reaches(*classes): classes of input without which a property decides nothing")
    if not options.concern(config):
        return
    # Imported late: a foreign test run must not pay for grpc and hypothesis.
    from conformance.plugin import activation  # noqa: PLC0415

    activation.activate(config)
