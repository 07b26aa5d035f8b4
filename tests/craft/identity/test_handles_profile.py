"""The handles profile: the shipped assumption holds together, and a bad override is refused in a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.handles import HandlesProfileError, claim_action
from conformance.craft.identity.handles_file import load_profile, shipped_profile
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet
from conformance.pb import association_pb2

SHIPPED = shipped_profile()


def override(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "handles.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_drawn_handle_is_one_by_the_grammar_and_never_comes_twice() -> None:
    draw = Draw(1, b"handles")
    drawn = [SHIPPED.drawn(draw, length=length) for length in (12, 32, None, 20) for _ in range(20)]
    assert len(set(drawn)) == len(drawn)
    names = [SHIPPED.name_of(handle) for handle in drawn]
    assert None not in names
    assert [SHIPPED.handle(str(name)) for name in names] == drawn
    for length in (0, 33):
        with pytest.raises(ValueError, match="1 to 32 characters"):
            SHIPPED.drawn(draw, length=length)


def test_a_claim_stands_where_the_profile_says_and_keeps_its_bytes() -> None:
    profile = replace(SHIPPED, action_field=77, handle_field=9, signature_field=3)
    wallet = Wallet(b"\x11" * 32)
    update = Inbox(wallet).claim("someone.test", profile)
    again = association_pb2.IdentityUpdate.FromString(update.SerializeToString())
    assert again == update
    assert again.actions[0].WhichOneof("kind") is None
    written = again.actions[0].SerializeToString()
    assert written.startswith(b"\xea\x04")  # field 77, delimited
    assert b"\x4a\x0csomeone.test" in written  # field 9
    signature = wallet.sign("x")
    assert signature.SerializeToString() in claim_action(profile, "a.test", signature).SerializeToString()
    bare = claim_action(replace(profile, signature_field=0), "a.test", signature)
    assert bare == claim_action(profile, "a.test", None)


def test_an_override_changes_what_it_names_and_leaves_the_rest(tmp_path: Path) -> None:
    text = '[claim]\naction_field = 6\n[signed_text]\nphrase = "Take handle"\n[lookup]\nidentifier_kind = 4\n'
    changed = replace(SHIPPED, action_field=6, phrase="Take handle", identifier_kind=4)
    assert load_profile(override(tmp_path, text)) == changed
    assert load_profile(override(tmp_path, "")) == SHIPPED


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[claim", "is no TOML file"),
        ("[clam]\n", "unknown table [clam]; known are claim, signed_text, lookup, configuration, grammar"),
        ("claim = 3\n", "claim must be a table"),
        ("[claim]\nhandle = 3\n", "unknown key claim.handle; known are action_field"),
        ("[claim]\naction_field = 4\n", "claim.action_field must be a whole number from 5"),
        ("[claim]\naction_field = 19500\n", "claim.action_field must be a whole number"),
        ("[claim]\naction_field = true\n", "claim.action_field must be a whole number"),
        ("[claim]\nhandle_field = 2\n", "claim.handle_field and claim.signature_field must differ"),
        ("[lookup]\nidentifier_kind = 2\n", "lookup.identifier_kind must be a whole number from 3"),
        ('[signed_text]\nphrase = "a\\nb"\n', "signed_text.phrase must be a text of printable characters"),
        ("[signed_text]\nlabel = 7\n", "signed_text.label must be a text"),
        ("[grammar]\nhandle = '('\n", "grammar.handle is no regular expression"),
        ("[grammar]\nhandle = '[a-z]+'\n", "must mark the name part as (?P<name>...)"),
        ("[grammar]\nform = 'name'\n", "grammar.form must hold {name} once"),
        ("[grammar]\nshortest_name = 9\nlongest_name = 8\n", "grammar.shortest_name is above grammar.longest_name"),
        ("[grammar]\nlongest_name = 40\n", "as the handle of a name of 40 characters"),
        ("[grammar]\nletters = 'A'\n", "does not take A.test as the handle of a name of 1 characters"),
        ("[grammar]\n\"\\u0007\" = 'A'\n", "unknown key grammar..;"),
    ],
)
def test_an_override_that_cannot_be_used_is_refused_in_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = override(tmp_path, text)
    with pytest.raises(HandlesProfileError) as caught:
        load_profile(path)
    sentence = str(caught.value)
    assert says in sentence
    assert str(path) in sentence
    assert "\n" not in sentence
    assert sentence.isprintable()
    assert sentence.endswith(".")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(HandlesProfileError, match="cannot be read"):
        load_profile(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(HandlesProfileError, match="is no TOML file"):
        load_profile(tmp_path / "bytes.toml")
