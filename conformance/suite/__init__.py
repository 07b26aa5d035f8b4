"""The conformance tests: a folder per section of a contract, a module per requirement, a test per obligation.

Run them with `xmtp-conformance run`, or with `pytest --pyargs conformance.suite`.
"""

from __future__ import annotations

from typing import Protocol

import pytest


class Notes(Protocol):
    """The fixture `notes`: where a test leaves findings that the contract leaves open."""

    def add(self, sentence: str) -> None:
        """Note one sentence."""


class Classes(Protocol):
    """The fixture `classes`: where a property says which classes of input its examples belong to."""

    def reach(self, *names: str) -> None:
        """Record that one example belongs to the named classes."""


def covers(*clauses: str) -> pytest.MarkDecorator:
    """Name the clauses of the ledger that the marked test decides, such as `API-222.a`."""
    return pytest.mark.covers(*clauses)


def reaches(*classes: str) -> pytest.MarkDecorator:
    """Name the classes of input that the marked property must have tried; without them it decides nothing."""
    return pytest.mark.reaches(*classes)
