"""Print or rewrite the digests of the ledger: `spec_digests.py [--write] SPEC...`.

Without --write, prints id and digest of every requirement of each specification document. With --write, puts them
into the ledger's files, to be done once the clauses of every changed requirement have been looked at. A requirement
that the ledger lacks, or a bound table or proto block that the document lacks, is an error (exit code 2).
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import conformance.ledger
from conformance.ledger.document import SpecDocument, SpecDocumentError, read_document
from conformance.ledger.load import FILES, load
from conformance.ledger.model import LedgerError


def digests(document: SpecDocument) -> dict[str, str]:
    """Return the digest of every requirement; raises LedgerError for one that cannot be made in full."""
    found = {}
    for name in document.requirements:
        requirement = load().requirement(name)
        for bind in requirement.binds:
            if not document.bound(bind, name):
                raise LedgerError(f"{name} binds {bind}, which the document does not have.")
        found[name] = document.digest(name, requirement.binds)
    return found


def rewrite(text: str, found: dict[str, str]) -> str:
    """Return the text of a ledger file with the digests of `found` in place of those it has."""
    for name, digest in found.items():
        text = re.sub(rf'(?m)(^\[{name}\]\n(?:(?!^\[).*\n)*?digest = )"[0-9a-f]*"', rf'\1"{digest}"', text)
    return text


def main() -> int:
    """Run the script; returns the exit code."""
    parser = argparse.ArgumentParser(description="Print or rewrite the digests of the ledger.")
    parser.add_argument("spec", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="put the digests into the ledger's files")
    arguments = parser.parse_args()
    try:
        found = {name: digest for path in arguments.spec for name, digest in digests(read_document(path)).items()}
    except (LedgerError, SpecDocumentError) as error:
        print(error, file=sys.stderr)
        return 2
    if not arguments.write:
        print(*(f"{name} {digest}" for name, digest in found.items()), sep="\n")
        return 0
    for file in FILES.values():
        path = Path(conformance.ledger.__file__).with_name(file)
        path.write_text(rewrite(path.read_text(encoding="utf-8"), found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
