"""GetInboxIds: from a wallet, a passkey or a handle to the inbox behind it (API-270, API-299)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from google.protobuf.message import DecodeError

from conformance.pb.association_pb2 import IdentifierKind
from conformance.pb.backend_pb2 import GetInboxIdsRequest, GetInboxIdsResponse
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.identity.handles import HandlePolicy
from conformance.reference.backend.identity.handles_wire import HandlesTable
from conformance.reference.backend.identity.identifiers import MemberKind, hex_bytes
from conformance.reference.backend.identity.index import IdentityIndex, LiveAssociation
from conformance.reference.backend.store import Store, View

Asked = GetInboxIdsRequest.Request
Found = GetInboxIdsResponse.Response
_WALLETS = (IdentifierKind.IDENTIFIER_KIND_UNSPECIFIED, IdentifierKind.IDENTIFIER_KIND_ETHEREUM)


class InboxIds:
    """Serves GetInboxIds."""

    def __init__(
        self, *, store: Store, index: IdentityIndex, policy: HandlePolicy, bounds: Bounds, table: HandlesTable
    ) -> None:
        self.store = store
        self.index = index
        self.policy = policy
        self.bounds = bounds
        self.table = table

    def answer(self, request: bytes) -> bytes:
        """Serve one request."""
        try:
            asked = GetInboxIdsRequest.FromString(request)
        except DecodeError as error:
            raise Failure(Code.INVALID_ARGUMENT, "the request is not a GetInboxIdsRequest") from error
        self.bounds.lookup_identifiers(len(asked.requests))
        with self.view() as view:
            responses = self.responses(view, asked.requests)
        return GetInboxIdsResponse(responses=responses).SerializeToString()

    def view(self) -> AbstractContextManager[View]:
        """Open the view to read, which may lag a publish the client holds a receipt for (API section 1)."""
        return self.store.copy()

    def responses(self, view: View, asked: Sequence[Asked]) -> list[Found]:
        """Answer each entry at its place, also one that finds nothing."""
        return [self.response(entry, self.resolve(view, entry)) for entry in asked]

    def response(self, entry: Asked, topic: bytes | None) -> Found:
        """Return the answer to one entry: identifier and kind as sent, the inbox of a topic as found."""
        inbox_id = None if topic is None else topic[1:].hex()
        return Found(identifier=entry.identifier, identifier_kind=entry.identifier_kind, inbox_id=inbox_id)

    def resolve(self, view: View, entry: Asked) -> bytes | None:
        """Return the topic of the inbox behind an identifier; None when there is none."""
        if entry.identifier_kind == self.table.identifier_kind:
            return self.holder(view, self.handle(entry.identifier))
        if entry.identifier_kind in _WALLETS:
            return self.member(view, MemberKind.ETHEREUM, self.wallet(entry.identifier))
        if entry.identifier_kind == IdentifierKind.IDENTIFIER_KIND_PASSKEY:
            return self.member(view, MemberKind.PASSKEY, self.passkey(entry.identifier))
        raise Failure(Code.INVALID_ARGUMENT, f"identifier kind {entry.identifier_kind} is not known")

    def wallet(self, identifier: str) -> str:
        """Return the form in which an address is compared; whatever is no address matches none."""
        return self.policy.folded(identifier)

    def passkey(self, identifier: str) -> str:
        """Return the form in which a passkey is compared: its bytes; INVALID_ARGUMENT for what is no hexadecimal."""
        key = hex_bytes(identifier)
        if key is None:
            raise Failure(Code.INVALID_ARGUMENT, "a passkey is not in hexadecimal")
        return key.hex()

    def handle(self, identifier: str) -> str:
        """Return the form in which a handle is compared; INVALID_ARGUMENT for what the grammar does not allow."""
        folded = self.policy.folded(identifier)
        if self.policy.name(folded) is None:
            raise Failure(Code.INVALID_ARGUMENT, "a handle does not match the grammar")
        return folded

    def holder(self, view: View, handle: str) -> bytes | None:
        """Return the topic of the inbox that has claimed a handle, now or once."""
        return self.index.holder(view.connection, handle)

    def member(self, view: View, kind: MemberKind, text: str) -> bytes | None:
        """Return the topic of the inbox that an identifier is a member of."""
        live = self.index.associations(view.connection, kind, text)
        return self.winner(live).topic if live else None

    def winner(self, live: Sequence[LiveAssociation]) -> LiveAssociation:
        """Choose among live associations: the latest."""
        return max(live, key=lambda association: association.sequence_id)
