"""Group messages and key packages, right, wrong and damaged, for two judges that must agree about them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from conformance.craft.catalogue import Accepted, Malformed
from conformance.craft.draw import Draw
from conformance.craft.group_message import group_envelope
from conformance.craft.group_shapes import LEFT_OPEN, SHAPES
from conformance.craft.key_package import (
    Capabilities,
    Extension,
    Parts,
    Sign,
    basic,
    credential,
    key_package_envelope,
    signer,
    usual_parts,
)
from conformance.craft.key_package_invalid import INVALID_KEY_PACKAGES
from conformance.craft.key_package_malformed import MALFORMED_KEY_PACKAGES
from conformance.craft.key_package_shapes import ACCEPTED_KEY_PACKAGES, OPEN_KEY_PACKAGES
from conformance.craft.malformed_group import MALFORMED_GROUP
from conformance.pb import backend_pb2
from tests.reference import mls_writer

NOW_S = 1_800_000_000
Envelope = backend_pb2.ClientEnvelope

_TYPES = (0x0001, 0x0002, 0x0003, 0x0005, 0x0006, 0x000A, 0x0A0A, 0xF000, 0xFF03, 0xFF04, 0xFF77)
_IDENTITIES = (
    b"",
    b"\x0a\x00",
    b"\x0a\x03abc",
    b"\x0a\x04abc",
    b"\x08\x07",
    b"\x0a\x02\xc3\x28",
    b"\x12\x01x",
    b"\xff",
)
_TIMES = (0, 1, NOW_S - 3600, NOW_S - 1, NOW_S, NOW_S + 1, NOW_S + 3600, 1 << 63, (1 << 64) - 1)


@dataclass(frozen=True, kw_only=True)
class Damage:
    """One change of some bytes at a place given in thousandths of their length."""

    how: str
    place: int
    byte: int

    def apply(self, data: bytes) -> bytes:
        """Change the bytes."""
        at, byte = len(data) * self.place // 1000, bytes([self.byte])
        flipped = bytes([data[at] ^ 1 << self.byte % 8]) if data else b""
        return {
            "replace": data[:at] + byte + data[at + 1 :],
            "flip": data[:at] + flipped + data[at + 1 :],
            "insert": data[:at] + byte + data[at:],
            "delete": data[:at] + data[at + 1 + self.byte % 4 :],
            "cut": data[:at],
            "append": data + byte * (1 + self.byte % 3),
            "repeat": data[:at] + data[at : at + self.byte] + data[at:],
        }[self.how]


damages = st.builds(
    Damage,
    how=st.sampled_from(("replace", "flip", "insert", "delete", "cut", "append", "repeat")),
    place=st.integers(0, 999),
    byte=st.sampled_from((0, 1, 2, 3, 5, 0x10, 0x20, 0x40, 0x41, 0x7F, 0x80, 0xC0, 0xFF)) | st.integers(0, 255),
)


def drawer(seed: int) -> Draw:
    """Make a draw whose time stands still."""
    return Draw(seed, seed.to_bytes(8, "big"), now_s=lambda: NOW_S)


def _damaged(envelope: Envelope, changes: list[Damage]) -> Envelope:
    """Damage the MLS object inside an envelope."""
    holder, name = (
        (envelope.group_message, "data")
        if envelope.WhichOneof("payload") == "group_message"
        else (envelope.key_package, "key_package_tls_serialized")
    )
    for change in changes:
        setattr(holder, name, change.apply(getattr(holder, name)))
    return envelope


def _of_fault(fault: Malformed) -> Callable[[Draw], Envelope]:
    return lambda draw: Envelope.FromString(fault.build(draw).broken)


def _of_shape(data: Callable[[bytes], bytes]) -> Callable[[Draw], Envelope]:
    return lambda draw: group_envelope(data(draw.group_id()))


def _of_odd(odd: Accepted) -> Callable[[Draw], Envelope]:
    return odd.build


CATALOGUED: tuple[Callable[[Draw], Envelope], ...] = (
    *(_of_shape(shape.data) for shape in (*SHAPES.values(), *LEFT_OPEN.values())),
    *(_of_fault(fault) for fault in MALFORMED_GROUP.values()),
    *(_of_fault(fault) for fault in (*MALFORMED_KEY_PACKAGES.values(), *INVALID_KEY_PACKAGES.values())),
    *(_of_odd(odd) for odd in (*ACCEPTED_KEY_PACKAGES.values(), *OPEN_KEY_PACKAGES.values())),
)


def _some(rng: random.Random, least: int = 0) -> list[Extension]:
    bodies = (b"", b"\x00", b"\x01a", b"noise")
    return [(rng.choice(_TYPES), rng.choice(bodies)) for _ in range(rng.randint(least, 3))]


def _any_parts(draw: Draw, usual: Parts, sign: Sign) -> bytes:
    """Make a package some of whose parts are anything, signed as it is or wrongly."""
    rng = draw.random
    parts = usual
    changes: tuple[Callable[[], Parts], ...] = (
        lambda: replace(parts, version=rng.choice((0, 1, 2))),
        lambda: replace(parts, cipher_suite=rng.choice((0, 1, 2, 3, 4, 7, 8, 0xEEEE))),
        lambda: replace(parts, init_key=rng.choice((parts.encryption_key, b"", b"\x01" * 31, b"\x01" * 32))),
        lambda: replace(parts, credential=rng.choice((credential("ab" * 32), b"\x00\x02\x00", b"\x00\x03\x00"))),
        lambda: replace(parts, credential=basic(rng.choice(_IDENTITIES))),
        lambda: replace(parts, source=rng.choice((0, 1, 2, 3, 9)), bound_to=(b"g" * 16, 1)),
        lambda: replace(parts, not_before=rng.choice(_TIMES), not_after=rng.choice(_TIMES)),
        lambda: replace(parts, not_before=NOW_S - rng.randint(0, 1), not_after=NOW_S + rng.randint(0, 1)),
        lambda: replace(parts, leaf_extensions=_some(rng)),
        lambda: replace(parts, extensions=_some(rng)),
        lambda: replace(parts, capabilities=Capabilities(extensions=rng.sample(_TYPES, rng.randint(0, 8)))),
        lambda: replace(
            parts,
            capabilities=Capabilities(
                versions=rng.choice(((1,), (), (2,))),
                cipher_suites=rng.choice(((3,), (1,), (), (1, 2, 3))),
                credentials=rng.choice(((1,), (2,), ())),
                proposals=rng.choice(((), (7,), (7, 8))),
            ),
        ),
    )
    for change in rng.choices(changes, k=rng.choice((0, 0, 0, 1, 1, 2, 3))):
        parts = change()
    other = signer(draw, draw.installation_key())
    return parts.encoded(rng.choice((*[sign] * 15, other)), sign_leaf=rng.choice((*[sign] * 15, other)))


def _key_package(seed: int) -> Envelope:
    draw = drawer(seed)
    key = draw.installation_key()
    return key_package_envelope(_any_parts(draw, usual_parts(draw, key), signer(draw, key)))


_seeds = st.integers(0, (1 << 32) - 1)
_catalogued = st.builds(
    lambda index, seed: CATALOGUED[index](drawer(seed)), st.integers(0, len(CATALOGUED) - 1), _seeds
)
_messages = mls_writer.messages().map(lambda message: group_envelope(message[0]))

_key_packages = _seeds.map(_key_package)
_whole = st.one_of(_catalogued, _key_packages, _messages)
_broken = st.builds(_damaged, _whole, st.lists(damages, min_size=1, max_size=3))

objects = st.one_of(_catalogued, _key_packages, _key_packages, _messages, _broken)
