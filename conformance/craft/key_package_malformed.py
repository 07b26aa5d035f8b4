"""Key packages that do not parse or belong on no topic (API-230, TOPIC-002), each beside a twin that must be taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from conformance.craft.catalogue import Malformed, by_name
from conformance.craft.draw import Draw
from conformance.craft.key_package import Parts, Sign, sign_content
from conformance.craft.key_package_fault import Make, changed, faulty
from conformance.craft.mls_framing import WireFormat, mls_message
from conformance.craft.tls import read_vector, vector
from conformance.pb import backend_pb2

MALFORMED_PAYLOAD = int(backend_pb2.PublishError.REASON_MALFORMED_PAYLOAD)
P256_SUITE, ED448_SUITE = 0x0002, 0x0006
_ED448_BYTES = 57
_SUITE_END = 4
_NO_WIDTH = 0b1100_0000

Edit = Callable[[bytes], bytes]


def _unparsable(name: str, make: Make) -> Malformed:
    return faulty(name, make, clause="API-230.g", reason=MALFORMED_PAYLOAD)


def _without_topic(name: str, make: Make) -> Malformed:
    return faulty(name, make, clause="API-230.b", reason=MALFORMED_PAYLOAD)


def _edited(name: str, edit: Edit) -> Malformed:
    """Describe a package whose bytes were edited after they were signed, so that they do not parse."""
    return _unparsable(name, lambda _, parts, sign: edit(parts.encoded(sign)))


def _of_another_scheme(name: str, suite: int, new_key: Callable[[Draw], tuple[bytes, Sign]]) -> Malformed:
    """Describe a package that is right in all but the length of its key: signed under another scheme."""

    def make(draw: Draw, parts: Parts, _sign: Sign) -> bytes:
        public, sign = new_key(draw)
        return replace(parts, cipher_suite=suite, signature_key=public).encoded(sign)

    return _without_topic(f"signature-key-of-{name}", make)


def _p256(draw: Draw) -> tuple[bytes, Sign]:
    private = ec.derive_private_key(int.from_bytes(draw.identifier(31), "big"), ec.SECP256R1())
    public = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return public, lambda label, content: private.sign(sign_content(label, content), ec.ECDSA(hashes.SHA256()))


def _ed448(draw: Draw) -> tuple[bytes, Sign]:
    private = Ed448PrivateKey.from_private_bytes(draw.identifier(_ED448_BYTES))
    public = private.public_key().public_bytes_raw()
    return public, lambda label, content: private.sign(sign_content(label, content))


def _key_of(size: int) -> Malformed:
    return _without_topic(
        f"signature-key-of-{size}-bytes",
        changed(lambda _, parts: replace(parts, signature_key=parts.signature_key[:size].ljust(size, b"\x00"))),
    )


def _leaf_source(source: int) -> Malformed:
    return _unparsable(f"leaf-source-{source}", changed(lambda _, parts: replace(parts, source=source)))


def _init_key_length(prefix: Callable[[int], bytes]) -> Edit:
    """Write the length of the init key, the first one in a package, in another form."""

    def edit(package: bytes) -> bytes:
        key, end = read_vector(package, _SUITE_END)
        return package[:_SUITE_END] + prefix(len(key)) + key + package[end:]

    return edit


def _odd_list(package: bytes) -> bytes:
    """Put one byte more into the list of protocol versions, whose items have two."""
    _, position = read_vector(package, _SUITE_END)
    for _ in range(2):  # encryption key, signature key
        _, position = read_vector(package, position)
    versions, end = read_vector(package, read_vector(package, position + 2)[1])  # behind type and identity
    start = end - len(vector(versions))
    return package[:start] + vector(versions + b"\x00") + package[end:]


MALFORMED_KEY_PACKAGES: Mapping[str, Malformed] = by_name(
    _edited("empty", lambda _: b""),
    _edited("noise", lambda _: b"\xff" * 200),
    _edited("with-a-byte-behind-it", lambda package: package + b"\x00"),
    _edited("with-a-second-one-behind-it", lambda package: package * 2),
    _edited("last-byte-missing", lambda package: package[:-1]),
    _edited("second-half-missing", lambda package: package[: len(package) // 2]),
    _edited("header-only", lambda package: package[:_SUITE_END]),
    _edited("inside-an-mls-message", lambda package: mls_message(WireFormat.KEY_PACKAGE, package)),
    _edited("init-key-length-in-2-bytes", _init_key_length(lambda size: vector(bytes(size), width=2)[:2])),
    _edited("init-key-length-in-4-bytes", _init_key_length(lambda size: vector(bytes(size), width=4)[:4])),
    _edited("init-key-length-without-width", _init_key_length(lambda size: bytes([_NO_WIDTH | size]))),
    _edited("init-key-length-past-the-end", _init_key_length(lambda _: b"\xbf\xff\xff\xff")),
    _edited("odd-byte-in-a-list", _odd_list),
    *map(_leaf_source, (0, 4, 9)),
    *(_key_of(size) for size in (0, 31, 33)),
    _of_another_scheme("p256", P256_SUITE, _p256),
    _of_another_scheme("ed448", ED448_SUITE, _ed448),
)
