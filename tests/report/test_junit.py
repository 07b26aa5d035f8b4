"""The JUnit document parses, whatever a target sent, and says the same as the results."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from conformance.report.junit import render

if TYPE_CHECKING:
    from conformance.verdict.results import Results


def cases_of(results: Results) -> dict[str, ET.Element]:
    root = ET.fromstring(render(results))  # noqa: S314 - the document was made here
    return {f"{case.get('classname')}::{case.get('name')}": case for case in root.iter("testcase")}


def properties(element: ET.Element) -> list[tuple[str | None, str | None]]:
    return [(entry.get("name"), entry.get("value")) for entry in element.findall("properties/property")]


def test_there_is_one_test_case_per_case_in_order(results: Results) -> None:
    assert list(cases_of(results)) == sorted(case["id"] for case in results["cases"])


def test_outcomes_become_failure_error_and_skipped_with_their_message(results: Results) -> None:
    cases = cases_of(results)
    assert cases["api/s3/test_222.py::test_same[permuted::x]"].get("classname") == "api/s3/test_222.py"
    failure = cases["api/s3/test_222.py::test_same[permuted::x]"].find("failure")
    assert failure is not None
    assert failure.get("type") == "wrong-code"
    assert str(failure.get("message")).startswith("wrong code ]]> | `x` <b>&amp; @everyone #12")
    assert str(failure.text).splitlines()[1:] == [
        "second line still right \N{REPLACEMENT CHARACTER}",
        "  indented | line ]]>",
    ]
    lost = cases["api/s3/test_230.py::test_admission"].find("error")
    assert lost is not None
    assert str(lost.get("message")).startswith("did not finish: worker gw1 crashed")
    assert lost.get("type") == "unfinished"
    skipped = cases["api/s10/test_1000.py::test_kill"].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "missing kill: the target offers no kill"
    held = cases["api/s1/test_200.py::test_ids"]
    assert [held.find(kind) for kind in ("failure", "error", "skipped")] == [None, None, None]


def test_properties_name_requirement_clause_verdict_and_owner(results: Results) -> None:
    assert properties(cases_of(results)["api/s3/test_222.py::test_same[permuted::x]"]) == [
        ("requirement", "API-222"),
        ("clause", "API-222.a"),
        ("clause", "API-222.j.ident"),
        ("verdict", "API-222.a fail"),
        ("verdict", "API-222.j.ident fail"),
        ("owner", "API-222.j.ident IDENT"),
    ]


def test_the_counts_agree_with_the_elements(results: Results) -> None:
    root = ET.fromstring(render(results))  # noqa: S314 - the document was made here
    counts = {name: len(list(root.iter(name))) for name in ("testcase", "failure", "error", "skipped")}
    for element in (root, root[0]):
        stated = [element.get(name) for name in ("tests", "failures", "errors", "skipped")]
        assert stated == [str(count) for count in counts.values()] == ["6", "2", "2", "1"]
    assert ("complete", "false") in properties(root[0])


def test_a_huge_message_is_cut_and_says_so(huge_results: Results) -> None:
    text = render(huge_results)
    assert len(text) < 40_000
    assert "[cut: 980000 more characters in results.json]" in text


def test_output_names_the_command_the_transcript_and_the_notes(results: Results) -> None:
    cases = cases_of(results)
    out = cases["api/s3/test_222.py::test_same[permuted::x]"].findtext("system-out")
    assert out == (
        "reproduce: xmtp-conformance run --only API-222.a --only API-222.j.ident --seed 7 --profile smoke\n"
        "transcript: transcripts/same.json"
    )
    assert "note: gap wrong code" in str(cases["api/s1/test_200.py::test_ids"].findtext("system-out"))
