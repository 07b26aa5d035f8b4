"""What admission must make of a group message or a key package (API-230, API-235), told from its bytes alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from conformance.oracle import mls_structures as mls
from conformance.oracle.mls_grammar import LeftOpen, Record, Unreadable, opaque
from conformance.oracle.wire_walk import LEN, WireError, pieces
from conformance.pb import backend_pb2

MALFORMED_PAYLOAD = int(backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD)
INVALID_KEY_PACKAGE = int(backend_pb2.PublishError.REASON_INVALID_KEY_PACKAGE)

_GROUP_TOPIC, _KEY_PACKAGE_TOPIC = b"\x00", b"\x03"
_GROUP_ID_BYTES, _KEY_BYTES = 16, 32
_MLS10 = 1
_ED25519_SUITES, _KNOWN_SUITES = (0x0001, 0x0003), range(0x0001, 0x0008)
_LAST_DEFAULT_EXTENSION = 5
_APPLICATION_ID, _LAST_RESORT = 0x0001, 0x000A
_FIRST_PRIVATE_EXTENSION = 0xF000
_INBOX_ID = 1


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """What a backend must do with an envelope.

    `reasons` are the PublishError reasons of a lawful refusal, empty for an envelope that must be taken. `open` names
    what the contract leaves open about it: then `may_be_taken` says whether taking it is lawful too. `topic` and
    `is_commit_or_proposal` are those it must be stored with, None for one that belongs on no topic.
    """

    reasons: frozenset[int] = frozenset()
    open: tuple[str, ...] = ()
    may_be_taken: bool = True
    topic: bytes | None = None
    is_commit_or_proposal: bool = False

    def allows(self, reason: int | None) -> bool:
        """Tell whether an outcome is lawful: None for taken, else the reason of the refusal."""
        return self.may_be_taken if reason is None else reason in self.reasons


_MALFORMED = Expectation(reasons=frozenset({MALFORMED_PAYLOAD}), may_be_taken=False)


def group_message(data: bytes) -> Expectation:
    """Say what must become of `GroupMessage.data`."""
    try:
        body = mls.group_message(data)
    except Unreadable:
        return _MALFORMED
    except LeftOpen as what:
        return Expectation(reasons=_MALFORMED.reasons, open=(str(what),))
    if len(body["group_id"]) != _GROUP_ID_BYTES:
        return _MALFORMED
    return Expectation(
        topic=_GROUP_TOPIC + body["group_id"],
        is_commit_or_proposal=body["content_type"] in (mls.PROPOSAL, mls.COMMIT),
    )


def key_package(data: bytes, *, now_s: int) -> Expectation:
    """Say what must become of a serialized key package at `now_s`, the backend's clock in whole seconds.

    A package that breaks a rule is refused whatever else is open about it; what is open then adds a lawful reason.
    """
    either = frozenset({MALFORMED_PAYLOAD, INVALID_KEY_PACKAGE})
    try:
        package = mls.key_package(data)
    except Unreadable:
        return _MALFORMED
    except LeftOpen as what:  # which it is only with a key that has a topic: without one, the reason is settled
        is_open = len(mls.signature_key(data)) == _KEY_BYTES
        return Expectation(reasons=either, open=(str(what),)) if is_open else _MALFORMED
    key: bytes = package["leaf"]["signature_key"]
    if len(key) != _KEY_BYTES:
        return _MALFORMED
    found = tuple(_open(package))
    unknown = package["version"] != _MLS10 or package["cipher_suite"] not in _KNOWN_SUITES
    broken = unknown or any(_broken(package, data, now_s))
    if broken:
        reasons = either if unknown or found else frozenset({INVALID_KEY_PACKAGE})
        return Expectation(reasons=reasons, open=found, may_be_taken=False, topic=_KEY_PACKAGE_TOPIC + key)
    return Expectation(reasons=either if found else frozenset(), open=found, topic=_KEY_PACKAGE_TOPIC + key)


def _broken(package: Record, data: bytes, now_s: int) -> Iterator[bool]:
    """Tell for each rule of RFC 9420 sections 10.1 and 7.3, of JOIN-004 and JOIN-008, whether it is broken."""
    leaf: Record = package["leaf"]
    yield leaf["source"] != mls.OF_KEY_PACKAGE
    yield not _is_current(leaf["by_source"], now_s)
    yield package["init_key"] == leaf["encryption_key"]
    yield leaf["credential_type"] != mls.BASIC or not _is_credential(leaf["credential"])
    if package["cipher_suite"] in _ED25519_SUITES:
        yield not _verifies(leaf, b"LeafNodeTBS", leaf.up_to("extensions", data), leaf["signature"])
        yield not _verifies(leaf, b"KeyPackageTBS", package.up_to("extensions", data), package["signature"])


def _is_current(lifetime: Record | bytes | None, now_s: int) -> bool:
    return isinstance(lifetime, Record) and lifetime["not_before"] <= now_s < lifetime["not_after"]


def _is_credential(identity: bytes) -> bool:
    """Tell whether the identity decodes as an MlsCredential, whose inbox id is text if it is there at all."""
    try:
        texts = [piece.value for piece in pieces(identity) if piece.number == _INBOX_ID and piece.wire_type == LEN]
        for text in texts:
            if isinstance(text, bytes):
                text.decode()
    except (WireError, UnicodeDecodeError):
        return False
    return True


def _verifies(leaf: Record, label: bytes, content: bytes, signature: bytes) -> bool:
    signed = b"".join(_vector(part) for part in (b"MLS 1.0 " + label, content))
    try:
        Ed25519PublicKey.from_public_bytes(leaf["signature_key"]).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _vector(part: bytes) -> bytes:
    size = len(part)
    width = 1 if size < 1 << 6 else 2 if size < 1 << 14 else 4
    return (size + ({1: 0, 2: 1, 4: 2}[width] << 8 * width - 2)).to_bytes(width, "big") + part


def _open(package: Record) -> Iterator[str]:
    """Name what the contract leaves open about a key package that parses."""
    leaf: Record = package["leaf"]
    own = [extension["type"] for extension in package["extensions"]]
    of_leaf = [extension["type"] for extension in leaf["extensions"]]
    listed = leaf["extension_types"]
    if package["cipher_suite"] in _KNOWN_SUITES and package["cipher_suite"] not in _ED25519_SUITES:
        yield "a key that the scheme of its suite cannot have"
    if any(kind not in listed for kind in own if kind > _LAST_DEFAULT_EXTENSION):
        yield "an extension that its capabilities do not list"
    if any(kind not in listed for kind in of_leaf if kind > _LAST_DEFAULT_EXTENSION):
        yield "an extension of its leaf that its capabilities do not list"
    if _lists_anything(leaf) and not _lists_itself(package):
        yield "capabilities without its own version, suite or credential type"
    if any(len(key) != _KEY_BYTES for key in (package["init_key"], leaf["encryption_key"])):
        yield "a key that is not 32 bytes long"
    if any(len(types) != len(set(types)) for types in (own, of_leaf)):
        yield "an extension twice"
    if any(not _is_plain(extension) for extension in (*package["extensions"], *leaf["extensions"])):
        yield "an extension of MLS itself that is out of place, or has a body that may be no body of it"
    if leaf["credential_type"] == mls.BASIC and _inbox_of_another_type(leaf["credential"]):
        yield "an inbox id of another wire type"


def _lists_anything(leaf: Record) -> bool:
    lists = ("versions", "cipher_suites", "extension_types", "proposal_types", "credential_types")
    return any(leaf[name] for name in lists)


def _lists_itself(package: Record) -> bool:
    leaf: Record = package["leaf"]
    return (
        package["version"] in leaf["versions"]
        and package["cipher_suite"] in leaf["cipher_suites"]
        and leaf["credential_type"] in leaf["credential_types"]
    )


def _is_plain(extension: Any) -> bool:  # noqa: ANN401 - a record of the grammar
    """Tell whether all validators read an extension alike: an application id, a last resort, or a private one."""
    kind: int = extension["type"]
    data: bytes = extension["data"]
    if kind == _APPLICATION_ID:
        try:
            return opaque(data, 0, len(data))[1] == len(data)
        except Unreadable:
            return False
    if kind == _LAST_RESORT:
        return data == b""
    return kind >= _FIRST_PRIVATE_EXTENSION


def _inbox_of_another_type(identity: bytes) -> bool:
    try:
        return any(piece.number == _INBOX_ID and piece.wire_type != LEN for piece in pieces(identity))
    except WireError:
        return False
