"""From the journal of a run to its results: the ledger joined with what happened."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.digest import suite_digest
from conformance.ledger.load import load
from conformance.verdict.assemble import assemble
from conformance.verdict.journal import read_journal

if TYPE_CHECKING:
    from conformance.verdict.results import Power, Results

JOURNAL_FILE = "journal.jsonl"
RESULTS_FILE = "results.json"
PLAN_FILE = "plan.json"
SUMMARY, JUNIT = "summary.md", "junit.xml"
# What `prove` found for the suite as it is shipped.
_POWER_FILE = Path(__file__).parent.parent / "prove" / "power.json"


def clear_results(out: Path) -> None:
    """Remove what an earlier run left in `out`: whatever becomes of this run, that must not be taken for it.

    Raises OSError when something cannot be removed.
    """
    for name in (JOURNAL_FILE, RESULTS_FILE, PLAN_FILE, SUMMARY, JUNIT, "transcripts"):
        path = out / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def results_of(journal: Path) -> Results:
    """Assemble the results of a run, finished or killed, from its journal; raises JournalError or AssemblyError."""
    return assemble(ledger_view(), read_journal(journal), power=known_power())


def known_power() -> dict[str, Power] | None:
    """Per clause, how many seeded faults were proved to turn it red; None unless proved for this very suite."""
    if not _POWER_FILE.exists():
        return None
    proof = json.loads(_POWER_FILE.read_text(encoding="utf-8"))
    return proof["power"] if proof["digest"] == suite_digest() else None


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
