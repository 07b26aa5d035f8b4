from __future__ import annotations

from dataclasses import replace

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.key_package import (
    LEAF_LABEL,
    PACKAGE_LABEL,
    key_package_envelope,
    new_key_package,
    sign_content,
    signer,
    usual_parts,
)
from conformance.craft.mls_objects import LeafSource
from conformance.craft.topics import key_package_topic, topic_of
from conformance.oracle import mls_structures

NOW_S = 1_800_000_000


def drawer(seed: int = 1) -> Draw:
    return Draw(seed, b"key packages", now_s=lambda: NOW_S)


@given(seed=st.integers(0, 2**32), wrapper=st.sampled_from((0, 32, 1216)), source=st.sampled_from(LeafSource))
def test_a_key_package_is_signed_over_what_stands_in_it(seed: int, wrapper: int, source: LeafSource) -> None:
    draw = drawer(seed)
    key = draw.installation_key()
    parts = replace(
        usual_parts(draw, key, wrapper_key_bytes=wrapper), source=source, bound_to=(b"g" * 16, 3), parent_hash=b"parent"
    )
    data = parts.encoded(signer(draw, key))
    package = mls_structures.key_package(data)
    leaf = package["leaf"]
    bound = b"" if source is LeafSource.KEY_PACKAGE else b"\x10" + b"g" * 16 + b"\0\0\0\3"
    verifier = Ed25519PublicKey.from_public_bytes(key)
    verifier.verify(leaf["signature"], sign_content(LEAF_LABEL, leaf.up_to("extensions", data) + bound))
    verifier.verify(package["signature"], sign_content(PACKAGE_LABEL, package.up_to("extensions", data)))
    with pytest.raises(InvalidSignature):
        verifier.verify(package["signature"], sign_content(LEAF_LABEL, package.up_to("extensions", data)))
    assert topic_of(key_package_envelope(data)) == key_package_topic(key)


def test_a_new_key_package_is_new_and_lives_as_long_as_asked() -> None:
    draw = drawer()
    key = draw.installation_key()
    one, other = (new_key_package(draw, key).key_package.key_package_tls_serialized for _ in range(2))
    usual, second = map(mls_structures.key_package, (one, other))
    assert usual["init_key"] != second["init_key"]
    lifetime = usual["leaf"]["by_source"]
    assert (lifetime["not_before"], lifetime["not_after"]) == (NOW_S - 3600, NOW_S + 84 * 86_400)
    asked = new_key_package(draw, key, not_before=0, not_after=7).key_package.key_package_tls_serialized
    lifetime = mls_structures.key_package(asked)["leaf"]["by_source"]
    assert (lifetime["not_before"], lifetime["not_after"]) == (0, 7)


def test_only_keys_of_this_draw_sign() -> None:
    draw = drawer()
    key = draw.installation_key()
    assert draw.private_key(key).public_key().public_bytes_raw() == key
    with pytest.raises(KeyError):
        draw.private_key(draw.identifier(32))
    with pytest.raises(KeyError):
        signer(Draw(1, b"another"), key)
