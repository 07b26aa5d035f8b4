"""The Markdown summary puts violations first, hides nothing in silence, and starts no markup from foreign text."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from conformance.report.markdown import render
from conformance.report.text import harmless

if TYPE_CHECKING:
    from conformance.verdict.results import Results


def rows(text: str) -> list[list[str]]:
    return [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_the_sentence_comes_first_then_violations_doubts_counts_and_all_requirements_folded(results: Results) -> None:
    text = render(results)
    assert text.startswith("**the run is incomplete (worker gw1 crashed")
    words = [row[0] for row in rows(text)]
    assert words[:6] == ["verdict", "---", "fail", "inconclusive", "inconclusive", "fail, decides nothing"]
    assert words[6:9] == ["run", "---", "backend"]
    folded = text.split("<details><summary>All 6 requirements</summary>\n\n")[1]
    assert [row[0] for row in rows(folded)][2:] == ["API-200", "API-222", "API-230", "API-1000", "SEND-002", "SEND-001"]
    assert folded.endswith("\n\n</details>\n")


def test_every_row_has_the_cells_of_its_table(results: Results) -> None:
    widths = [len(row) for row in rows(render(results))]
    assert widths == [4] * 6 + [2] * 10 + [5] * 8


def test_foreign_text_starts_no_markup_and_is_read_back_unchanged(results: Results) -> None:
    text = render(results)
    finding = next(row for row in rows(text) if row[0] == "fail")[2]
    inside = re.fullmatch(r"<code>(.*)</code>", finding)
    assert inside
    assert not re.search(r"[<>|\\`*_~\[\]@$]|://|&(?!#\d+;)|(?<!&)#|www\.", inside.group(1))
    sentence = next(case for case in results["cases"] if case["reason"] == "wrong-code")["message"].split("\n")[0]
    assert html.unescape(inside.group(1)) == " ".join(harmless(sentence).split())


def test_a_huge_message_is_cut_and_says_so(huge_results: Results) -> None:
    assert "more characters in results.json" in html.unescape(render(huge_results))
    assert len(render(huge_results)) < 10_000


def test_a_summary_fits_a_comment_and_counts_what_did_not_fit(many_results: Results) -> None:
    text = render(many_results)
    assert len(text) < 65_536
    shown = sum(row[0] == "fail" for row in rows(text))
    left_out = re.search(r"^(\d+) more rows did not fit; see results.json.$", text, re.MULTILINE)
    assert left_out
    assert shown + int(left_out.group(1)) == 2000
    assert shown > 5
    assert "SEND-001" in text


def test_a_run_without_findings_has_no_table_of_findings(results: Results) -> None:
    for case in results["cases"]:
        case["outcome"] = "held"
    assert rows(render(results))[0][0] == "run"
