"""Reduces a piece of specification text to what it says, so that both written forms of it come out equal.

A specification exists as Markdown and as plain text with tab-separated tables. The plain form has lost backticks,
links, emphasis and escapes, and has typographic quotes; all of these are taken out of either form.
"""

from __future__ import annotations

import html
import re

_LINK = re.compile(r"!?\[((?:\\.|[^\[\]\\])*)\]\((?:\\.|[^()\\]|\([^()]*\))*\)")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]*)>")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_EMPHASIS = re.compile(r"(\*{1,3})(?=\S)([^*]+)(?<=\S)\1")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans(dict.fromkeys("\u2018\u2019\u201a\u201b", "'") | dict.fromkeys("\u201c\u201d\u201e\u201f", '"'))


def plain(text: str) -> str:
    """Return `text` on one line without markup, with straight quotes and single spaces.

    The steps are repeated until nothing changes, so that what an escape or an entity protected in Markdown meets the
    same fate as the bare text of the other form.
    """
    while (reduced := _reduce(text)) != text:
        text = reduced
    return text


def _reduce(text: str) -> str:
    text = _LINK.sub(r"\1", text)
    text = _AUTOLINK.sub(r"\1", text)
    text = _BREAK.sub(" ", text)
    text = _EMPHASIS.sub(r"\2", text.replace("`", ""))
    text = html.unescape(_ESCAPE.sub(r"\1", text))
    return _SPACE.sub(" ", text.translate(_QUOTES)).strip()
