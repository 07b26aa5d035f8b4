"""Envelopes and requests of an exact encoded length, for tests at a published byte limit and one byte past it.

Every field is set to a value other than its default, and every varint is minimal, so that all encoders agree on the
length: the wire length is the re-encoded length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conformance.craft.commit_log import commit_log_envelope, entry, signature
from conformance.craft.draw import Draw
from conformance.craft.group_message import HMAC_BYTES, group_envelope
from conformance.craft.mls_framing import private_message
from conformance.craft.topics import Kind
from conformance.craft.welcome import negative_enum_welcome, pointer_envelope, welcome_envelope
from conformance.craft.wire_format import field_bytes, varint_size
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope
ENVELOPES_FIELD = 1
_SLACK = 12  # bytes a second field may take up where a growing length prefix would skip the wanted length
_STEPS = 6
_TRIES = 3
_MOST_GROWTH = 16  # of an envelope with a negative enum: five bytes, and one for every length prefix around it


def _sized(build: Callable[[int, int], bytes], total_bytes: int) -> bytes:
    """Find the two field sizes for which `build(main, slack)` has the wanted length.

    A length prefix that grows makes some lengths unreachable by the main field alone; the second one fills the gap.
    Raises ValueError when the length is below the shortest possible, or one that no envelope has.
    """
    for slack in range(_SLACK):
        main = 1
        for _ in range(_STEPS):
            built = build(main, slack)
            if len(built) == total_bytes:
                return built
            main += total_bytes - len(built)
            if main < 1:
                break
    raise ValueError(f"no envelope of this kind has {total_bytes} bytes")


def envelope_of(draw: Draw, kind: Kind, identifier: bytes, total_bytes: int, *, pointer: bool = False) -> Envelope:
    """Make an envelope whose encoding has exactly `total_bytes`, on the topic of the identifier.

    No two calls give the same envelope. `pointer` asks for the pointer form of a Welcome. Raises ValueError for a
    length below the shortest (under 250 bytes for every kind), for one that `exists` denies, and for the signed kinds.
    """
    mark = draw.identifier(8)
    noise = draw.bytes(total_bytes)
    hmac, key = draw.bytes(HMAC_BYTES), draw.bytes(HMAC_BYTES)

    def group(main: int, slack: int) -> Envelope:
        data = private_message(identifier, epoch=1, authenticated_data=mark, ciphertext=noise[:main])
        return group_envelope(data, sender_hmac=hmac + b"\x2d" * slack, should_push=True)

    def welcome(main: int, slack: int) -> Envelope:
        if pointer:
            return pointer_envelope(identifier, welcome_pointer=noise[:main], hpke_public_key=mark + b"\x2d" * slack)
        return welcome_envelope(
            identifier, data=noise[:main], hpke_public_key=key, welcome_metadata=mark + b"\x2d" * slack
        )

    def commit_log(main: int, slack: int) -> Envelope:
        serialized = entry(identifier, last_epoch_authenticator=noise[:main], applied_epoch_authenticator=mark)
        return commit_log_envelope(serialized, signed=signature(hmac + hmac + b"\x2d" * slack))

    makers = {Kind.GROUP_MESSAGE: group, Kind.WELCOME: welcome, Kind.COMMIT_LOG: commit_log}
    if kind not in makers:
        raise ValueError(f"an envelope of kind {kind.name} is signed and has no free field to size it by")
    make = makers[kind]
    return Envelope.FromString(
        _sized(lambda main, slack: make(main, slack).SerializeToString(deterministic=True), total_bytes)
    )


def framed_bytes(envelope_bytes: int) -> int:
    """Count the bytes an envelope of this length takes up in a request: tag, length prefix and the envelope."""
    return 1 + varint_size(envelope_bytes) + envelope_bytes


def envelope_bytes_in(framed: int) -> int | None:
    """Count the bytes of the envelope that takes up this many in a request; None when none does."""
    sizes = (framed - 1 - width for width in range(1, 6))
    return next((size for size in sizes if size >= 0 and framed_bytes(size) == framed), None)


def exists(kind: Kind, total_bytes: int) -> bool:
    """Tell whether an envelope can have this length: a length prefix that grows by a byte skips a few lengths.

    A prefix stands around the payload, and a second one around the version of a Welcome. The lengths skipped lie just
    above 128, 16384 and 2097152.
    """
    inner = envelope_bytes_in(total_bytes)
    if kind is Kind.WELCOME and inner is not None:
        inner = envelope_bytes_in(inner)
    return inner is not None


def _split(kind: Kind, total_bytes: int, largest: int) -> list[int]:
    """Split a request into as few envelope sizes as possible, none above the largest; ValueError when none fits."""
    fewest = -(-total_bytes // framed_bytes(largest))
    for shares in range(fewest, fewest + _TRIES):
        share, longer = divmod(total_bytes, shares)
        split = [envelope_bytes_in(share + (index < longer)) for index in range(shares)]
        sizes = [size for size in split if size is not None and size <= largest and exists(kind, size)]
        if len(sizes) == shares:
            return sizes
    raise ValueError(f"no envelopes of up to {largest} bytes fill a request of {total_bytes} bytes")


def request_of(
    draw: Draw, identifiers: Sequence[bytes], total_bytes: int, *, max_envelope_bytes: int
) -> tuple[Envelope, ...]:
    """Make group messages that together fill a PublishRequest of exactly `total_bytes`, none longer than the limit.

    As few as possible; they take turns on the groups given. Raises ValueError when the request cannot be built,
    which is only so for a few hundred bytes.
    """
    return tuple(
        envelope_of(draw, Kind.GROUP_MESSAGE, identifiers[index % len(identifiers)], size)
        for index, size in enumerate(_split(Kind.GROUP_MESSAGE, total_bytes, max_envelope_bytes))
    )


def growing_envelope(draw: Draw, installation_key: bytes, wire_bytes: int) -> bytes:
    """Hand-encode a Welcome of exactly `wire_bytes` that is at least five bytes longer when encoded again.

    See `negative_enum_welcome`. Raises ValueError for a length below the shortest, and for one that `exists` denies.
    """
    mark, noise = draw.identifier(8), draw.bytes(wire_bytes)
    return _sized(
        lambda main, slack: negative_enum_welcome(
            installation_key, data=noise[:main], hpke_public_key=mark + b"\x2d" * slack
        ),
        wire_bytes,
    )


def growing_request(
    draw: Draw, installation_keys: Sequence[bytes], wire_bytes: int, *, max_envelope_bytes: int
) -> tuple[bytes, ...]:
    """Hand-encode Welcomes that fill a PublishRequest of exactly `wire_bytes` and grow when encoded again.

    The request grows by at least five bytes for each, while no envelope grows past the limit. Raises ValueError when
    the request cannot be built.
    """
    return tuple(
        growing_envelope(draw, installation_keys[index % len(installation_keys)], size)
        for index, size in enumerate(_split(Kind.WELCOME, wire_bytes, max_envelope_bytes - _MOST_GROWTH))
    )


def request_bytes(envelopes: Sequence[Envelope | bytes]) -> bytes:
    """Encode a PublishRequest, each envelope exactly as given."""
    return b"".join(
        field_bytes(ENVELOPES_FIELD, e if isinstance(e, bytes) else e.SerializeToString(deterministic=True))
        for e in envelopes
    )


def longest_within(kind: Kind, limit_bytes: int) -> int:
    """Give the greatest length not above the limit that an envelope can have: the limit itself but for a few values."""
    return next(size for size in range(limit_bytes, 0, -1) if exists(kind, size))


def shortest_above(kind: Kind, limit_bytes: int) -> int:
    """Give the least length above the limit that an envelope can have: one byte more but for a few values."""
    return next(size for size in range(limit_bytes + 1, 2 * limit_bytes + 9) if exists(kind, size))
