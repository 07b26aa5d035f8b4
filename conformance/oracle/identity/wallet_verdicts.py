"""What VerifySmartContractWalletSignatures must answer where the chain does as it was told (API-271)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.violation import Violation
from conformance.pb import backend_pb2

Response = backend_pb2.VerifySmartContractWalletSignaturesResponse


def verdicts(response: Response, valid: Sequence[bool]) -> None:
    """Judge that each entry has the verdict of the chain at its place; any error text beside it is lawful.

    Reasons: `entry-count`, `wrong-verdict`.
    """
    told = [entry.is_valid for entry in response.responses]
    _same_count(len(told), len(valid))
    if told != list(valid):
        index = next(index for index, (one, other) in enumerate(zip(told, valid, strict=True)) if one != other)
        raise Violation(
            "wrong-verdict",
            f"The signature at index {index} is answered is_valid {told[index]}, unlike the verdict of its chain.",
            witness={"answered": told, "verdicts": list(valid)},
        )


def blocks(response: Response, reached_at: Sequence[int]) -> None:
    """Judge that each entry names the block its verdict was reached at.

    Reasons: `entry-count`, `missing-block`, `wrong-block`.
    """
    _same_count(len(response.responses), len(reached_at))
    for index, (entry, wanted) in enumerate(zip(response.responses, reached_at, strict=True)):
        if not entry.HasField("block_number"):
            raise Violation("missing-block", f"The verdict at index {index} names no block.")
        if entry.block_number != wanted:
            raise Violation(
                "wrong-block",
                f"The verdict at index {index} names another block than it was reached at.",
                witness={"answered": entry.block_number, "reached at": wanted},
            )


def _same_count(told: int, asked: int) -> None:
    if told != asked:
        raise Violation("entry-count", f"A request with {asked} signatures was answered with {told} verdicts.")
