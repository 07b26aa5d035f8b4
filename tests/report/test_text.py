"""Foreign text becomes harmless, and what is cut is counted."""

from __future__ import annotations

import unicodedata

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.report.rows import natural
from conformance.report.text import block, cut_note, harmless, one_line, sentence_and_witness

# A busy machine is slow, and that is no finding.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
texts = st.text(st.characters(codec=None))


@unhurried
@given(texts)
def test_harmless_text_encodes_drives_nothing_and_stays_harmless(text: str) -> None:
    clean = harmless(text)
    clean.encode("utf-8")
    assert {unicodedata.category(char) for char in clean.replace("\n", "")} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    assert harmless(clean) == clean
    assert clean.count("\n") == text.count("\n")


@unhurried
@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_text_without_hostile_characters_is_left_alone(text: str) -> None:
    assert harmless(text) == text


@unhurried
@given(texts, st.integers(0, 30))
def test_one_line_is_one_line_and_counts_what_it_cut(text: str, longest: int) -> None:
    line = one_line(text, longest=longest)
    assert len(line.splitlines()) <= 1
    assert line.endswith(cut_note(len(text) - longest)) == (len(text) > longest)


@unhurried
@given(st.text(st.sampled_from("ab\n")), st.integers(0, 30), st.integers(1, 5))
def test_a_block_shows_a_head_of_the_text_and_counts_the_rest(text: str, longest: int, most_lines: int) -> None:
    lines = block(text, longest=longest, most_lines=most_lines)
    shown = lines[:-1] if lines[-1].startswith("[cut: ") else lines
    head = "\n".join(shown)
    assert text.startswith(head)
    assert len(head) <= longest
    assert len(shown) <= most_lines
    assert (lines != shown) == (head != text)
    if lines != shown:
        assert lines[-1] == cut_note(len(text) - len(head))


@unhurried
@given(st.text(st.sampled_from("ab \n")))
def test_sentence_and_witness_lose_no_word(message: str) -> None:
    sentence, witness = sentence_and_witness(message)
    assert "\n" not in sentence
    assert f"{sentence}\n{witness}".split() == message.split()
    assert bool(sentence.strip()) == bool(message.strip())


def test_numbers_in_ids_and_headings_compare_as_numbers() -> None:
    ids = ["API-200", "API-200.a", "API-200.b", "API-1000", "SEND-001"]
    assert sorted(ids, key=natural) == ids
    headings = ["2. Envelope", "3. Publish", "10. Last"]
    assert sorted(headings, key=natural) == headings
