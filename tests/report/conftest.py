"""Results of a small run that shows every verdict and every kind of hostile text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.verdict.assemble import assemble
from conformance.verdict.events import CaseFinished, Note, Planned, RunFinished, RunStarted
from conformance.verdict.outcomes import Outcome

if TYPE_CHECKING:
    from conformance.verdict.results import Results

HOSTILE = (
    "wrong code ]]> | `x` <b>&amp; @everyone #12 https://evil.test www.evil.test $a$ \\ *b* [l](u)\x1b[2J\x07\r\n"
    "second line\u2028still \u202eright\x00 \ud800 \ufffe \U0001ffff\u200b\n  indented | line ]]>"
)


def _clause(**keys: object) -> dict[str, object]:
    plain = {"party": "backend", "level": "must", "sees": "full", "state": "tested", "needs": (), "why_not": None}
    return {**plain, "owner": None, **keys}


LEDGER = {
    "requirements": {
        "API-222": {
            "title": "Idempotency",
            "section": "3. Publish",
            "clauses": {"API-222.a": _clause(), "API-222.b": _clause(), "API-222.j.ident": _clause(owner="IDENT")},
        },
        "API-230": {
            "title": "Admission",
            "section": "3.1 Admission",
            "clauses": {"API-230.a": _clause(level="should")},
        },
        "API-200": {
            "title": "Sequence ids",
            "section": "1. Sequence ids",
            "clauses": {
                "API-200.a": _clause(),
                "API-200.b": _clause(sees="none", why_not="only the store knows"),
                "API-200.c": _clause(party="client", state="planned"),
            },
        },
        "API-1000": {"title": "Ten", "section": "3.1 Admission", "clauses": {"API-1000.a": _clause()}},
        "SEND-001": {"title": "Stored | first", "section": "10. Store", "clauses": {"SEND-001.a": _clause()}},
        "SEND-002": {
            "title": "Power loss",
            "section": "2. Prepare",
            "clauses": {
                "SEND-002.a": _clause(sees="none", why_not="It is internal."),
                "SEND-002.b": _clause(needs=("profile:durability",)),
            },
        },
    }
}
PLAN = {
    "api/s1/test_200.py::test_ids": ("API-200.a",),
    "api/s3/test_222.py::test_same[permuted::x]": ("API-222.a", "API-222.j.ident"),
    "api/s3/test_222.py::test_owned": ("API-222.j.ident",),
    "api/s3/test_230.py::test_admission": ("API-230.a",),
    "api/s3/test_230.py::test_more": ("API-230.a",),
    "api/s10/test_1000.py::test_kill": ("API-1000.a",),
}


@pytest.fixture
def results() -> Results:
    """A run with violations, doubts, missing controls, notes and hostile text."""
    return make_results()


@pytest.fixture
def huge_results() -> Results:
    """The same with a message of one megabyte in one line."""
    return make_results(message="x" * 1_000_000)


@pytest.fixture
def many_results() -> Results:
    """A run in which 2,000 cases fail with long messages."""
    plan = {f"api/test.py::test_{number:04}": ("API-222.a",) for number in range(2000)}
    ends = [CaseFinished(id=case, outcome=Outcome.FAILED, message="|" * 5000) for case in plan]
    return assemble(LEDGER, [_start(), Planned(cases=plan), *ends, RunFinished(complete=True)])


def make_results(message: str = HOSTILE) -> Results:
    ends: list[Any] = [
        CaseFinished(id="api/s1/test_200.py::test_ids", outcome=Outcome.HELD, notes=(f"gap {HOSTILE}",)),
        CaseFinished(
            id="api/s3/test_222.py::test_same[permuted::x]",
            outcome=Outcome.FAILED,
            message=message,
            reason="wrong-code",
            transcript="transcripts/same.json",
            duration_s=0.25,
        ),
        CaseFinished(id="api/s3/test_222.py::test_owned", outcome=Outcome.FAILED, message="owned elsewhere"),
        CaseFinished(id="api/s10/test_1000.py::test_kill", outcome=Outcome.MISSING, missing=("kill",)),
        CaseFinished(
            id="api/s3/test_230.py::test_more", outcome=Outcome.UNDECIDED, message="its deadline passed", attempts=2
        ),
        Note(text="clock is off"),
        RunFinished(complete=False, why=f"worker gw1 crashed {HOSTILE}"),
    ]
    return assemble(LEDGER, [_start(), Planned(cases=PLAN), *ends])


def _start() -> RunStarted:
    backend = {"name": HOSTILE, "version": "1", "endpoints": ["127.0.0.1:5050"]}
    return RunStarted(
        seed=7,
        profile="smoke",
        started="2026-11-30T00:00:00Z",
        suite_version="0.1.0",
        spec={},
        subjects={"backend": backend},
        workers=2,
    )
