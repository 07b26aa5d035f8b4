"""What GetInboxIds must answer, entry by entry, by a replay of the stored identity topics (API-270, API-299)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.oracle.identity.directory import Directory, claimed
from conformance.oracle.identity.handles import HandleRules, folded, name_part
from conformance.oracle.identity.identifiers import Identifier, Kind, is_hex, is_point
from conformance.oracle.violation import Violation
from conformance.pb import association_pb2, backend_pb2
from conformance.wire.transcript import Seen

Request = backend_pb2.GetInboxIdsRequest
Response = backend_pb2.GetInboxIdsResponse

_ADDRESS = re.compile(r"0[xX][0-9a-fA-F]{40}")
_ETHEREUM_KINDS = (association_pb2.IDENTIFIER_KIND_UNSPECIFIED, association_pb2.IDENTIFIER_KIND_ETHEREUM)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The lawful inbox ids of one entry, None for absent; and whether it may, or must, fail the whole request.

    More than one answer, or `may_fail` without `must_fail`, mean that the contract does not say; `open` then tells why.
    """

    inbox_ids: frozenset[str | None]
    may_fail: bool = False
    must_fail: bool = False
    open: str | None = None


def expected(directory: Directory, identifier: str, kind: int) -> Expected:
    """Say what one entry must be answered with."""
    if kind in _ETHEREUM_KINDS:
        return _address(directory, identifier)
    if kind == association_pb2.IDENTIFIER_KIND_PASSKEY:
        return _passkey(directory, identifier)
    if directory.handles is not None and kind == directory.handles.identifier_kind:
        return _handle(directory, folded(identifier))
    return Expected(inbox_ids=frozenset({None}), may_fail=True, open="a kind of identifier without a name")


def _address(directory: Directory, text: str) -> Expected:
    found = directory.inbox_of(Identifier(kind=Kind.ETHEREUM, text=folded(text)))
    if _ADDRESS.fullmatch(text) is None:
        return Expected(inbox_ids=frozenset({None}), may_fail=True, open="a text that is no address")
    if text.startswith("0X"):
        return Expected(inbox_ids=frozenset({found, None}), may_fail=True, open="an address with a capital prefix")
    return Expected(inbox_ids=frozenset({found}))


def _passkey(directory: Directory, text: str) -> Expected:
    if not is_hex(text):
        return Expected(inbox_ids=frozenset({None}), may_fail=True, open="a passkey that is no hex")
    found = directory.inbox_of(Identifier(kind=Kind.PASSKEY, text=text.lower()))
    if not is_point(bytes.fromhex(text)):
        return Expected(inbox_ids=frozenset({found}), may_fail=True, open="a passkey that is no point")
    return Expected(inbox_ids=frozenset({found}))


def _handle(directory: Directory, handle: str) -> Expected:
    if directory.handles is None or name_part(handle, directory.handles) is None:
        return Expected(inbox_ids=frozenset(), may_fail=True, must_fail=True)
    holders = directory.holders_of(handle)
    if any(handle not in spellings for spellings in holders.values()):
        return Expected(inbox_ids=frozenset({*holders, None}), open="a handle claimed in capitals")
    return Expected(inbox_ids=frozenset(holders or {None}))


def lookups(directory: Directory, request: Request, response: Response) -> None:
    """Judge the answer to a lookup, once reads have settled (answers may lag behind receipts).

    Reasons: `entry-count`, `echo-changed`, `should-have-failed`, `wrong-inbox`.
    """
    echoed(request, response)
    resolved(directory, request, response)


def echoed(request: Request, response: Response) -> None:
    """Judge that every entry is answered at its place, with its identifier and kind as sent (API-270.a).

    Reasons: `entry-count`, `echo-changed`.
    """
    for index, asked, answer in _paired(request, response):
        if (asked.identifier, asked.identifier_kind) != (answer.identifier, answer.identifier_kind):
            raise Violation(
                "echo-changed",
                f"The answer at index {index} does not repeat the identifier and kind that were asked for.",
                witness={
                    "asked": f"{asked.identifier!r} of kind {asked.identifier_kind}",
                    "answered": f"{answer.identifier!r} of kind {answer.identifier_kind}",
                },
            )


def resolved(directory: Directory, request: Request, response: Response) -> None:
    """Judge the inbox of every entry by its place, whatever the answer repeats of what was asked.

    Reasons: `entry-count`, `should-have-failed`, `wrong-inbox`.
    """
    for index, asked, answer in _paired(request, response):
        want = expected(directory, asked.identifier, asked.identifier_kind)
        if want.must_fail:
            raise Violation(
                "should-have-failed",
                f"The entry at index {index} is no handle by the grammar, and the request was answered all the same.",
                witness={"identifier": asked.identifier},
            )
        found = answer.inbox_id if answer.HasField("inbox_id") else None
        if found not in want.inbox_ids:
            raise Violation(
                "wrong-inbox",
                f"The entry at index {index} resolves to another inbox than the stored identity topics say.",
                witness={
                    "identifier": asked.identifier,
                    "kind": asked.identifier_kind,
                    "answered": found,
                    "expected": sorted(inbox_id or "absent" for inbox_id in want.inbox_ids),
                },
            )


def claimed_there(request: Request, response: Response, stored: Iterable[Seen], handles: HandleRules) -> None:
    """Judge that a handle resolves to an inbox whose topic holds a claim of it, whatever else is there (API-299).

    For inboxes of strangers, whose logs may be older than a rule. `stored` are complete reads of the identity topics
    of all inboxes in the answer, made after it. An absent inbox is lawful. Reasons: `entry-count`, `wrong-inbox`.
    """
    claims: set[tuple[str, str]] = set()
    for one in stored:
        update = backend_pb2.ClientEnvelope.FromString(one.envelope or b"").identity_update
        claims.update((update.inbox_id.lower(), folded(handle)) for handle in claimed(update, handles))
    for index, asked, answer in _paired(request, response):
        if answer.HasField("inbox_id") and (answer.inbox_id, folded(asked.identifier)) not in claims:
            raise Violation(
                "wrong-inbox",
                f"The handle at index {index} resolves to an inbox whose identity topic holds no claim of it.",
                witness={"identifier": asked.identifier, "answered": answer.inbox_id},
            )


def _paired(request: Request, response: Response) -> list[tuple[int, Request.Request, Response.Response]]:
    """Put entries and answers together by place, numbered. Raises Violation `entry-count`."""
    if len(response.responses) != len(request.requests):
        raise Violation(
            "entry-count",
            f"A lookup of {len(request.requests)} entries was answered with {len(response.responses)}.",
        )
    return list(zip(itertools.count(), request.requests, response.responses, strict=False))


def may_fail(directory: Directory, request: Request) -> bool:
    """Tell whether a lookup may end INVALID_ARGUMENT for what one of its entries is."""
    return any(expected(directory, asked.identifier, asked.identifier_kind).may_fail for asked in request.requests)


def must_fail(directory: Directory, request: Request) -> bool:
    """Tell whether a lookup must end INVALID_ARGUMENT for what one of its entries is (API-299)."""
    return any(expected(directory, asked.identifier, asked.identifier_kind).must_fail for asked in request.requests)
