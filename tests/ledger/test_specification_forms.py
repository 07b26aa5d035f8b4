"""A specification says the same in Markdown and in tab-separated text, and a change is felt exactly where it binds."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from conformance.ledger.document import parse_document
from conformance.ledger.drift import compare
from conformance.ledger.load import load
from conformance.ledger.model import Ledger, Requirement

if TYPE_CHECKING:
    from conformance.ledger.document import SpecDocument

CLAUSES = load().requirements["SEND-012"].clauses

# Kind of a piece of text -> how it is written in Markdown and in plain text.
STYLES = {
    "word": ("{}", "{}"),
    "code": ("`{}`", "{}"),
    "link": ("[{}](https://example.org/a_(b)#c)", "{}"),
    "code link": ("[`{}`](other.md#x)", "{}"),
    "single": ("'{}'", "‘{}’"),  # noqa: RUF001 - the plain form has typographic quotes
    "double": ('"{}"', "“{}”"),
    "strong": ("**{}**", "{}"),
    "snake": (r"{0}\_{0}", "{0}_{0}"),
    "pipe": (r"{} \| x", "{} | x"),
    "brackets": (r"{} \[x\](y)", "{} [x](y)"),
    "less": ("{} &lt; x", "{} < x"),
    "break": ("{}<br>x", "{} x"),
    "spaces": ("{}  \u00a0x", "{} x"),
}
MARKDOWN, PLAIN = 0, 1
HEADER = ("ID", "Title", "Requirement", "Why")


@dataclass(frozen=True)
class Piece:
    """A word and the style it is set in."""

    style: str
    word: str

    def write(self, form: int) -> str:
        return STYLES[self.style][form].format(self.word)

    def changed(self) -> Piece:
        first = "b" if self.word[0] == "a" else "a"
        return dataclasses.replace(self, word=first + self.word[1:])


Sentence = tuple[Piece, ...]


@dataclass(frozen=True)
class Row:
    """A requirement row with what it binds; an empty rationale is left out of the plain form altogether."""

    title: Sentence
    text: Sentence
    why: Sentence
    binds: tuple[str, ...]


@dataclass(frozen=True)
class Spec:
    """A whole synthetic specification: requirements by number, tables and proto blocks by name.

    The first word of a proto block stands in the comment above it, the others are its fields.
    """

    rows: tuple[Row, ...]
    tables: tuple[tuple[str, tuple[Sentence, ...]], ...]
    protos: tuple[tuple[str, tuple[str, ...]], ...]


words = st.text("abcdefgh", min_size=1, max_size=4)
sentences = st.lists(st.builds(Piece, st.sampled_from(sorted(STYLES)), words), min_size=1, max_size=4).map(tuple)


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    tables = draw(st.lists(st.sampled_from(["Condition", "Field", "Kind"]), unique=True))
    protos = draw(st.lists(st.sampled_from(["Alpha", "Beta"]), unique=True))
    bindable = ["why", *(f"table:{name}" for name in tables), "proto:*", *(f"proto:{name}" for name in protos)]
    rows = st.builds(
        Row,
        sentences,
        sentences,
        st.one_of(st.just(()), sentences),
        st.tuples(*(st.sampled_from([(), (bind,)]) for bind in bindable)).map(lambda chosen: sum(chosen, ())),
    )
    return Spec(
        rows=tuple(draw(st.lists(rows, min_size=1, max_size=4))),
        tables=tuple((name, tuple(draw(st.lists(sentences, min_size=1, max_size=3)))) for name in tables),
        protos=tuple((name, tuple(draw(st.lists(words, min_size=2, max_size=4)))) for name in protos),
    )


def _ids(spec: Spec) -> list[str]:
    return [f"API-{number:03}" for number in range(len(spec.rows))]


def _write(sentence: Sentence, form: int) -> str:
    return " ".join(piece.write(form) for piece in sentence)


def _table(form: int, header: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    if form == PLAIN:
        return ["\t".join(cells).rstrip("\t") for cells in (header, *rows)] + [""]
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, ("---",) * len(header), *rows)]
    return [*lines, ""]


def _proto(name: str, block: tuple[str, ...]) -> list[str]:
    comment, *fields = block
    lines = [f"// The `{comment}`.", f"message {name} {{", "  message Inner {}", "  oneof either {"]
    lines += [f"\tbytes {field} = {number};  // {{ {field}" for number, field in enumerate(fields, start=1)]
    return [*lines, "  }", "}"]


def render(spec: Spec, form: int) -> str:
    """The specification as a document in one of the two forms."""
    fence = ["```"] if form == MARKDOWN else []
    lines = ["---", "prefix: API", "---", "# A title", ""] if form == MARKDOWN else ["A title", ""]
    if form == MARKDOWN:
        lines += ["```mermaid", "  C -->|Publish| P", "message Not {", "```", ""]
        lines += ["<!--", *_table(form, HEADER, [["API-000", "x", "y", ""]]), "-->", ""]
    for name, block in spec.protos:
        lines += [*(f"{mark}proto" for mark in fence), *_proto(name, block), *fence, ""]
    for name, cells in spec.tables:
        lines += _table(form, (name, "Meaning"), [[_write(cell, form), "x"] for cell in cells])
    for requirement_id, row in zip(_ids(spec), spec.rows, strict=True):
        cells = [requirement_id, *(_write(part, form) for part in (row.title, row.text, row.why))]
        lines += ["A paragraph of prose.", "", *_table(form, HEADER, [cells])]
    return "\n".join(lines)


def read(spec: Spec, form: int) -> SpecDocument:
    return parse_document(render(spec, form), name="spec")


def digests(spec: Spec, form: int) -> dict[str, str]:
    document = read(spec, form)
    assert list(document.requirements) == _ids(spec)
    return {name: document.digest(name, row.binds) for name, row in zip(_ids(spec), spec.rows, strict=True)}


@st.composite
def changes(draw: st.DrawFn) -> tuple[Spec, Spec, set[str]]:
    """A specification, the same with one letter changed, and the requirements that this must be felt by."""
    spec = draw(specs())
    kinds = ["title", "text", *(["table"] if spec.tables else []), *(["proto"] if spec.protos else [])]
    kinds += ["why"] if any(row.why for row in spec.rows) else []
    kind = draw(st.sampled_from(kinds))
    if kind == "table":
        at = draw(st.integers(0, len(spec.tables) - 1))
        name, cells = spec.tables[at]
        table = (name, (_one_letter(cells[0]), *cells[1:]))
        after = dataclasses.replace(spec, tables=(*spec.tables[:at], table, *spec.tables[at + 1 :]))
        return spec, after, _binding(spec, f"table:{name}")
    if kind == "proto":
        at = draw(st.integers(0, len(spec.protos) - 1))
        name, content = spec.protos[at]
        which = draw(st.sampled_from([0, 1]))
        changed = Piece("word", content[which]).changed().word
        block = (name, (*content[:which], changed, *content[which + 1 :]))
        after = dataclasses.replace(spec, protos=(*spec.protos[:at], block, *spec.protos[at + 1 :]))
        return spec, after, _binding(spec, "proto:*", f"proto:{name}")
    at = draw(st.sampled_from([at for at, row in enumerate(spec.rows) if getattr(row, kind)]))
    row = dataclasses.replace(spec.rows[at], **{kind: _one_letter(getattr(spec.rows[at], kind))})
    after = dataclasses.replace(spec, rows=(*spec.rows[:at], row, *spec.rows[at + 1 :]))
    felt = kind != "why" or "why" in row.binds
    return spec, after, {_ids(spec)[at]} if felt else set()


def _one_letter(sentence: Sentence) -> Sentence:
    return (sentence[0].changed(), *sentence[1:])


def _binding(spec: Spec, *binds: str) -> set[str]:
    return {name for name, row in zip(_ids(spec), spec.rows, strict=True) if not set(binds).isdisjoint(row.binds)}


@given(specs())
def test_both_forms_of_a_specification_have_equal_digests(spec: Spec) -> None:
    assert digests(spec, MARKDOWN) == digests(spec, PLAIN)


@given(changes(), st.sampled_from([MARKDOWN, PLAIN]), st.sampled_from([MARKDOWN, PLAIN]))
def test_one_changed_letter_is_felt_by_exactly_the_requirements_it_binds(
    change: tuple[Spec, Spec, set[str]], form_before: int, form_after: int
) -> None:
    before, after, felt = change
    known, found = digests(before, form_before), digests(after, form_after)
    assert {name for name in known if known[name] != found[name]} == felt


def ledger_of(spec: Spec) -> Ledger:
    """A ledger that knows the specification, and one requirement of the other contract besides."""
    known = digests(spec, PLAIN)
    requirements = {
        name: Requirement(
            id=name,
            title="T",
            contract="API",
            section="1. S",
            section_number="1",
            binds=row.binds,
            digest=known[name],
            clauses=CLAUSES,
        )
        for name, row in zip(_ids(spec), spec.rows, strict=True)
    }
    return Ledger(requirements=requirements | {"SEND-012": load().requirements["SEND-012"]})


@given(changes())
def test_drift_names_what_changed_and_nothing_of_a_contract_the_document_is_not_about(
    change: tuple[Spec, Spec, set[str]],
) -> None:
    before, after, felt = change
    assert not compare(ledger_of(before), read(before, MARKDOWN))
    drift = compare(ledger_of(before), read(after, MARKDOWN))
    assert (drift.new, drift.gone, set(drift.changed)) == ((), (), felt)
    assert bool(drift) == bool(felt)


@given(specs().filter(lambda spec: len(spec.rows) > 1))
def test_drift_names_what_is_new_and_what_is_gone(spec: Spec) -> None:
    fewer = dataclasses.replace(spec, rows=spec.rows[:-1])
    last = _ids(spec)[-1]
    assert compare(ledger_of(spec), read(fewer, MARKDOWN)).gone == (last,)
    assert compare(ledger_of(fewer), read(spec, PLAIN)).new == (last,)


@given(specs().filter(lambda spec: spec.tables))
def test_a_table_that_is_no_longer_there_changes_what_it_bound(spec: Spec) -> None:
    name = spec.tables[0][0]
    without = dataclasses.replace(spec, tables=spec.tables[1:])
    assert set(compare(ledger_of(spec), read(without, PLAIN)).changed) == _binding(spec, f"table:{name}")
