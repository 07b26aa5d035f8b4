"""Reads a specification document, in either written form, and digests what it says about one requirement.

The forms are Markdown with pipe tables and fenced proto blocks, and plain text with tab-separated tables and bare
proto blocks. A digest covers title and requirement sentence, and each table and proto block that the requirement
binds. The Why column is rationale: rewording it changes no obligation, so it is left out, except for a requirement
that binds "why" because one of its clauses rests on the rationale.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.ledger.markup import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_ID = re.compile(r"(API|SEND)-\d{3,}")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*(\w*)")
_DEFINITION = re.compile(r"\s*(?:message|enum|service)\s+(\w+)\s*\{")
_NO_BRACES = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"")
_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


class SpecDocumentError(Exception):
    """A file that cannot be read as a specification; the text is one sentence that names the file."""


@dataclass(frozen=True, kw_only=True)
class SpecRequirement:
    """A requirement row without its id: markup taken out, `why` empty if the row gives none."""

    title: str
    text: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """Any table of a document; cells are plain text, empty cells at the end of a row are dropped."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ProtoBlock:
    """One top-level message, enum or service with the comment lines right above it, as plain text."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True)
class SpecDocument:
    """What the ledger knows of a specification document, in document order."""

    requirements: Mapping[str, SpecRequirement]
    tables: tuple[Table, ...]
    proto_blocks: tuple[ProtoBlock, ...]

    @property
    def contracts(self) -> frozenset[str]:
        """The contracts whose requirements stand in the document: API, SEND or, for a merged text, both."""
        return frozenset(requirement_id.split("-", 1)[0] for requirement_id in self.requirements)

    def bound(self, bind: str, requirement_id: str) -> list[object]:
        """Return the content of all blocks that a `binds` entry names, in document order; empty if there is none."""
        kind, _, name = bind.partition(":")
        if kind == "why":
            why = self.requirements[requirement_id].why
            return [why] if why else []
        if kind == "table":
            return [[table.header, *table.rows] for table in self.tables if table.header[0] == name]
        return [block.text for block in self.proto_blocks if name in {"*", block.name}]

    def digest(self, requirement_id: str, binds: Iterable[str]) -> str:
        """Return the SHA-256 in hex over the requirement and all that `binds` names; KeyError for an unknown id."""
        requirement = self.requirements[requirement_id]
        content = [requirement.title, requirement.text, [[bind, self.bound(bind, requirement_id)] for bind in binds]]
        return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode("ascii")).hexdigest()


def read_document(path: Path) -> SpecDocument:
    """Return the document in the file at `path`; raises SpecDocumentError if it is missing or no specification."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecDocumentError(f"{path}: there is no such file.") from None
    except UnicodeDecodeError:
        raise SpecDocumentError(f"{path}: not a text file in UTF-8, so no specification.") from None
    except OSError as error:
        raise SpecDocumentError(f"{path}: cannot be read ({error.strerror}).") from None
    return parse_document(text, name=str(path))


def parse_document(text: str, *, name: str) -> SpecDocument:
    """Return the document in `text`; `name` stands for it in the one sentence of a SpecDocumentError."""
    if "\0" in text:
        raise SpecDocumentError(f"{name}: a binary file, so no specification.")
    if not text.strip():
        raise SpecDocumentError(f"{name}: the file is empty.")
    scanner = _Scanner(_COMMENT.sub("", text).splitlines(), name)
    scanner.run()
    requirements = _requirements(scanner.tables, name)
    if not requirements:
        raise SpecDocumentError(f"{name}: no specification, for it has no table of API or SEND requirements.")
    return SpecDocument(
        requirements=requirements,
        tables=tuple(scanner.tables),
        proto_blocks=tuple(scanner.proto_blocks),
    )


class _Scanner:
    """Walks over the lines once and collects tables and proto blocks of both forms."""

    def __init__(self, lines: list[str], name: str) -> None:
        self.lines = lines
        self.name = name
        self.tables: list[Table] = []
        self.proto_blocks: list[ProtoBlock] = []

    def run(self) -> None:
        rows: list[tuple[str, ...]] = []
        position = 0
        while position < len(self.lines):
            line = self.lines[position]
            cells = _cells(line)
            if cells and not _DEFINITION.match(line):
                rows.append(cells)
                position += 1
                continue
            self._close_table(rows)
            rows = []
            position = self._skip(position)
        self._close_table(rows)

    def _skip(self, position: int) -> int:
        """Take a fence or a proto block that begins at `position`; return where to go on."""
        fence = _FENCE.match(self.lines[position])
        if fence is None:
            return self._proto_block(position, len(self.lines))
        end = next(
            (at for at in range(position + 1, len(self.lines)) if self.lines[at].strip().startswith(fence[1])),
            len(self.lines),
        )
        if fence[2].lower().startswith("proto"):
            at = position + 1
            while at < end:
                at = self._proto_block(at, end)
        return end + 1

    def _proto_block(self, position: int, end: int) -> int:
        definition = _DEFINITION.match(self.lines[position])
        if definition is None:
            return position + 1
        first = position
        while first > 0 and self.lines[first - 1].lstrip().startswith("//"):
            first -= 1
        depth = 0
        for at in range(position, end):
            code = _NO_BRACES.sub("", self.lines[at])
            depth += code.count("{") - code.count("}")
            if depth <= 0:
                text = plain("\n".join(self.lines[first : at + 1]))
                self.proto_blocks.append(ProtoBlock(name=definition[1], text=text))
                return at + 1
        raise SpecDocumentError(f"{self.name}: the proto block {definition[1]} is never closed.")

    def _close_table(self, rows: list[tuple[str, ...]]) -> None:
        kept = [row for row in rows if not all(_RULE.fullmatch(cell) for cell in row)]
        if kept:
            self.tables.append(Table(header=kept[0], rows=tuple(kept[1:])))


def _cells(line: str) -> tuple[str, ...]:
    """Return the plain cells of a row of either form, without empty ones at its end; nothing if it is no row."""
    if line.lstrip().startswith("|"):
        cells = _PIPE.split(line.strip())[1:]
    elif "\t" in line:
        cells = line.split("\t")
    else:
        return ()
    texts = [plain(cell) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return tuple(texts)


def _requirements(tables: Iterable[Table], name: str) -> dict[str, SpecRequirement]:
    found: dict[str, SpecRequirement] = {}
    for table in tables:
        columns = [cell.lower() for cell in table.header]
        if columns[0] != "id" or not {"title", "requirement"}.issubset(columns):
            continue
        for row in table.rows:
            cells = defaultdict(str, zip(columns, row, strict=False))
            requirement_id = cells["id"]
            if not _ID.fullmatch(requirement_id):
                continue
            if requirement_id in found:
                raise SpecDocumentError(f"{name}: {requirement_id} stands in it twice.")
            if not cells["title"] or not cells["requirement"]:
                raise SpecDocumentError(f"{name}: the row of {requirement_id} has no title or no requirement.")
            found[requirement_id] = SpecRequirement(title=cells["title"], text=cells["requirement"], why=cells["why"])
    return found
