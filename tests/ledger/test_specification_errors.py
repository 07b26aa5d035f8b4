"""A file that is no specification is refused in one sentence that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.ledger.document import SpecDocumentError, parse_document, read_document

if TYPE_CHECKING:
    from pathlib import Path

ROW = "ID\tTitle\tRequirement\tWhy\nAPI-222\tT\tThe backend acts.\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n\t\n",
        b"\x7fELF\x00\x01",
        b"\xff\xfe\xfa",
        b"# A letter\n\nDear reader,\n",
        b"| ID | Title | Requirement | Why |\n| --- | --- | --- | --- |\n",
        b"| ID | Meaning |\n| --- | --- |\n| API-222 | x |\n",
        b"ID\tTitle\tRequirement\tWhy\nCONF-073\tT\tThe client acts.\n",
        b"ID\tTitle\tRequirement\tWhy\nAPI-222\tT\n",
        ROW.encode() + b"API-222\tT\tThe backend acts.\n",
        ROW.encode() + b"\nmessage Open {\n  bytes field = 1;\n",
    ],
)
def test_a_file_that_is_no_specification_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "spec.md"
    path.write_bytes(content)
    _assert_refused(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    _assert_refused(tmp_path / "missing.md")
    _assert_refused(tmp_path)


def test_a_table_may_have_further_columns_and_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "spec.md"
    path.write_text("\ufeffID\tStatus\tTitle\tRequirement\nAPI-222\tdraft\tT\tThe backend acts.\n", encoding="utf-8")
    other = parse_document(ROW, name="row")
    assert read_document(path).digest("API-222", ()) == other.digest("API-222", ())


def _assert_refused(path: Path) -> None:
    with pytest.raises(SpecDocumentError) as caught:
        read_document(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.endswith(".")
    assert "\n" not in message
