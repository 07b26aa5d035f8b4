"""The errors of this package; the text of each is one sentence for the person who started the run."""

from __future__ import annotations


class VerdictError(Exception):
    """Base of every error raised by `conformance.verdict`."""


class EventError(VerdictError):
    """A journal event that contradicts itself or is not of a known form."""


class JournalError(VerdictError):
    """A journal that cannot be written or read."""


class AssemblyError(VerdictError):
    """Events and ledger that cannot belong to one run."""


class ResultsError(VerdictError):
    """A results file that cannot be written, read or trusted."""
