"""Writes MLS messages for the tests of the backend's reader, and draws random valid ones."""

from __future__ import annotations

from hypothesis import strategies as st

APPLICATION, PROPOSAL, COMMIT = 1, 2, 3


def opaque(body: bytes) -> bytes:
    """Write a vector in the shortest form."""
    if len(body) < 1 << 6:
        return bytes([len(body)]) + body
    if len(body) < 1 << 14:
        return (1 << 14 | len(body)).to_bytes(2, "big") + body
    return (2 << 30 | len(body)).to_bytes(4, "big") + body


def u16(value: int) -> bytes:
    return value.to_bytes(2, "big")


def u64(value: int) -> bytes:
    return value.to_bytes(8, "big")


def private_message(
    group_id: bytes,
    *,
    content_type: int = APPLICATION,
    epoch: int = 0,
    ciphertext: bytes = b"ciphertext",
    wire_format: int = 2,
    version: int = 1,
) -> bytes:
    return (
        u16(version)
        + u16(wire_format)
        + opaque(group_id)
        + u64(epoch)
        + bytes([content_type])
        + opaque(b"")
        + opaque(b"s" * 28)
        + opaque(ciphertext)
    )


def public_message(group_id: bytes, *, sender: bytes, content_type: int, content: bytes) -> bytes:
    return (
        u16(1)
        + u16(1)
        + opaque(group_id)
        + u64(7)
        + sender
        + opaque(b"aad")
        + bytes([content_type])
        + content
        + opaque(b"g" * 64)
        + (opaque(b"c" * 32) if content_type == COMMIT else b"")
        + (opaque(b"m" * 32) if sender[0] == 1 else b"")
    )


_blobs = st.binary(max_size=80).map(opaque)
_u16s = st.integers(0, 0xFFFF).map(u16)
_u64s = st.integers(0, 2**64 - 1).map(u64)


def _join(*parts: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.tuples(*parts).map(b"".join)


def _vector(item: st.SearchStrategy[bytes], most: int = 3) -> st.SearchStrategy[bytes]:
    return st.lists(item, max_size=most).map(lambda items: opaque(b"".join(items)))


_extensions = _vector(_join(_u16s, _blobs))
_credentials = st.one_of(_join(st.just(u16(1)), _blobs), _join(st.just(u16(2)), _vector(_blobs)))
_leaf_sources = st.one_of(
    _join(st.just(b"\x01"), _u64s, _u64s),
    st.just(b"\x02"),
    _join(st.just(b"\x03"), _blobs),
)
_leaf_nodes = _join(
    _blobs, _blobs, _credentials, *[_vector(_u16s) for _ in range(5)], _leaf_sources, _extensions, _blobs
)
_key_packages = _join(_u16s, _u16s, _blobs, _leaf_nodes, _extensions, _blobs)
_psk_ids = st.one_of(
    _join(st.just(b"\x01"), _blobs),
    _join(st.just(b"\x02"), st.binary(min_size=1, max_size=1), _blobs, _u64s),
)
proposals = st.one_of(
    _join(st.just(u16(1)), _key_packages),
    _join(st.just(u16(2)), _leaf_nodes),
    _join(st.just(u16(3)), st.binary(min_size=4, max_size=4)),
    _join(st.just(u16(4)), _psk_ids, _blobs),
    _join(st.just(u16(5)), _blobs, _u16s, _u16s, _extensions),
    _join(st.just(u16(6)), _blobs),
    _join(st.just(u16(7)), _extensions),
    _join(st.just(u16(8)), _u16s, st.one_of(_join(st.just(b"\x01"), _blobs), st.just(b"\x02"))),
    st.just(u16(10)),
)
_path_nodes = _join(_blobs, _vector(_join(_blobs, _blobs)))
_paths = st.one_of(st.just(b"\x00"), _join(st.just(b"\x01"), _leaf_nodes, _vector(_path_nodes)))
commits = _join(_vector(st.one_of(_join(st.just(b"\x01"), proposals), _join(st.just(b"\x02"), _blobs))), _paths)
_senders = st.one_of(
    _join(st.sampled_from([b"\x01", b"\x02"]), st.binary(min_size=4, max_size=4)), st.sampled_from([b"\x03", b"\x04"])
)
_contents = st.one_of(
    st.tuples(st.just(APPLICATION), _blobs),
    st.tuples(st.just(PROPOSAL), proposals),
    st.tuples(st.just(COMMIT), commits),
)


@st.composite
def messages(draw: st.DrawFn) -> tuple[bytes, bytes, int]:
    """Draw a valid message, its group id and its content type."""
    group_id = draw(st.binary(min_size=16, max_size=16))
    if draw(st.booleans()):
        content_type = draw(st.sampled_from([APPLICATION, PROPOSAL, COMMIT]))
        ciphertext = draw(st.one_of(st.binary(max_size=100), st.just(b"x" * 16_384)))
        epoch = draw(st.integers(0, 2**64 - 1))
        return (
            private_message(group_id, content_type=content_type, epoch=epoch, ciphertext=ciphertext),
            group_id,
            content_type,
        )
    content_type, content = draw(_contents)
    sender = draw(_senders)
    return (
        public_message(group_id, sender=sender, content_type=content_type, content=content),
        group_id,
        content_type,
    )
