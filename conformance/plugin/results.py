"""From the journal of a run to its results: the ledger joined with what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.ledger.load import load
from conformance.verdict.assemble import assemble
from conformance.verdict.journal import read_journal

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.verdict.results import Results

JOURNAL_FILE = "journal.jsonl"
RESULTS_FILE = "results.json"


def results_of(journal: Path) -> Results:
    """Assemble the results of a run, finished or killed, from its journal; raises JournalError or AssemblyError."""
    return assemble(ledger_view(), read_journal(journal))


def ledger_view() -> dict[str, Any]:
    """The ledger in the plain form that the assembly of results takes."""
    return {
        "requirements": {
            requirement.id: {
                "title": requirement.title,
                "section": requirement.section,
                "clauses": {
                    clause.id: {
                        "says": clause.says,
                        "party": clause.party,
                        "level": clause.level,
                        "sees": clause.sees,
                        "needs": list(clause.needs),
                        "state": clause.state,
                        "why_not": clause.why_not,
                        # An advisory clause is reported apart, as one that another contract owns is.
                        "owner": clause.owner or ("advisory" if clause.advisory else None),
                    }
                    for clause in requirement.clauses
                },
            }
            for requirement in load().requirements.values()
        }
    }
