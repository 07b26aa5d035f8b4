"""Hostile text cannot steer a terminal, and a credential cannot be read out of a record."""

from __future__ import annotations

import base64
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.secrets import masked_bytes, masked_text, metadata_text
from conformance.wire.text import printable


@given(st.text(max_size=600), st.integers(1, 300))
def test_printable_text_is_one_line_without_control_characters(text: str, limit: int) -> None:
    line = printable(text, limit=limit)
    assert len(line) <= limit
    assert all(unicodedata.category(character)[0] != "C" for character in line)
    assert len(line.splitlines()) <= 1
    assert line == line.strip()


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "S"]), max_size=200))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert printable(text) == text


def test_escape_sequences_and_direction_overrides_are_taken_out() -> None:
    assert printable("\x1b[2J\x1b]0;owned\x07 a\u202eb\r\nPASS\x00") == "[2J]0;owned ab PASS"
    assert printable("x" * 500) == "x" * 199 + "…"


@given(st.binary(max_size=80), st.binary(max_size=80), st.text(min_size=8, max_size=40))
def test_masking_keeps_the_length_and_removes_the_secret(before: bytes, after: bytes, secret: str) -> None:
    try:
        raw = secret.encode()
    except UnicodeEncodeError:
        return
    data = before + raw + after
    masked = masked_bytes(data, secret)
    assert len(masked) == len(data)
    assert raw not in masked or set(raw) == {ord("*")}


def test_a_secret_too_short_to_be_told_from_content_is_not_masked() -> None:
    assert masked_bytes(b"aaaa", "a") == b"aaaa"
    assert masked_text("aaaa", "a") == "aaaa"
    assert masked_text("aaaa", None) == "aaaa"


def test_metadata_becomes_text_with_credentials_redacted() -> None:
    pairs: list[tuple[str, str | bytes]] = [
        ("Authorization", "Bearer x"),
        ("cookie", "c"),
        ("x-bin", b"\x00\x01"),
        ("x-plain", "my-secret-token!"),
    ]
    assert metadata_text(pairs, "my-secret-token!") == (
        ("Authorization", "<redacted>"),
        ("cookie", "<redacted>"),
        ("x-bin", base64.b64encode(b"\x00\x01").decode()),
        ("x-plain", "<redacted>"),
    )
