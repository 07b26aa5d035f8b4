"""Key packages (RFC 9420 section 10), built field by field and really signed: each field can be broken alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from conformance.craft.draw import Draw
from conformance.craft.mls_objects import MLS10, SUITE, LeafSource
from conformance.craft.tls import u8, u16, u32, u64, vector
from conformance.pb import backend_pb2, credential_pb2, welcome_pointer_pb2, wrapper_encryption_pb2

# what signs: given a label and a content, the signature
Sign = Callable[[bytes, bytes], bytes]
Extension = tuple[int, bytes]

BASIC, X509 = 1, 2
LEAF_LABEL, PACKAGE_LABEL = b"LeafNodeTBS", b"KeyPackageTBS"

APPLICATION_ID, APP_DATA_DICTIONARY, LAST_RESORT = 0x0001, 0x0006, 0x000A
IMMUTABLE_METADATA, MUTABLE_METADATA, GROUP_MEMBERSHIP, PERMISSIONS = 0xF000, 0xFF00, 0xFF01, 0xFF02
WRAPPER_ENCRYPTION, POINTEE_ENCRYPTION = 0xFF03, 0xFF04
GROUP_CONTEXT_EXTENSIONS, APP_DATA_UPDATE = 7, 8

XWING_KEY_BYTES = 1216
# what real clients write: valid from an hour ago, for 84 days
HOUR_S, DAY_S = 3600, 86_400
USUAL_DAYS = 84
LAST_SECOND = (1 << 64) - 1


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a client says it supports, as the numbers of five lists."""

    versions: Sequence[int] = (MLS10,)
    cipher_suites: Sequence[int] = (SUITE,)
    extensions: Sequence[int] = (
        LAST_RESORT,
        APPLICATION_ID,
        IMMUTABLE_METADATA,
        APP_DATA_DICTIONARY,
        PERMISSIONS,
        MUTABLE_METADATA,
        GROUP_MEMBERSHIP,
        WRAPPER_ENCRYPTION,
        POINTEE_ENCRYPTION,
    )
    proposals: Sequence[int] = (GROUP_CONTEXT_EXTENSIONS, APP_DATA_UPDATE)
    credentials: Sequence[int] = (BASIC,)

    def encoded(self) -> bytes:
        """Encode the five lists in their order."""
        lists = (self.versions, self.cipher_suites, self.extensions, self.proposals, self.credentials)
        return b"".join(vector(b"".join(map(u16, numbers))) for numbers in lists)


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The fields of a key package but its two signatures; `not_before` and `not_after` in seconds since the epoch.

    `credential` has its type in front. `bound_to` is what a leaf from a group is signed together with: the group id
    and the index of the leaf.
    """

    version: int = MLS10
    cipher_suite: int = SUITE
    init_key: bytes
    encryption_key: bytes
    signature_key: bytes
    credential: bytes
    capabilities: Capabilities = Capabilities()
    source: int = LeafSource.KEY_PACKAGE
    not_before: int
    not_after: int
    parent_hash: bytes = b""
    bound_to: tuple[bytes, int] = (b"", 0)
    leaf_extensions: Sequence[Extension] = ()
    extensions: Sequence[Extension] = ()

    def leaf(self) -> bytes:
        """Encode the leaf node as far as it stands before its signature."""
        by_source = {
            LeafSource.KEY_PACKAGE: u64(self.not_before) + u64(self.not_after),
            LeafSource.COMMIT: vector(self.parent_hash),
        }
        return b"".join(
            (
                vector(self.encryption_key),
                vector(self.signature_key),
                self.credential,
                self.capabilities.encoded(),
                u8(self.source),
                by_source.get(LeafSource(self.source), b"") if self.source in list(LeafSource) else b"",
                extensions(self.leaf_extensions),
            )
        )

    def leaf_to_sign(self) -> bytes:
        """Encode what the signature of the leaf covers (RFC 9420 section 7.2)."""
        if self.source in (LeafSource.UPDATE, LeafSource.COMMIT):
            group_id, index = self.bound_to
            return self.leaf() + vector(group_id) + u32(index)
        return self.leaf()

    def encoded(self, sign: Sign, *, sign_leaf: Sign | None = None) -> bytes:
        """Encode the key package and sign it: the leaf with `sign_leaf`, by default `sign`, and the whole with `sign`.

        The signature of the whole covers that of the leaf, whatever that one is.
        """
        leaf = self.leaf() + vector((sign_leaf or sign)(LEAF_LABEL, self.leaf_to_sign()))
        content = (
            u16(self.version) + u16(self.cipher_suite) + vector(self.init_key) + leaf + extensions(self.extensions)
        )
        return content + vector(sign(PACKAGE_LABEL, content))


def extensions(items: Sequence[Extension]) -> bytes:
    """Encode a list of extensions from their types and data."""
    return vector(b"".join(u16(kind) + vector(data) for kind, data in items))


def sign_content(label: bytes, content: bytes) -> bytes:
    """Encode what is really signed: label and content, each with its length (RFC 9420 section 5.1.2)."""
    return vector(b"MLS 1.0 " + label) + vector(content)


def signer(draw: Draw, installation_key: bytes) -> Sign:
    """Make what signs as this installation; KeyError for a key that `draw` has not made."""
    private = draw.private_key(installation_key)
    return lambda label, content: private.sign(sign_content(label, content))


def basic(identity: bytes) -> bytes:
    """Encode a basic credential."""
    return u16(BASIC) + vector(identity)


def credential(inbox_id: str) -> bytes:
    """Encode the credential of an inbox (JOIN-004)."""
    return basic(credential_pb2.MlsCredential(inbox_id=inbox_id).SerializeToString())


def application_id(inbox_id: str) -> Extension:
    """Make the extension of a leaf that names its inbox once more."""
    return APPLICATION_ID, vector(inbox_id.encode())


def pointee_encryption() -> Extension:
    """Make the extension of a client that reads Welcomes through pointers."""
    types = [welcome_pointer_pb2.WELCOME_POINTEE_ENCRYPTION_AEAD_TYPE_CHACHA20_POLY1305]
    message = welcome_pointer_pb2.WelcomePointeeEncryptionAeadTypesExtension(supported_aead_types=types)
    return POINTEE_ENCRYPTION, message.SerializeToString()


def wrapper_encryption(public_key: bytes) -> Extension:
    """Make the extension that says how to wrap a Welcome: X-Wing for a key of 1216 bytes, else Curve25519."""
    algorithm = (
        wrapper_encryption_pb2.WELCOME_WRAPPER_ALGORITHM_XWING_MLKEM_768_DRAFT_6
        if len(public_key) == XWING_KEY_BYTES
        else wrapper_encryption_pb2.WELCOME_WRAPPER_ALGORITHM_CURVE25519
    )
    message = wrapper_encryption_pb2.WelcomeWrapperEncryption(pub_key=public_key, algorithm=algorithm)
    return WRAPPER_ENCRYPTION, message.SerializeToString()


def usual_parts(draw: Draw, installation_key: bytes, *, wrapper_key_bytes: int = 32) -> Parts:
    """Describe a key package like a real client's, of an inbox nobody has created; no two calls give the same one.

    Real clients wrap with X-Wing, whose key of 1216 bytes `wrapper_key_bytes` can ask for.
    """
    inbox_id = draw.identifier(32).hex()
    now_s = draw.now_s()
    return Parts(
        init_key=draw.identifier(32),
        encryption_key=draw.identifier(32),
        signature_key=installation_key,
        credential=credential(inbox_id),
        not_before=max(0, now_s - HOUR_S),
        not_after=now_s + USUAL_DAYS * DAY_S,
        leaf_extensions=(application_id(inbox_id),),
        extensions=((LAST_RESORT, b""), pointee_encryption(), wrapper_encryption(draw.bytes(wrapper_key_bytes))),
    )


def key_package_envelope(serialized: bytes) -> backend_pb2.ClientEnvelope:
    """Put the bytes of a key package, whole or broken, into an envelope."""
    return backend_pb2.ClientEnvelope(key_package=backend_pb2.KeyPackage(key_package_tls_serialized=serialized))


def new_key_package(
    draw: Draw, installation_key: bytes, *, not_before: int | None = None, not_after: int | None = None
) -> backend_pb2.ClientEnvelope:
    """Make a key package of an installation that `draw` has made; no two calls give the same one.

    `not_before` and `not_after`, in seconds since the epoch, are those of real clients unless given.
    """
    parts = usual_parts(draw, installation_key)
    parts = replace(
        parts,
        not_before=parts.not_before if not_before is None else not_before,
        not_after=parts.not_after if not_after is None else not_after,
    )
    return key_package_envelope(parts.encoded(signer(draw, installation_key)))
