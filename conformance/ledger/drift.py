"""Compares the ledger with a specification document: which requirements are new, gone or changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.ledger.document import SpecDocument
    from conformance.ledger.model import Ledger


@dataclass(frozen=True, kw_only=True)
class Drift:
    """The ids by which a document differs from the ledger.

    `new` and `changed` are in document order, `gone` is in ledger order. Changed means that the digest differs: the
    title, the sentence, or a table or proto block that the requirement binds, a missing one included.
    """

    new: tuple[str, ...]
    gone: tuple[str, ...]
    changed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.changed)


def compare(ledger: Ledger, document: SpecDocument) -> Drift:
    """Tell how `document` differs from `ledger`; only requirements of a contract found in the document can be gone."""
    known = ledger.requirements
    return Drift(
        new=tuple(name for name in document.requirements if name not in known),
        gone=tuple(
            requirement.id
            for requirement in known.values()
            if requirement.contract in document.contracts and requirement.id not in document.requirements
        ),
        changed=tuple(
            name
            for name in document.requirements
            if name in known and document.digest(name, known[name].binds) != known[name].digest
        ),
    )
