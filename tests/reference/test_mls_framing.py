from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.reference.backend.mls_framing import Framing, read_framing
from conformance.reference.backend.tls_reader import TlsError
from tests.reference import mls_writer as mls

GROUP = bytes(range(16))


@settings(deadline=None)
@given(mls.messages(), st.binary(max_size=40))
def test_a_valid_message_shows_its_group_and_content_whatever_follows_it(
    message: tuple[bytes, bytes, int], suffix: bytes
) -> None:
    data, group_id, content_type = message
    assert read_framing(data + suffix) == Framing(group_id=group_id, content_type=content_type)


@settings(max_examples=60, deadline=None)
@given(mls.messages())
def test_every_strict_prefix_of_a_valid_message_is_refused(message: tuple[bytes, bytes, int]) -> None:
    data = message[0]
    lengths = range(len(data)) if len(data) < 3000 else (*range(200), *range(len(data) - 200, len(data)))
    for length in lengths:
        with pytest.raises(TlsError):
            read_framing(data[:length])


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_either_read_or_refused(data: bytes) -> None:
    try:
        framing = read_framing(data)
    except TlsError:
        return
    assert data[:4] in (b"\0\1\0\1", b"\0\1\0\2")
    assert framing.content_type in (1, 2, 3)


VALID = mls.private_message(GROUP)
MEMBER = b"\x01\0\0\0\0"
REFUSED = {
    "empty": b"",
    "version 0": mls.private_message(GROUP, version=0),
    "version 2": mls.private_message(GROUP, version=2),
    **{f"wire format {number}": mls.private_message(GROUP, wire_format=number) for number in (0, 3, 4, 5, 6, 0xFFFF)},
    "content type 0": mls.private_message(GROUP, content_type=0),
    "content type 4": mls.private_message(GROUP, content_type=4),
    "no header": VALID[4:],
    "length with prefix 11": VALID[:4] + b"\xc0" + VALID[5:],
    "length in two bytes where one holds it": VALID[:4] + b"\x40\x10" + VALID[5:],
    "length in four bytes where one holds it": VALID[:4] + b"\x80\0\0\x10" + VALID[5:],
    "length in four bytes where two hold it": VALID[:-11] + b"\x80\0\0\x40" + b"x" * 64,
    "length past the end": VALID[:-11] + b"\x7f\xff" + b"x" * 64,
    "sender type 0": mls.public_message(GROUP, sender=b"\0", content_type=2, content=mls.u16(10)),
    "sender type 5": mls.public_message(GROUP, sender=b"\5", content_type=2, content=mls.u16(10)),
    "odd byte in a list of numbers": mls.public_message(
        GROUP,
        sender=MEMBER,
        content_type=2,
        content=mls.u16(2) + mls.opaque(b"e") + mls.opaque(b"s") + mls.u16(1) + mls.opaque(b"i") + mls.opaque(b"123"),
    ),
    "presence byte 2": mls.public_message(GROUP, sender=MEMBER, content_type=3, content=mls.opaque(b"") + b"\x02"),
    "proposal-or-reference type 3": mls.public_message(
        GROUP, sender=MEMBER, content_type=3, content=mls.opaque(b"\x03" + mls.opaque(b"r")) + b"\0"
    ),
    "unread byte after a proposal inside a commit": mls.public_message(
        GROUP, sender=MEMBER, content_type=3, content=mls.opaque(b"\x01" + mls.u16(10) + b"?") + b"\0"
    ),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_a_broken_message_is_refused(data: bytes) -> None:
    assert read_framing(VALID).group_id == GROUP
    with pytest.raises(TlsError):
        read_framing(data)


def test_the_longest_form_is_read_where_it_is_needed() -> None:
    data = mls.private_message(GROUP, ciphertext=b"x" * (1 << 14))
    assert read_framing(data).group_id == GROUP
    with pytest.raises(TlsError):
        read_framing(data[:-1])
