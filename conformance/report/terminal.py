"""Draws results for a terminal: every requirement, every finding, and the sentence last, where the eye stops."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING

from conformance.report.facts import counts, power, setting, subject
from conformance.report.findings import findings, notes
from conformance.report.rows import sections
from conformance.report.text import block, one_line
from conformance.verdict.outcomes import Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.report.findings import Finding
    from conformance.report.rows import Row
    from conformance.verdict.results import Results

NARROWEST = 60
_NARROWEST_COLUMN = 20
_LONGEST_LINE, _LONGEST_WITNESS, _MOST_LINES = 500, 4000, 40
_COLOURS = {
    Verdict.FAIL: "31;1",
    Verdict.STALE_BASELINE: "31",
    Verdict.KNOWN_FAILURE: "33",
    Verdict.INCONCLUSIVE: "33;1",
    Verdict.PARTIAL: "36",
    Verdict.NOT_RUN: "2",
    Verdict.NOT_OBSERVABLE: "2",
    Verdict.PASS: "32",
}
_MOST_NOTES, _MOST_OTHERS = 8, 3
_WORD_WIDTH = max(len(word) for word in Verdict)
_LABEL_WIDTH = len("transcript")
_INDENT = 4 + _LABEL_WIDTH + 2


def render(results: Results, *, width: int, color: bool, files: Mapping[str, Path] | None = None) -> str:
    """Draw the results for a terminal of `width` columns.

    Every verdict stands there as a word; `color` only adds to it. `files` maps names of written reports to where
    they are. Commands are never broken over lines, so that they can be copied.
    """
    pen = _Pen(width=max(width, NARROWEST), color=color)
    parts = [
        _head(pen, results),
        _table(pen, results),
        _group(pen, "Violations", _findings(results, Outcome.FAILED, decides=True), Verdict.FAIL),
        _group(pen, "Inconclusive", _findings(results, Outcome.UNDECIDED, decides=True), Verdict.INCONCLUSIVE),
        _group(pen, "Violations that decide nothing here", _findings(results, Outcome.FAILED, decides=False), None),
        _group(pen, "Doubts that decide nothing here", _findings(results, Outcome.UNDECIDED, decides=False), None),
        _notes(pen, results),
        _foot(pen, results, files or {}),
    ]
    return "\n".join(chain.from_iterable(parts)) + "\n"


class _Pen:
    """Wraps and colours lines."""

    def __init__(self, *, width: int, color: bool) -> None:
        self.width = width
        self._color = color

    def word(self, verdict: Verdict | None, text: str) -> str:
        """Write a word in the colour of a verdict."""
        if verdict is None or not self._color:
            return text
        return f"\x1b[{_COLOURS[verdict]}m{text}\x1b[0m"

    def wrap(self, text: str, *, first: str, rest: int) -> list[str]:
        """Wrap text behind the prefix `first`; further lines are indented by `rest` columns."""
        lines = textwrap.wrap(text, max(self.width - rest, _NARROWEST_COLUMN), break_on_hyphens=False) or [""]
        return [f"{first}{lines[0]}".rstrip(), *(" " * rest + line for line in lines[1:])]


def _head(pen: _Pen, results: Results) -> Iterator[str]:
    roles = {role: subject(results, role) for role in ("backend", "client")}
    yield from _listed(pen, {"xmtp-conformance": setting(results), **roles})


def _table(pen: _Pen, results: Results) -> Iterator[str]:
    groups = sections(results)
    rows = [row for section in groups for row in section.rows]
    names = max((len(row.id) for row in rows), default=0)
    shares = max((len(_share(row)) for row in rows), default=0)
    for section in groups:
        yield ""
        yield section.heading
        for row in section.rows:
            verdict = Verdict(row.verdict)
            word = pen.word(verdict, verdict.ljust(_WORD_WIDTH))
            first = f"  {row.id.ljust(names)}  {word}  {_share(row).rjust(shares)}  "
            text = f"{row.title} - {row.note}" if row.note else row.title
            yield from pen.wrap(text, first=first, rest=2 + names + 2 + _WORD_WIDTH + 2 + shares + 2)


def _share(row: Row) -> str:
    return f"{row.run}/{row.total}"


def _findings(results: Results, outcome: Outcome, *, decides: bool) -> list[Finding]:
    return [finding for finding in findings(results, outcome) if finding.decides is decides]


def _group(pen: _Pen, heading: str, found: list[Finding], verdict: Verdict | None) -> Iterator[str]:
    """Draw findings: one witness, the shortest, for all cases in which a clause broke, or was doubted, the same way."""
    if not found:
        return
    yield ""
    yield f"{pen.word(verdict, heading)} ({len(found)})"
    alike: dict[tuple[object, ...], list[Finding]] = {}
    for finding in found:
        key = (finding.clauses, finding.reason) if verdict is Verdict.FAIL else (finding.sentence, finding.witness)
        alike.setdefault((finding.reason, *key), []).append(finding)
    for same in alike.values():
        shortest = min(same, key=lambda finding: len(finding.sentence) + len(finding.witness))
        yield ""
        yield from pen.wrap(one_line(shortest.sentence, longest=_LONGEST_LINE), first="  ", rest=4)
        witness = shortest.witness
        for line in block(witness, longest=_LONGEST_WITNESS, most_lines=_MOST_LINES) if witness else ():
            yield from pen.wrap(line, first="    ", rest=6)
        if shortest.reason:
            text = one_line(shortest.reason, longest=_LONGEST_LINE)
            yield from pen.wrap(text, first=_labelled("reason", ""), rest=_INDENT)
        yield from _where(pen, shortest)
        yield from _as_well(pen, [finding for finding in same if finding is not shortest])


def _as_well(pen: _Pen, others: list[Finding]) -> Iterator[str]:
    if not others:
        return
    shown = [one_line(finding.case, longest=_LONGEST_LINE) for finding in others[:_MOST_OTHERS]]
    more = f", and {len(others) - _MOST_OTHERS} more" if len(others) > _MOST_OTHERS else ""
    text = f"{len(others)} more, all of them in results.json: {', '.join(shown)}{more}"
    yield from pen.wrap(text, first=_labelled("as well", ""), rest=_INDENT)


def _where(pen: _Pen, finding: Finding) -> Iterator[str]:
    clauses = one_line(", ".join(finding.clauses), longest=_LONGEST_LINE)
    yield from pen.wrap(clauses, first=_labelled("clause", ""), rest=_INDENT)
    yield _labelled("case", one_line(finding.case, longest=_LONGEST_LINE))
    yield _labelled("reproduce", one_line(finding.repro, longest=_LONGEST_WITNESS))
    if finding.transcript:
        yield _labelled("transcript", one_line(finding.transcript, longest=_LONGEST_LINE))
    if finding.attempts > 1:
        yield _labelled("attempts", str(finding.attempts))


def _labelled(name: str, text: str) -> str:
    return f"    {name.ljust(_LABEL_WIDTH)}  {text}"


def _notes(pen: _Pen, results: Results) -> Iterator[str]:
    found = notes(results)
    if not found:
        return
    yield ""
    yield f"Notes, which decide nothing ({len(found)})"
    for note in found[:_MOST_NOTES]:
        yield from pen.wrap(one_line(note, longest=_LONGEST_LINE), first="  ", rest=4)
    if len(found) > _MOST_NOTES:
        yield f"  and {len(found) - _MOST_NOTES} more, all of them in results.json"


def _foot(pen: _Pen, results: Results, files: Mapping[str, Path]) -> Iterator[str]:
    summary = results["summary"]
    run, total = summary["clauses_run"], summary["clauses_total"]
    lines = {
        "requirements": f"{summary['requirements_total']}: {counts(summary['requirements'])}",
        "clauses": f"{total}, {run} of them run: {counts(summary['clauses'])}",
        "cases": f"{summary['cases_total']}: {counts(summary['cases'])}; retries: {summary['retries']}",
        "power": power(results),
    }
    yield ""
    yield from _listed(pen, lines)
    yield ""
    yield from pen.wrap(one_line(summary["sentence"], longest=_LONGEST_WITNESS), first="", rest=2)
    names = max((len(name) for name in files), default=0)
    for name, path in files.items():
        yield f"{name.ljust(names)}  {path}"


def _listed(pen: _Pen, entries: Mapping[str, str]) -> Iterator[str]:
    names = max(len(name) for name in entries)
    for name, text in entries.items():
        yield from pen.wrap(text, first=f"{name.ljust(names)}  ", rest=names + 2)
