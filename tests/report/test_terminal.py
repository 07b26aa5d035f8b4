"""The terminal shows every requirement, every finding once, and nothing that drives the terminal."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.report.terminal import render

if TYPE_CHECKING:
    from conformance.verdict.results import Results


def plain(results: Results, width: int = 120) -> str:
    return render(results, width=width, color=False)


def test_the_table_has_every_requirement_once_in_order_with_verdict_share_and_reason(results: Results) -> None:
    table = plain(results, width=400).split("\nViolations")[0]
    rows = [" ".join(line.split()) for line in table.splitlines() if re.match(r"\s+(API|SEND)-", line)]
    assert rows == [
        "API-200 partial 1/3 Sequence ids - backend pass, client not-run; c not-run (planned); b not-observable (only "
        "the store knows)",
        "API-222 fail 1/2 Idempotency - a fail; b not-run (no case of this run covers it); apart: j.ident fail (IDENT)",
        "API-230 inconclusive 0/1 Admission",
        "API-1000 not-run 0/1 Ten - missing: kill",
        "SEND-002 not-run 0/1 Power loss - a not-observable (It is internal); "
        "apart: b not-run (opt-in: profile durability)",
        "SEND-001 not-run 0/1 Stored | first - no case of this run covers it",
    ]
    headings = [line for line in table.splitlines() if re.match(r"(API|SEND) ", line)]
    assert headings == [
        "API 1. Sequence ids",
        "API 3. Publish",
        "API 3.1 Admission",
        "SEND 2. Prepare",
        "SEND 10. Store",
    ]


def test_a_violation_is_shown_with_clause_sentence_witness_case_command_and_transcript(results: Results) -> None:
    block = plain(results).split("\nViolations (1)\n")[1].split("\nInconclusive")[0]
    for part in (
        "  wrong code ]]> | `x` <b>&amp; @everyone",
        "\n    second line still right",
        "\n      indented | line ]]>",
        "reason      wrong-code",
        "clause      API-222.a (must, backend), API-222.j.ident (must, backend, apart: IDENT)",
        "case        api/s3/test_222.py::test_same[permuted::x]",
        "reproduce   xmtp-conformance run --only API-222.a --only API-222.j.ident --seed 7 --profile smoke",
        "transcript  transcripts/same.json",
    ):
        assert part in block


def test_doubts_owned_violations_notes_and_retries_have_their_place(results: Results) -> None:
    text = plain(results)
    doubts = text.split("\nInconclusive (2)\n")[1].split("\nViolations that decide nothing here (1)\n")
    assert "its deadline passed" in doubts[0]
    assert "attempts    2" in doubts[0]
    assert "did not finish: worker gw1 crashed" in doubts[0]
    assert "owned elsewhere" in doubts[1]
    assert "\nNotes, which decide nothing (2)\n  clock is off\n" in text
    assert "retries: 1" in text


def test_the_sentence_and_the_files_come_last(results: Results) -> None:
    files = {"results.json": Path("reports/results.json"), "summary.md": Path("reports/summary.md")}
    lines = render(results, width=4000, color=False, files=files).splitlines()
    assert lines[-2:] == ["results.json  reports/results.json", "summary.md    reports/summary.md"]
    assert lines[-3].startswith("the run is incomplete (worker gw1 crashed")
    assert lines[-3].endswith(
        "1 of 6 requirements violated, 1 of 6 requirements inconclusive; 4 of 9 clauses did not run; "
        "2 of 9 clauses cannot be observed from outside; clauses reported apart, deciding nothing: 2"
    )


def test_no_control_character_reaches_the_terminal_and_colour_adds_nothing_but_itself(results: Results) -> None:
    text = plain(results)
    assert {unicodedata.category(char) for char in text.replace("\n", "")} & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    coloured = render(results, width=120, color=True)
    assert "\x1b[31;1mfail" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text


@pytest.mark.parametrize("width", [0, 60, 79, 120, 300])
def test_lines_fit_the_width_but_for_what_is_copied_as_a_whole(results: Results, width: int) -> None:
    for line in plain(results, width=width).splitlines():
        whole = re.match(r"\s*(case|reproduce|transcript)\s", line)
        assert whole or len(line) <= max(width, 60), line


def test_a_huge_message_is_cut_and_says_so(huge_results: Results) -> None:
    text = plain(huge_results)
    assert len(text) < 20_000
    assert "[cut: 999500 more characters in results.json]" in text


@pytest.mark.parametrize("outcome", ["failed", "undecided"])
def test_cases_that_broke_one_clause_the_same_way_share_a_block_that_counts_them(
    many_results: Results, outcome: str
) -> None:
    for case in many_results["cases"]:
        case["outcome"] = outcome
    lines = plain(many_results).splitlines()
    assert sum("more characters in results.json" in line for line in lines) == 1
    assert sum(line.startswith("    case ") for line in lines) == 1
    assert sum("1999 more, all of them in results.json" in line for line in lines) == 1


def test_another_clause_or_another_reason_has_a_block_of_its_own(many_results: Results) -> None:
    for number, case in enumerate(many_results["cases"]):
        case["outcome"], case["reason"] = "failed", f"reason-{number % 3}"
    lines = plain(many_results).splitlines()
    assert sum(line.startswith("    case ") for line in lines) == 3
