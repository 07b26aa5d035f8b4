"""Makes foreign text harmless and short before it is printed."""

from __future__ import annotations

import unicodedata

LEFT_IN = "results.json"
_NOTHING = ""
# Line and paragraph separators would start a new line in some readers; tabs would break columns.
_AS_SPACE = frozenset({"Zl", "Zp", "Zs"})
# Control characters drive terminals; format characters reorder or hide text.
_DROPPED = frozenset({"Cc", "Cf"})
_NONCHARACTER_ENDS = (0xFFFE, 0xFFFF)


def harmless(text: str) -> str:
    """Drop control, format and illegal characters; keep line ends, and turn every other space into a plain one."""
    if text.isascii() and text.isprintable():
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join("".join(map(_harmless, line)) for line in lines)


def one_line(text: str, *, longest: int) -> str:
    """Give foreign text as one line of at most `longest` characters and, when it was cut, a note that says so."""
    head, cut = text[:longest], len(text) - longest
    line = " ".join(harmless(head).split())
    return f"{line} {cut_note(cut)}".lstrip() if cut > 0 else line


def block(text: str, *, longest: int, most_lines: int) -> list[str]:
    """Give foreign text as lines, at most `most_lines` of `longest` characters in all, and a note on what was cut."""
    lines = text[:longest].split("\n")
    kept = lines[:most_lines]
    cut = len(text) - len("\n".join(kept))
    shown = [harmless(line).rstrip() for line in kept]
    return [*shown, cut_note(cut)] if cut > 0 else shown


def cut_note(characters: int) -> str:
    """Say how many characters were left out, and where they are."""
    return f"[cut: {characters} more characters in {LEFT_IN}]"


def sentence_and_witness(message: str) -> tuple[str, str]:
    """Split the message of a case: its first line with text is the diagnosis, the rest is the witness."""
    sentence, _, witness = message.lstrip().partition("\n")
    return sentence, witness.strip("\n")


def _harmless(character: str) -> str:
    category = unicodedata.category(character)
    if character == "\t" or category in _AS_SPACE:
        return " "
    if category == "Cs":
        return "\N{REPLACEMENT CHARACTER}"
    if category in _DROPPED or ord(character) & 0xFFFF in _NONCHARACTER_ENDS:
        return _NOTHING
    return character
