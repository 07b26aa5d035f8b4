"""What a key package must fulfil beyond parsing (API-230): RFC 9420 sections 10.1 and 7.3 as far as no group is needed.

Read by the letter, but for what API-235 says must be admitted. Two things are left to whoever adds the installation to
a group: whether its capabilities name its own version, suite and credential, and whether they name the types of the
package's own extensions, which the list of section 10.1 does not ask for.
"""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from conformance.pb.backend_pb2 import PublishError
from conformance.pb.credential_pb2 import MlsCredential
from conformance.reference.backend.failure import CheckFailure
from conformance.reference.backend.key_package_reader import LEAF_OF_KEY_PACKAGE, KeyPackage

MLS_10 = 1
# the suites whose signatures are Ed25519; no other one has keys of 32 bytes, which a topic needs (TOPIC-002)
ED25519_SUITES = frozenset({0x0001, 0x0003})
LAST_DEFAULT_EXTENSION = 5  # types 1 to 5 are understood by everyone and listed by nobody
INBOX_ID = 1

LEAF_LABEL = b"LeafNodeTBS"
PACKAGE_LABEL = b"KeyPackageTBS"


class KeyPackageRules:
    """Raises CheckFailure for the first rule a key package breaks."""

    def check(self, package: KeyPackage, now_s: int) -> None:
        """Apply every rule; `now_s` is the clock of the backend in whole seconds since the epoch."""
        self.check_version(package)
        self.check_suite(package)
        self.check_source(package)
        self.check_lifetime(package, now_s)
        self.check_credential(package)
        self.check_keys(package)
        self.check_leaf_extensions(package)
        self.check_leaf_signature(package)
        self.check_signature(package)

    def check_version(self, package: KeyPackage) -> None:
        """Refuse a protocol version other than MLS 1.0."""
        if package.version != MLS_10:
            raise invalid(f"it is of protocol version {package.version}")

    def check_suite(self, package: KeyPackage) -> None:
        """Refuse a suite whose signatures have no key of 32 bytes; any other suite will do (API-235)."""
        if package.cipher_suite not in ED25519_SUITES:
            raise invalid(f"cipher suite {package.cipher_suite} has no signature with a key of 32 bytes")

    def check_source(self, package: KeyPackage) -> None:
        """Refuse a leaf that was made for an update or a commit."""
        if package.leaf.source != LEAF_OF_KEY_PACKAGE:
            raise invalid(f"its leaf has source {package.leaf.source}")

    def check_lifetime(self, package: KeyPackage, now_s: int) -> None:
        """Refuse a package before its time and from its end on (JOIN-008); any length of it will do (API-235)."""
        lifetime = package.leaf.lifetime
        if lifetime is None or not lifetime.not_before <= now_s < lifetime.not_after:
            raise invalid("this is not within its lifetime")

    def check_credential(self, package: KeyPackage) -> None:
        """Refuse a credential that is no MlsCredential (JOIN-004); what inbox id it names is free (API-235)."""
        identity = package.leaf.identity
        if identity is None:
            raise invalid(f"its credential is of type {package.leaf.credential_type}")
        try:
            credential = MlsCredential.FromString(identity)
        except DecodeError as error:
            raise invalid("its credential is no MlsCredential") from error
        # a parser skips a known number of another wire type like an unknown one; it is no inbox id all the same
        unknown = UnknownFieldSet(credential)
        if any(unknown[index].field_number == INBOX_ID for index in range(len(unknown))):
            raise invalid("the inbox id of its credential is no text")

    def check_keys(self, package: KeyPackage) -> None:
        """Refuse a package that uses one key for two purposes."""
        if package.init_key == package.leaf.encryption_key:
            raise invalid("its init key is the encryption key of its leaf")

    def check_leaf_extensions(self, package: KeyPackage) -> None:
        """Refuse a leaf that carries an extension its capabilities do not list."""
        listed = package.leaf.capabilities.extensions
        for kind in package.leaf.extension_types:
            if kind > LAST_DEFAULT_EXTENSION and kind not in listed:
                raise invalid(f"its leaf carries extension {kind} and does not list it")

    def check_leaf_signature(self, package: KeyPackage) -> None:
        """Refuse a leaf that its own key has not signed."""
        leaf = package.leaf
        if not self.verifies(leaf.signature_key, LEAF_LABEL, leaf.signed, leaf.signature):
            raise invalid("the signature of its leaf does not verify")

    def check_signature(self, package: KeyPackage) -> None:
        """Refuse a package that the key of its leaf has not signed."""
        if not self.verifies(package.leaf.signature_key, PACKAGE_LABEL, package.signed, package.signature):
            raise invalid("its signature does not verify")

    def verifies(self, key: bytes, label: bytes, content: bytes, signature: bytes) -> bool:
        """Tell whether a signature over a labelled content verifies (section 5.1.2)."""
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, _vector(b"MLS 1.0 " + label) + _vector(content))
        except (InvalidSignature, ValueError):
            return False
        return True


def invalid(why: str) -> CheckFailure:
    """Return the failure of a key package that parses and breaks a rule."""
    return CheckFailure(PublishError.REASON_INVALID_KEY_PACKAGE, f"the key package is not valid: {why}")


def _vector(body: bytes) -> bytes:
    """Put a length before some bytes, in the shortest of its three forms."""
    for bits, width in ((6, 1), (14, 2), (30, 4)):
        if len(body) < 1 << bits:
            return ((width >> 1) << bits | len(body)).to_bytes(width, "big") + body
    raise ValueError("too long for a vector")
