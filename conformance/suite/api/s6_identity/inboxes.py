"""Inboxes of one case, followed by the oracle as they are written, and lookups judged by what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.craft.identity.update import IdentityUpdate, Inbox, identity_envelope, named
from conformance.craft.identity.wallet import Wallet
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.lookups import echoed, lookups, resolved
from conformance.oracle.status import ended, succeeded
from conformance.oracle.violation import Violation
from conformance.pb import association_pb2, backend_pb2
from conformance.suite.api.s3_publish.judging import admitted
from conformance.target.errors import Missing
from conformance.target.patience import PATIENCE_S, until
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.craft.draw import Draw
    from conformance.craft.identity.handles import HandlesProfile
    from conformance.craft.identity.identifier import MemberId
    from conformance.craft.identity.signer import Signer
    from conformance.target.answers import Resolved
    from conformance.target.node import Node

Request = backend_pb2.GetInboxIdsRequest
Entry = tuple[str, int]
ETHEREUM = int(association_pb2.IDENTIFIER_KIND_ETHEREUM)
PASSKEY = int(association_pb2.IDENTIFIER_KIND_PASSKEY)
UNSPECIFIED = int(association_pb2.IDENTIFIER_KIND_UNSPECIFIED)
# Seconds. The case has failed by then: examples that a property shrinks to are not waited for anew.
_LITTLE_S = 0.1


class Inboxes:
    """Publishes updates, which must be taken, and looks identifiers up."""

    def __init__(self, node: Node, draw: Draw, *, handles: HandlesProfile | None = None) -> None:
        self.node = node
        self.draw = draw
        self.handles = handles
        self.directory = Directory(handles=handles)
        self._patience_s = PATIENCE_S

    def open(self, owner: Signer | None = None) -> Inbox:
        """Open an inbox of an owner, or of a new wallet."""
        inbox = Inbox(owner or Wallet.drawn(self.draw))
        self.publish(inbox.create())
        return inbox

    def publish(self, *updates: IdentityUpdate) -> None:
        """Publish updates in one request, all of which must be taken."""
        answer = self.node.publish(*map(identity_envelope, updates))
        admitted(answer)
        for update, meta in zip(updates, answer.metas, strict=True):
            self.directory.store(update, sequence_id=meta.sequence_id, server_ns=meta.server_ns)

    def resolve(self, *entries: Entry) -> Resolved:
        """Judge that entries resolve to the inboxes they are in; return the answer.

        Asks again while a lagging copy may be catching up (API section 1). Any echo is lawful.
        Raises Missing when one request may not have so many entries.
        """
        request = self._asked(entries)
        answer = until(
            lambda: self.node.inbox_ids(request), lambda told: self._settled(request, told), patience_s=self._patience_s
        )
        succeeded(answer.call)
        try:
            resolved(self.directory, request, answer.response)
        except Violation:
            self._patience_s = _LITTLE_S
            raise
        return answer

    def resolve_and_echo(self, *entries: Entry) -> None:
        """Judge that entries resolve as with `resolve`, and come back letter for letter."""
        answer = self.resolve(*entries)
        lookups(self.directory, asked(*entries), answer.response)

    def echo(self, *entries: Entry) -> None:
        """Judge that entries come back in their places, letter for letter, whatever they resolve to."""
        request = self._asked(entries)
        answer = self.node.inbox_ids(request)
        succeeded(answer.call)
        echoed(request, answer.response)

    def resolve_or_refuse(self, *entries: Entry) -> Resolved:
        """Judge a lookup that may be refused for what its entries are, and that must be right otherwise."""
        answer = self.node.inbox_ids(self._asked(entries))
        ended(answer.call, (Code.OK, Code.INVALID_ARGUMENT))
        return answer if answer.status.code is Code.INVALID_ARGUMENT else self.resolve(*entries)

    def _asked(self, entries: Sequence[Entry]) -> Request:
        if len(entries) > self.node.limits.max_lookup_identifiers:
            raise Missing("limits", f"one lookup may have fewer than {len(entries)} entries")
        return asked(*entries)

    def _settled(self, request: Request, answer: Resolved) -> bool:
        """Tell whether to ask again would change nothing: the answer is right, or wrong in a way no lag explains."""
        if answer.status.code is not Code.OK:
            return True
        try:
            resolved(self.directory, request, answer.response)
        except Violation as violation:
            return violation.reason != "wrong-inbox"
        return True


def asked(*entries: Entry) -> Request:
    """Put entries, each an identifier and the number of its kind, into a request."""
    request = Request()
    for identifier, kind in entries:
        request.requests.add(identifier=identifier, identifier_kind=kind)
    return request


def in_capitals(text: str, mask: int) -> str:
    """Write those letters as capitals that the bits of a number name; the x in front of an address stays as it is."""
    shown = "".join(char.upper() if mask >> place & 1 else char for place, char in enumerate(text))
    return text[:2] + shown[2:] if text.startswith("0x") else shown


def entry(member: Signer | MemberId) -> Entry:
    """Name a wallet or a passkey as a lookup does, in lower case."""
    identifier = named(member)
    return identifier.text, int(identifier.kind_number)
