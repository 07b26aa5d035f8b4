"""Fields that have to be on the wire, or must not be (API-210.c): absent and zero are two things."""

from __future__ import annotations

from conformance.oracle.violation import Violation
from conformance.wire.transcript import PublishFailure


def index_as_due(failure: PublishFailure, *, due: bool) -> None:
    """Judge that PublishError.index is there when one envelope is at fault, 0 included, and absent otherwise.

    Which number it should be is judged elsewhere. Reasons: `index-absent`, `index-present`.
    """
    if due and failure.index is None:
        raise Violation(
            "index-absent", "PublishError.index is not on the wire although one envelope, the first, is at fault."
        )
    if not due and failure.index is not None:
        raise Violation(
            "index-present",
            f"PublishError.index is {failure.index}, but must be absent where the whole request is at fault.",
        )
