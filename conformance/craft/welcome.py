"""Welcomes: inline and by pointer, with every algorithm number an envelope can carry."""

from __future__ import annotations

from typing import cast

from conformance.craft.draw import Draw
from conformance.craft.wire_format import WireType, field_bytes, tag
from conformance.pb import backend_pb2, wrapper_encryption_pb2

CURVE25519 = wrapper_encryption_pb2.WELCOME_WRAPPER_ALGORITHM_CURVE25519
POINTER_XWING = wrapper_encryption_pb2.WELCOME_POINTER_WRAPPER_ALGORITHM_XWING_MLKEM_768_DRAFT_6
MINUS_ONE_IN_FIVE_BYTES = b"\xff\xff\xff\xff\x0f"

_WELCOME_MESSAGE, _V1 = 2, 1
_INSTALLATION_KEY, _DATA, _HPKE_PUBLIC_KEY, _WRAPPER_ALGORITHM = 1, 2, 3, 4


def welcome_envelope(
    installation_key: bytes,
    *,
    data: bytes = b"\x1c" * 64,
    hpke_public_key: bytes = b"\x1d" * 32,
    wrapper_algorithm: int = CURVE25519,
    welcome_metadata: bytes = b"",
) -> backend_pb2.ClientEnvelope:
    """Make an inline Welcome; `wrapper_algorithm` may be any int32, known or not."""
    version = backend_pb2.WelcomeMessage.V1(
        installation_key=installation_key,
        data=data,
        hpke_public_key=hpke_public_key,
        wrapper_algorithm=cast("wrapper_encryption_pb2.WelcomeWrapperAlgorithm", wrapper_algorithm),
        welcome_metadata=welcome_metadata,
    )
    return backend_pb2.ClientEnvelope(welcome_message=backend_pb2.WelcomeMessage(v1=version))


def pointer_envelope(
    installation_key: bytes,
    *,
    welcome_pointer: bytes = b"\x1e" * 96,
    hpke_public_key: bytes = b"\x1f" * 32,
    wrapper_algorithm: int = POINTER_XWING,
) -> backend_pb2.ClientEnvelope:
    """Make a Welcome that points to one stored elsewhere; `wrapper_algorithm` may be any int32, known or not."""
    version = backend_pb2.WelcomeMessage.WelcomePointer(
        installation_key=installation_key,
        welcome_pointer=welcome_pointer,
        hpke_public_key=hpke_public_key,
        wrapper_algorithm=cast("wrapper_encryption_pb2.WelcomePointerWrapperAlgorithm", wrapper_algorithm),
    )
    return backend_pb2.ClientEnvelope(welcome_message=backend_pb2.WelcomeMessage(welcome_pointer=version))


def new_welcome(draw: Draw, installation_key: bytes, *, size: int = 64) -> backend_pb2.ClientEnvelope:
    """Make an inline Welcome like a real client's, with `size` bytes of data; no two calls give the same one."""
    return welcome_envelope(
        installation_key,
        data=draw.bytes(size),
        hpke_public_key=draw.bytes(32),
        welcome_metadata=draw.identifier(8),
    )


def negative_enum_welcome(
    installation_key: bytes, *, data: bytes = b"\x20" * 16, hpke_public_key: bytes = b"\x21" * 32
) -> bytes:
    """Hand-encode an inline Welcome whose algorithm is -1 written in five bytes.

    A decoder reads -1, and encoders write a negative enum in ten: the re-encoded envelope is five bytes longer, and
    more where a length prefix grows with it. The one way to be shorter on the wire than re-encoded (API-281).
    """
    fields = {_INSTALLATION_KEY: installation_key, _DATA: data, _HPKE_PUBLIC_KEY: hpke_public_key}
    # an empty field is left out, as it will be when encoded again
    version = b"".join(field_bytes(number, value) for number, value in fields.items() if value)
    version += tag(_WRAPPER_ALGORITHM, WireType.VARINT) + MINUS_ONE_IN_FIVE_BYTES
    return field_bytes(_WELCOME_MESSAGE, field_bytes(_V1, version))
