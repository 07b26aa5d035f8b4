"""`xmtp-conformance list` and `explain`: what the ledger holds, and everything known about one requirement."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.lint_command import seeded_faults, suite_marks
from conformance.cli.spec_commands import printable, usage_errors
from conformance.ledger import needs
from conformance.ledger.document import read_document
from conformance.ledger.load import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.ledger.document import SpecDocument
    from conformance.ledger.model import Clause, Ledger, Requirement

_PARTIES = {
    "backend": frozenset({"backend"}),
    "client": frozenset({"client", "sdk", "app"}),
    "all": frozenset({"backend", "client", "sdk", "app"}),
}
_STATES = ("tested", "planned", "not observable")
_SEES = {
    "full": "fully: one run decides",
    "part": "partly: a violation is proof, the absence of one is not",
    "none": "not at all",
}
_WIDTH = 110
_SPEC = click.option(
    "--spec",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A specification document (Markdown or tab-separated text) to quote from.",
)


@click.command("list")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option("--role", type=click.Choice(list(_PARTIES)), default="all", help="Whose obligations.")
@click.option("--state", type=click.Choice([state.replace(" ", "-") for state in _STATES]), help="Only these clauses.")
@click.option("--clauses", "by_clause", is_flag=True, help="One line per clause instead of one per requirement.")
@_SPEC
@usage_errors
def list_command(patterns: tuple[str, ...], role: str, state: str | None, by_clause: bool, spec: Path | None) -> None:
    """List requirements and how many of their clauses are tested, planned or not observable.

    A PATTERN is a requirement or clause, such as API-222, 'API-25*' or SEND-007.a.
    """
    ledger = load()
    document = None if spec is None else read_document(spec)
    chosen = ledger.select(patterns) if patterns else frozenset(clause.id for clause in ledger.clauses())
    listed = [
        clause
        for clause in ledger.clauses()
        if clause.id in chosen and clause.party in _PARTIES[role] and state in {None, _state(clause).replace(" ", "-")}
    ]
    if not listed:
        click.echo("No clause matches.")
        return
    rows = _clause_rows(listed) if by_clause else _requirement_rows(ledger, listed)
    for key, line in _aligned(rows):
        click.echo(line)
        if document is not None and key.split("-")[0] in document.contracts:
            click.echo(_quote(document, ledger.requirements[key], spec))
    counts = ", ".join(f"{sum(_state(clause) == word for clause in listed)} {word}" for word in _STATES)
    click.echo(f"\n{len({c.requirement for c in listed})} requirements, {len(listed)} clauses: {counts}.")


@click.command("explain")
@click.argument("name", metavar="ID")
@_SPEC
@usage_errors
def explain_command(name: str, spec: Path | None) -> None:
    """Show everything about one requirement or clause: what it says, how it is judged, its tests and its faults."""
    ledger = load()
    head, dot, tail = name.partition(".")
    exact = head.upper() + dot + tail.lower()
    requirement = ledger.requirement(ledger.clause(exact).requirement if dot else exact)
    click.echo(f"{requirement.id}  {requirement.title}")
    click.echo(f"  contract  {requirement.contract}")
    click.echo(f"  section   {requirement.section}")
    click.echo(f"  binds     {', '.join(requirement.binds) or 'its own text only'}")
    if spec is not None:
        click.echo(_quote(read_document(spec), requirement, spec))
    marks, faults = suite_marks(), seeded_faults()
    for clause in requirement.clauses:
        if not dot or clause.id == exact:
            click.echo()
            click.echo("\n".join(_clause_lines(clause)))
            click.echo(_paragraph("tests", _covering(marks, clause.id)))
            click.echo(_paragraph("faults", _covering(faults, clause.id)))


def _state(clause: Clause) -> str:
    return clause.state if clause.observable else "not observable"


def _requirement_rows(ledger: Ledger, listed: Sequence[Clause]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("ID", "TITLE", "SECTION", *(word.upper() for word in _STATES))]
    for requirement in ledger.requirements.values():
        states = [_state(clause) for clause in listed if clause.requirement == requirement.id]
        if states:
            counts = (str(states.count(word)) for word in _STATES)
            rows.append((requirement.id, requirement.title, requirement.section_number, *counts))
    return rows


def _clause_rows(listed: Sequence[Clause]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("ID", "PARTY", "STATE", "SEES", "VERDICT", "SAYS")]
    rows += [(c.id, c.party, _state(c), c.sees, _weight(c), c.says) for c in listed]
    return rows


def _weight(clause: Clause) -> str:
    """Tell what an outcome of the clause counts for."""
    if clause.owner is not None:
        return f"{clause.owner}'s"
    if clause.advisory:
        return "advisory"
    return clause.level if clause.observable else "-"


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield the first cell and the whole line of each row, columns aligned."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        yield row[0], "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _quote(document: SpecDocument, requirement: Requirement, spec: Path | None) -> str:
    found = document.requirements.get(requirement.id)
    text = f"(not in {spec})" if found is None else f'"{printable(found.text)}"'
    return _paragraph("spec", text)


def _clause_lines(clause: Clause) -> Iterator[str]:
    yield f"{clause.id}  {clause.party}, {_weight(clause)}, {_state(clause)}"
    yield _paragraph("says", clause.says)
    yield _paragraph("sees", _SEES[clause.sees])
    if clause.why_not is not None:
        yield _paragraph("why not", clause.why_not)
    else:
        yield _paragraph("needs", "; ".join(map(needs.in_words, clause.needs)) or "nothing beyond what is under test")
    if clause.note is not None:
        yield _paragraph("note", clause.note)


def _covering(named: Mapping[str, tuple[str, ...]] | None, clause_id: str) -> str:
    """Name the tests or faults that have to do with a clause."""
    if named is None:
        return "unknown, for this installation has none"
    return ", ".join(sorted(name for name, clauses in named.items() if clause_id in clauses)) or "none"


def _paragraph(label: str, text: str) -> str:
    return textwrap.fill(
        text,
        width=_WIDTH,
        initial_indent=f"  {label:<10}",
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )
