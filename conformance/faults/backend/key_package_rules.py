"""Rules for key packages that are not those of the contract: too lax, too strict, or odd and right (API-230, 235)."""

from __future__ import annotations

from contextlib import suppress

from google.protobuf.message import DecodeError

from conformance.pb.credential_pb2 import MlsCredential
from conformance.reference.backend import key_package_reader as reader
from conformance.reference.backend.key_package_rules import KeyPackageRules, invalid

DAY_S = 86_400
INBOX_ID_CHARACTERS = 64
USUAL_SUITE = 0x0003
USUAL_EXTENSIONS = {0x0006, 0xFF03, 0xFF04}
USUAL_PROPOSALS = {8}
LONGEST_LIFETIME_S = 84 * DAY_S + 2 * 3600
KEY_BYTES = 32
LAST_DEFAULT_EXTENSION = 5


def forgetting(*checks: str) -> type[KeyPackageRules]:
    """Make rules some of which are never applied."""
    return type("Forgetting", (KeyPackageRules,), {check: lambda *_: None for check in checks})


def inbox_id(package: reader.KeyPackage) -> str:
    """Read the inbox id of a credential; empty when it has none."""
    with suppress(DecodeError):
        return MlsCredential.FromString(package.leaf.identity or b"").inbox_id
    return ""


class UsableInItsLastSecond(KeyPackageRules):
    """Takes not_after for the last second of a lifetime."""

    def check_lifetime(self, package: reader.KeyPackage, now_s: int) -> None:
        """Look a second back, unless the lifetime has only begun."""
        lifetime = package.leaf.lifetime
        over = lifetime is not None and lifetime.not_after == now_s
        super().check_lifetime(package, now_s - 1 if over else now_s)


class UsableAfterItsFirstSecond(KeyPackageRules):
    """Takes not_before for the last second before a lifetime."""

    def check_lifetime(self, package: reader.KeyPackage, now_s: int) -> None:
        """Refuse the first second."""
        super().check_lifetime(package, now_s)
        if package.leaf.lifetime is not None and package.leaf.lifetime.not_before == now_s:
            raise invalid("its lifetime is about to begin")


class NeverTooEarly(KeyPackageRules):
    """Looks at the end of a lifetime only."""

    def check_lifetime(self, package: reader.KeyPackage, now_s: int) -> None:
        """Let time be no earlier than its beginning."""
        begin = package.leaf.lifetime.not_before if package.leaf.lifetime else 0
        super().check_lifetime(package, max(begin, now_s))


class NeverTooLate(KeyPackageRules):
    """Looks at the beginning of a lifetime only."""

    def check_lifetime(self, package: reader.KeyPackage, now_s: int) -> None:
        """Refuse what has not begun."""
        if package.leaf.lifetime is None or now_s < package.leaf.lifetime.not_before:
            raise invalid("its lifetime has not begun")


class AnySource(KeyPackageRules):
    """Takes the leaf of a group member for that of a key package."""

    def check(self, package: reader.KeyPackage, now_s: int) -> None:
        """Check the signature of the package only, when the leaf comes from a group."""
        if package.leaf.source == reader.LEAF_OF_KEY_PACKAGE:
            super().check(package, now_s)
        else:
            self.check_signature(package)


class AnyIdentity(KeyPackageRules):
    """Takes any bytes for the identity of a basic credential."""

    def check_credential(self, package: reader.KeyPackage) -> None:
        """Look at the type only."""
        if package.leaf.identity is None:
            super().check_credential(package)


class Certificates(KeyPackageRules):
    """Takes credentials of certificates too."""

    def check_credential(self, package: reader.KeyPackage) -> None:
        """Look at basic credentials only."""
        if package.leaf.identity is not None:
            super().check_credential(package)


class NoLabels(KeyPackageRules):
    """Takes either signature for the other."""

    def verifies(self, key: bytes, label: bytes, content: bytes, signature: bytes) -> bool:
        """Try both labels."""
        labels = (label, b"LeafNodeTBS", b"KeyPackageTBS")
        return any(KeyPackageRules.verifies(self, key, each, content, signature) for each in labels)


class UnsignedIsFine(KeyPackageRules):
    """Takes an empty signature for none that could be wrong."""

    def verifies(self, key: bytes, label: bytes, content: bytes, signature: bytes) -> bool:
        """Verify what is there."""
        return signature == b"" or super().verifies(key, label, content, signature)


class AnySuiteNumber(KeyPackageRules):
    """Verifies signatures as Ed25519 whatever the suite."""

    def check_suite(self, package: reader.KeyPackage) -> None:
        """Take every suite."""


class HexInboxOnly(KeyPackageRules):
    """Wants an inbox id of 64 hexadecimal characters, as identity updates have."""

    def check_credential(self, package: reader.KeyPackage) -> None:
        """Look at the text too."""
        super().check_credential(package)
        text = inbox_id(package)
        if len(text) != INBOX_ID_CHARACTERS or text.strip("0123456789abcdef"):
            raise invalid("its inbox id is none")


class OneSuite(KeyPackageRules):
    """Takes the suite that clients use and no other."""

    def check_suite(self, package: reader.KeyPackage) -> None:
        """Refuse all others."""
        if package.cipher_suite != USUAL_SUITE:
            raise invalid("its suite is not served")


class WantsCapabilities(KeyPackageRules):
    """Wants what today's clients list."""

    def check(self, package: reader.KeyPackage, now_s: int) -> None:
        """Look for extensions and proposals."""
        super().check(package, now_s)
        listed = package.leaf.capabilities
        if not (set(listed.extensions) >= USUAL_EXTENSIONS and set(listed.proposals) >= USUAL_PROPOSALS):
            raise invalid("its capabilities are too short")


class WantsSomeCapabilities(KeyPackageRules):
    """Wants lists that are not empty."""

    def check(self, package: reader.KeyPackage, now_s: int) -> None:
        """Refuse a client that supports no proposal beyond those of MLS."""
        super().check(package, now_s)
        if not package.leaf.capabilities.proposals:
            raise invalid("it lists no proposals")


class ShortLivedOnly(KeyPackageRules):
    """Wants lifetimes no longer than clients usually make them."""

    def check_lifetime(self, package: reader.KeyPackage, now_s: int) -> None:
        """Measure the lifetime."""
        super().check_lifetime(package, now_s)
        lifetime = package.leaf.lifetime
        if lifetime is not None and lifetime.not_after - lifetime.not_before > LONGEST_LIFETIME_S:
            raise invalid("its lifetime is too long")


class SignedSeconds(KeyPackageRules):
    """Casts lifetimes to signed nanoseconds, so that what is far away is long ago."""

    def check_lifetime(self, package: reader.KeyPackage, now_s: int) -> None:
        """Overflow."""
        super().check_lifetime(package, now_s)
        if package.leaf.lifetime is not None and package.leaf.lifetime.not_after * 1_000_000_000 >= 1 << 63:
            raise invalid("it has expired")


class OnTheOtherHand(KeyPackageRules):
    """Decides whatever the contract leaves open about a key package the other way."""

    def check_leaf_extensions(self, package: reader.KeyPackage) -> None:
        """Let a leaf carry what it likes, but not the package, and neither of them anything twice."""
        listed = package.leaf.capabilities.extensions
        for types in (package.extension_types, package.leaf.extension_types):
            if len(types) != len(set(types)):
                raise invalid("an extension stands there twice")
        if any(kind not in listed for kind in package.extension_types if kind > LAST_DEFAULT_EXTENSION):
            raise invalid("it carries an extension that it does not list")

    def check_keys(self, package: reader.KeyPackage) -> None:
        """Want keys of the usual length."""
        super().check_keys(package)
        if any(len(key) != KEY_BYTES for key in (package.init_key, package.leaf.encryption_key)):
            raise invalid("its keys are too short")

    def check_credential(self, package: reader.KeyPackage) -> None:
        """Skip an inbox id of another wire type like an unknown field."""
        if package.leaf.identity is None:
            raise invalid("its credential is not a basic one")
        try:
            MlsCredential.FromString(package.leaf.identity)
        except DecodeError as error:
            raise invalid("its credential is no MlsCredential") from error

    def check_suite(self, package: reader.KeyPackage) -> None:
        """Want the capabilities to name the package's own version, suite and credential, if they name anything."""
        super().check_suite(package)
        listed = package.leaf.capabilities
        own = (
            package.version in listed.versions
            and package.cipher_suite in listed.cipher_suites
            and package.leaf.credential_type in listed.credentials
        )
        anything = listed.versions or listed.cipher_suites or listed.extensions or listed.proposals
        if anything and not own:
            raise invalid("its capabilities do not fit it")
