"""Reading an identity update: its actions, and what is wrong with its form whoever signed it (IDENT-001, 003, 013)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from google.protobuf.message import DecodeError, Message

from conformance.oracle.identity.actions import Action, Add, ChangeRecovery, Claim, Create, Revoke
from conformance.oracle.identity.handles import HandleRules, delimited
from conformance.oracle.identity.identifiers import Identifier, Kind, is_address, is_hex, is_point
from conformance.oracle.identity.verdict import (
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Fault,
)
from conformance.pb import association_pb2, signature_pb2

_INBOX_ID_CHARACTERS = 64
_INSTALLATION_KEY_BYTES = 32
_UPDATE = frozenset({INVALID_IDENTITY_UPDATE})
_PAYLOAD = frozenset({MALFORMED_PAYLOAD})
# where reading an update and judging it cannot be told apart from outside
_EITHER = _UPDATE | _PAYLOAD
_ANY = _EITHER | {INVALID_SIGNATURE}
_RETIRED = 4
_ETHEREUM_KINDS = (association_pb2.IDENTIFIER_KIND_UNSPECIFIED, association_pb2.IDENTIFIER_KIND_ETHEREUM)

Signature = signature_pb2.Signature


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What was read. `actions` are all of them, or None when one is unreadable: then there is no signed text.

    `on_topic` tells whether the update belongs on a topic at all (TOPIC-002).
    """

    inbox_id: str
    client_timestamp_ns: int
    actions: tuple[Action, ...] | None
    faults: tuple[Fault, ...]
    on_topic: bool = True


@dataclass(kw_only=True)
class _Reader:
    """Reads one update and gathers its faults."""

    handles: HandleRules | None
    faults: list[Fault] = field(default_factory=list)

    def fault(self, rule: str, says: str, reasons: frozenset[int], *, may_be_taken: bool = False) -> None:
        self.faults.append(Fault(rule=rule, says=says, reasons=reasons, may_be_taken=may_be_taken))

    def action(self, action: association_pb2.IdentityAction) -> Action | None:
        """Read an action; None for an unreadable one."""
        claims = [] if self.handles is None else delimited(action.SerializeToString(), self.handles.action_field)
        arm = action.WhichOneof("kind")
        if claims and self.handles is not None:
            if arm is None:
                return self.claim(b"".join(claims), self.handles)
            self.fault("IDENT-001", "an action has two kinds at once", _ANY, may_be_taken=True)
        match arm:
            case "create_inbox":
                create = action.create_inbox
                owner = self.named(create.initial_identifier, create.initial_identifier_kind)
                signatures = (self.slot(create, "initial_identifier_signature"),)
                return None if owner is None else Create(owner=owner, nonce=create.nonce, signatures=signatures)
            case "add":
                member = self.member(action.add, "new_member_identifier")
                both = tuple(
                    self.slot(action.add, name) for name in ("existing_member_signature", "new_member_signature")
                )
                return None if member is None else Add(member=member, signatures=both)
            case "revoke":
                member = self.member(action.revoke, "member_to_revoke")
                signatures = (self.slot(action.revoke, "recovery_identifier_signature"),)
                return None if member is None else Revoke(member=member, signatures=signatures)
            case "change_recovery_address":
                change = action.change_recovery_address
                to = self.named(change.new_recovery_identifier, change.new_recovery_identifier_kind)
                signatures = (self.slot(change, "existing_recovery_identifier_signature"),)
                return None if to is None else ChangeRecovery(to=to, signatures=signatures)
            case _:
                self.fault("IDENT-001", "an action has no kind", _EITHER)
                return None

    def claim(self, body: bytes, handles: HandleRules) -> Claim | None:
        """Read a claim from its raw field."""
        try:
            texts = [part.decode() for part in delimited(body, handles.handle_field)]
            slots = delimited(body, handles.signature_field) if handles.signature_field else []
            signature = Signature.FromString(b"".join(slots)) if slots else None
        except (ValueError, DecodeError):  # no message, or a text that is no UTF-8
            self.fault("IDENT-001", "a claim cannot be decoded", _PAYLOAD)
            return None
        if not handles.signature_field:
            return Claim(handle=texts[-1] if texts else "", signatures=())
        return Claim(handle=texts[-1] if texts else "", signatures=(self.filled(signature),))

    def slot(self, action: Message, name: str) -> Signature | None:
        """Read the signature of a slot."""
        return self.filled(cast("Signature", getattr(action, name)) if action.HasField(name) else None)

    def filled(self, signature: Signature | None) -> Signature | None:
        """Take a signature of a known kind; the retired fourth kind is none."""
        if signature is None or signature.WhichOneof("signature") is None:
            self.fault("IDENT-030", "a signature is missing", _ANY)
            return None
        if delimited(signature.SerializeToString(), _RETIRED):
            self.fault("IDENT-030", "a signature of the retired kind stands beside another", _ANY, may_be_taken=True)
        return signature

    def member(self, action: Message, name: str) -> Identifier | None:
        """Read the member an action speaks of."""
        member: association_pb2.MemberIdentifier = getattr(action, name)
        match member.WhichOneof("kind"):
            case "ethereum_address":
                return self.address(member.ethereum_address)
            case "installation_public_key":
                key = member.installation_public_key
                if len(key) != _INSTALLATION_KEY_BYTES:
                    self.fault("IDENT-001", "an installation key is not 32 bytes long", _EITHER, may_be_taken=True)
                return Identifier(kind=Kind.INSTALLATION, text=key.hex())
            case "passkey":
                return self.passkey(member.passkey.key)
            case _:
                self.fault("IDENT-001", "a member has no kind", _EITHER)
                return None

    def named(self, text: str, kind: int) -> Identifier | None:
        """Read an owner or a recovery identifier, given as text beside its kind."""
        if kind == association_pb2.IDENTIFIER_KIND_PASSKEY:
            if not is_hex(text):
                self.fault("IDENT-013", "a passkey is not written in hex", _EITHER)
                return None
            if text != text.lower():
                self.fault("IDENT-013", "a passkey is written in capitals", _ANY, may_be_taken=True)
            return self.passkey(bytes.fromhex(text))
        if kind not in _ETHEREUM_KINDS:
            self.fault("IDENT-001", f"an identifier is of the unknown kind {kind}", _EITHER, may_be_taken=True)
        return self.address(text)

    def address(self, text: str) -> Identifier:
        """Read an address; a misspelt one still stands in the signed text as it is."""
        if not is_address(text):
            self.fault("IDENT-013", "an address is not 0x and 40 lowercase digits", _EITHER)
        return Identifier(kind=Kind.ETHEREUM, text=text)

    def passkey(self, key: bytes) -> Identifier:
        """Read the key of a passkey."""
        if not is_point(key):
            self.fault("IDENT-013", "a passkey is no P-256 point", _EITHER, may_be_taken=True)
        return Identifier(kind=Kind.PASSKEY, text=key.hex())


def read(update: association_pb2.IdentityUpdate, handles: HandleRules | None = None) -> Reading:
    """Read an update. Without `handles` a claim is an action without kind, as it is to a deployment without handles."""
    if len(update.inbox_id) != _INBOX_ID_CHARACTERS or not is_hex(update.inbox_id):
        fault = Fault(rule="TOPIC-002", says="the inbox id is not 64 hexadecimal characters", reasons=_PAYLOAD)
        return Reading(
            inbox_id=update.inbox_id,
            client_timestamp_ns=update.client_timestamp_ns,
            actions=None,
            faults=(fault,),
            on_topic=False,
        )
    reader = _Reader(handles=handles)
    if update.inbox_id != update.inbox_id.lower():
        reader.fault("IDENT-003", "the inbox id is written in capitals", _EITHER)
    if not update.actions:
        reader.fault("IDENT-001", "there are no actions", _UPDATE)
    actions = [reader.action(action) for action in update.actions]
    return Reading(
        inbox_id=update.inbox_id,
        client_timestamp_ns=update.client_timestamp_ns,
        actions=None if None in actions else tuple(action for action in actions if action is not None),
        faults=tuple(reader.faults),
    )
