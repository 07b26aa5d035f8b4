"""`xmtp-conformance spec check`: how specification documents differ from the ledger."""

from __future__ import annotations

import functools
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

import click

from conformance.ledger.document import SpecDocumentError, read_document
from conformance.ledger.drift import compare
from conformance.ledger.load import load
from conformance.ledger.model import LedgerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.ledger.document import SpecDocument

_Arguments = ParamSpec("_Arguments")


class UsageFailure(click.ClickException):
    """A command that cannot do its work; one sentence on stderr and exit code 2."""

    exit_code = 2


def usage_errors(command: Callable[_Arguments, None]) -> Callable[_Arguments, None]:
    """Turn a LedgerError or SpecDocumentError of a command into one sentence and exit code 2."""

    @functools.wraps(command)
    def guarded(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (LedgerError, SpecDocumentError) as error:
            raise UsageFailure(printable(str(error))) from error

    return guarded


def printable(text: str) -> str:
    """Return `text` without control and formatting characters, which a file could use to deceive a terminal."""
    return "".join(character for character in text if not unicodedata.category(character).startswith("C"))


@click.group("spec")
def spec_group() -> None:
    """Work with specification documents."""


@spec_group.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@usage_errors
def check_command(files: tuple[Path, ...]) -> None:
    """Name each requirement that is new, gone or changed in the FILEs since the ledger was written.

    A FILE is a specification as Markdown or as tab-separated text. Exit code 0 if nothing differs, 1 if anything
    does, 2 for a FILE that is no specification.
    """
    documents = {file: read_document(file) for file in files}
    differences = [line for file, document in documents.items() for line in _differences(file, document)]
    for line in differences:
        click.echo(printable(line))
    if differences:
        sys.exit(1)
    for file, document in documents.items():
        click.echo(printable(f"{file}: all {len(document.requirements)} requirements are as the ledger knows them."))


def _differences(file: Path, document: SpecDocument) -> Iterator[str]:
    ledger = load()
    drift = compare(ledger, document)
    for name in drift.new:
        yield f"{file}: {name} is new ({document.requirements[name].title})."
    for name in drift.gone:
        yield f"{file}: {name} is gone ({ledger.requirements[name].title})."
    for name in drift.changed:
        parts = ", ".join(("its text", *ledger.requirements[name].binds))
        yield f"{file}: {name} has changed ({parts})."
