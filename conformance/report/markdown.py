"""Draws a summary in Markdown, small enough for a comment on a pull request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.report.facts import counts, power, setting, subject
from conformance.report.findings import findings
from conformance.report.rows import sections
from conformance.report.text import LEFT_IN, one_line
from conformance.verdict.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from conformance.report.findings import Finding
    from conformance.verdict.results import Results

# GitHub refuses a comment of more than 65,536 characters.
LONGEST_SUMMARY = 60_000
_LONGEST_FINDING, _LONGEST_NAME, _LONGEST_NOTE = 300, 300, 160
# Each of these can start markup, a mention, a link, an issue reference, a formula or HTML. As a numeric character
# reference it is shown and starts nothing.
_SPECIAL = re.compile(r"[&<>|\\`*_~\[\]#@$!^]|:(?=[\w+/-])|(?<=www)\.")


def render(results: Results) -> str:
    """Draw the summary: the sentence, violations and doubts first, then counts, then every requirement folded away.

    The text stays below 60,000 characters; rows that did not fit are counted, never dropped in silence.
    """
    head = [f"**{_escape(one_line(results['summary']['sentence'], longest=1000))}**", ""]
    tail = [*_counts(results), *_requirements(results, LONGEST_SUMMARY // 2)]
    room = LONGEST_SUMMARY - len("\n".join([*head, *tail])) - 2
    return "\n".join([*head, *_findings(results, room), *tail]) + "\n"


def _findings(results: Results, room: int) -> list[str]:
    failed, undecided = findings(results, Outcome.FAILED), findings(results, Outcome.UNDECIDED)
    rows = [
        *(_finding(Verdict.FAIL, finding) for finding in failed if finding.decides),
        *(_finding(Verdict.INCONCLUSIVE, finding) for finding in undecided if finding.decides),
        *(_finding("fail, decides nothing", finding) for finding in failed if not finding.decides),
        *(_finding("doubt, decides nothing", finding) for finding in undecided if not finding.decides),
    ]
    if not rows:
        return []
    return [*_table(("verdict", "clauses", "finding", "case and how to run it again"), rows, room), ""]


def _finding(word: str, finding: Finding) -> str:
    sentence = _code(finding.sentence, _LONGEST_FINDING)
    where = f"{_code(finding.case, _LONGEST_NAME)}<br>{_code(finding.repro, _LONGEST_NAME)}"
    return _row(word, _escape(one_line(", ".join(finding.clauses), longest=_LONGEST_NAME)), sentence, where)


def _counts(results: Results) -> list[str]:
    summary = results["summary"]
    retried = f"; retries: {summary['retries']}" if summary["retries"] else ""
    facts = {
        "backend": subject(results, "backend"),
        "client": subject(results, "client"),
        "run": setting(results),
        "requirements": f"{summary['requirements_total']}: {counts(summary['requirements'])}",
        "clauses": f"{summary['clauses_total']}, {summary['clauses_run']} of them run: {counts(summary['clauses'])}",
        "cases": f"{summary['cases_total']}: {counts(summary['cases'])}{retried}",
        "power": power(results),
        "digest": results["digest"],
    }
    rows = [_row(name, _escape(text)) for name, text in facts.items()]
    return [*_table(("run", "value"), rows, LONGEST_SUMMARY), ""]


def _requirements(results: Results, room: int) -> list[str]:
    rows = [
        _row(row.id, row.verdict, f"{row.run}/{row.total}", _escape(row.title), _escape(_short(row.note)))
        for section in sections(results)
        for row in section.rows
    ]
    return [
        f"<details><summary>All {len(rows)} requirements</summary>",
        "",
        *_table(("requirement", "verdict", "clauses run", "title", "note"), rows, room),
        "",
        "</details>",
    ]


def _table(columns: tuple[str, ...], rows: list[str], room: int) -> list[str]:
    """Draw a table in at most `room` characters, its last line saying how many rows are left out if any are."""
    lines = [_row(*columns), _row(*("---" for _ in columns))]
    worst_case = _left_out(len(rows))
    left = room - sum(len(line) + 1 for line in (*lines, "", worst_case))
    for shown, row in enumerate(rows):
        left -= len(row) + 1
        if left < 0:
            return [*lines, "", _left_out(len(rows) - shown)]
        lines.append(row)
    return lines


def _left_out(rows: int) -> str:
    return f"{rows} more rows did not fit; see {LEFT_IN}."


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _short(text: str) -> str:
    return one_line(text, longest=_LONGEST_NOTE)


def _code(text: str, longest: int) -> str:
    # Mentions inside code notify nobody, whatever escapes a renderer undoes before it looks for them.
    return f"<code>{_escape(one_line(text, longest=longest))}</code>"


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"&#{ord(found.group())};", text)
