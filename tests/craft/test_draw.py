from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw


@given(seed=st.integers(), salts=st.lists(st.binary(max_size=8), unique=True, min_size=2, max_size=4))
def test_identifiers_never_repeat_within_or_across_salts(seed: int, salts: list[bytes]) -> None:
    drawn = [Draw(seed, salt) for salt in salts]
    identifiers = [draw.identifier(size) for draw in drawn for size in (8, 16, 32, 33, 64) for _ in range(3)]
    assert len({identifier[:8] for identifier in identifiers}) == len(identifiers)


@given(seed=st.integers(), salt=st.binary(max_size=8))
def test_the_seed_alone_decides_bytes_and_choices(seed: int, salt: bytes) -> None:
    one, other = Draw(seed, salt), Draw(seed, salt + b"of another run")
    one.identifier(32)
    assert one.bytes(50) == other.bytes(50)
    assert one.random.random() == other.random.random()


def test_an_identifier_has_the_length_asked_for_and_no_shorter_one_is_given() -> None:
    draw = Draw(1, b"")
    assert [len(draw.identifier(size)) for size in (8, 31, 32, 100)] == [8, 31, 32, 100]
    assert (len(draw.group_id()), len(draw.installation_key())) == (16, 32)
    with pytest.raises(ValueError, match="7 bytes cannot be unique"):
        draw.identifier(7)
