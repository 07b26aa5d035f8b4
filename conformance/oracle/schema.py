"""The messages of the contract as a table of our own: field numbers, types and presence (API-210).

Written from the tables of the contract, not from the descriptors that craft and target use, so that a mistake in one
of the two shows. A message is one line per field: number, type, name, and `optional`, `repeated` or `oneof:NAME`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VARINT_TYPES = frozenset({"bool", "enum", "uint32", "uint64"})
BYTES_TYPES = frozenset({"bytes", "string"})


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a message. `oneof` is the name of the oneof it belongs to, if any."""

    number: int
    type: str
    name: str
    optional: bool = False
    repeated: bool = False
    oneof: str | None = None

    @property
    def is_message(self) -> bool:
        """Whether the field holds another message of the table."""
        return self.type not in VARINT_TYPES | BYTES_TYPES

    @property
    def has_presence(self) -> bool:
        """Whether a default value on the wire differs from no value."""
        return self.is_message or self.optional or self.oneof is not None


def _message(*lines: str) -> Mapping[int, Field]:
    fields = {}
    for line in lines:
        number, type_name, name, *rest = line.split()
        mark = rest[0] if rest else ""
        fields[int(number)] = Field(
            number=int(number),
            type=type_name,
            name=name,
            optional=mark == "optional",
            repeated=mark == "repeated",
            oneof=mark.removeprefix("oneof:") if mark.startswith("oneof:") else None,
        )
    return fields


SCHEMA: Mapping[str, Mapping[int, Field]] = {
    # positions and metadata
    "Cursor": _message("1 uint64 sequence_id"),
    "Topic": _message("1 bytes topic"),
    "MessageHash": _message("1 bytes sha256 oneof:hash"),
    "EnvelopeMeta": _message(
        "1 Cursor cursor",
        "2 uint64 server_ns",
        "3 MessageHash message_hash",
        "4 Topic topic",
        "5 uint64 expiry_ns",
        "6 bool is_commit_or_proposal",
    ),
    # payloads
    "GroupMessage": _message("1 bytes data", "2 bytes sender_hmac", "3 bool should_push"),
    "WelcomeMessage": _message("1 WelcomeV1 v1 oneof:version", "2 WelcomePointer welcome_pointer oneof:version"),
    "WelcomeV1": _message(
        "1 bytes installation_key",
        "2 bytes data",
        "3 bytes hpke_public_key",
        "4 enum wrapper_algorithm",
        "5 bytes welcome_metadata",
    ),
    "WelcomePointer": _message(
        "1 bytes installation_key", "2 bytes welcome_pointer", "3 bytes hpke_public_key", "4 enum wrapper_algorithm"
    ),
    "KeyPackage": _message("1 bytes key_package_tls_serialized"),
    "CommitLogEntry": _message("1 bytes serialized_commit_log_entry", "2 RecoverableEd25519Signature signature"),
    "ClientEnvelope": _message(
        "1 GroupMessage group_message oneof:payload",
        "2 WelcomeMessage welcome_message oneof:payload",
        "3 KeyPackage key_package oneof:payload",
        "4 IdentityUpdate identity_update oneof:payload",
        "5 CommitLogEntry commit_log_entry oneof:payload",
    ),
    "ServerEnvelope": _message("1 EnvelopeMeta meta", "2 ClientEnvelope envelope"),
    # publish and query
    "PublishResponse": _message("1 EnvelopeMeta envelope_metas repeated"),
    "PublishError": _message("1 uint32 index optional", "2 enum reason", "3 string message"),
    "Continuation": _message("1 bool has_more"),
    "QueryResponse": _message("1 ServerEnvelope envelopes repeated", "2 Continuation continuation"),
    "NewestResult": _message("1 Topic topic", "2 EnvelopeMeta meta", "3 ClientEnvelope envelope"),
    "QueryNewestResponse": _message("1 NewestResult results repeated"),
    # identity updates, as payloads
    "IdentityUpdate": _message(
        "1 IdentityAction actions repeated", "2 uint64 client_timestamp_ns", "3 string inbox_id"
    ),
    "IdentityAction": _message(
        "1 CreateInbox create_inbox oneof:kind",
        "2 AddAssociation add oneof:kind",
        "3 RevokeAssociation revoke oneof:kind",
        "4 ChangeRecoveryAddress change_recovery_address oneof:kind",
    ),
    "CreateInbox": _message(
        "1 string initial_identifier",
        "2 uint64 nonce",
        "3 Signature initial_identifier_signature",
        "4 enum initial_identifier_kind",
        "5 string relying_party optional",
    ),
    "AddAssociation": _message(
        "1 MemberIdentifier new_member_identifier",
        "2 Signature existing_member_signature",
        "3 Signature new_member_signature",
        "4 string relying_party optional",
    ),
    "RevokeAssociation": _message("1 MemberIdentifier member_to_revoke", "2 Signature recovery_identifier_signature"),
    "ChangeRecoveryAddress": _message(
        "1 string new_recovery_identifier",
        "2 Signature existing_recovery_identifier_signature",
        "3 enum new_recovery_identifier_kind",
        "4 string relying_party optional",
    ),
    "MemberIdentifier": _message(
        "1 string ethereum_address oneof:kind",
        "2 bytes installation_public_key oneof:kind",
        "3 Passkey passkey oneof:kind",
    ),
    "Passkey": _message("1 bytes key", "2 string relying_party optional"),
    "Signature": _message(
        "1 RecoverableEcdsaSignature erc_191 oneof:signature",
        "2 SmartContractWalletSignature erc_6492 oneof:signature",
        "3 RecoverableEd25519Signature installation_key oneof:signature",
        "5 RecoverablePasskeySignature passkey oneof:signature",
    ),
    "RecoverableEcdsaSignature": _message("1 bytes bytes"),
    "RecoverableEd25519Signature": _message("1 bytes bytes", "2 bytes public_key"),
    "SmartContractWalletSignature": _message("1 string account_id", "2 uint64 block_number", "3 bytes signature"),
    "RecoverablePasskeySignature": _message(
        "1 bytes public_key", "2 bytes signature", "3 bytes authenticator_data", "4 bytes client_data_json"
    ),
}

# the answer of each call judged so far
RESPONSES: Mapping[str, str] = {
    "Publish": "PublishResponse",
    "Query": "QueryResponse",
    "QueryNewest": "QueryNewestResponse",
}
