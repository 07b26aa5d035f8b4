"""Draws results as JUnit XML: one test case per case, so that any CI shows what was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from conformance.report.findings import repro_of
from conformance.report.text import block, harmless, one_line, sentence_and_witness
from conformance.verdict.outcomes import Outcome

if TYPE_CHECKING:
    from conformance.verdict.results import CaseResult, Results

_LONGEST_LINE, _LONGEST_TEXT, _MOST_LINES = 500, 20_000, 500
_ELEMENTS = {Outcome.FAILED: "failure", Outcome.UNDECIDED: "error", Outcome.MISSING: "skipped"}


def render(results: Results) -> str:
    """Draw the XML document.

    Failed cases are failures, undecided ones errors, and cases whose control is missing are skipped. Each case has
    properties `requirement`, `clause`, `verdict` (the word of each clause) and `owner`. Equal results give equal text.
    """
    suites = ET.Element("testsuites", {"name": "xmtp-conformance", **_counts(results)})
    suite = ET.SubElement(suites, "testsuite", {"name": "xmtp-conformance", **_counts(results)})
    run = results["run"]
    _properties(
        suite,
        [
            ("sentence", results["summary"]["sentence"]),
            ("complete", "true" if run["complete"] else "false"),
            ("suite", results["suite"]["version"]),
            ("profile", run["profile"]),
            ("seed", str(run["seed"])),
            ("started", run["started"]),
            ("digest", results["digest"]),
        ],
    )
    for case in sorted(results["cases"], key=lambda case: case["id"]):
        _case(suite, results, case)
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _counts(results: Results) -> dict[str, str]:
    counts = results["summary"]["cases"]
    return {
        "tests": str(len(results["cases"])),
        "failures": str(counts.get(Outcome.FAILED, 0)),
        "errors": str(counts.get(Outcome.UNDECIDED, 0)),
        "skipped": str(counts.get(Outcome.MISSING, 0)),
        "time": _seconds(sum(case["duration_s"] for case in results["cases"])),
    }


def _case(suite: ET.Element, results: Results, case: CaseResult) -> None:
    module, _, name = harmless(case["id"]).partition("::")
    element = ET.SubElement(
        suite, "testcase", {"classname": module, "name": name or module, "time": _seconds(case["duration_s"])}
    )
    words = [(clause, results["clauses"][clause]) for clause in case["clauses"]]
    _properties(
        element,
        [
            *(("requirement", requirement) for requirement in sorted({entry["requirement"] for _, entry in words})),
            *(("clause", clause) for clause, _ in words),
            *(("verdict", f"{clause} {entry['verdict']}") for clause, entry in words),
            *(("owner", f"{clause} {entry['owner']}") for clause, entry in words if entry["owner"]),
        ],
    )
    kind = _ELEMENTS.get(Outcome(case["outcome"]))
    if kind is not None:
        _result(element, kind, case)
    out = ET.SubElement(element, "system-out")
    lines = [f"reproduce: {one_line(repro_of(results, case), longest=_LONGEST_TEXT)}"]
    if case["transcript"]:
        lines.append(f"transcript: {one_line(case['transcript'], longest=_LONGEST_LINE)}")
    lines += [f"note: {one_line(note, longest=_LONGEST_LINE)}" for note in case["notes"]]
    out.text = "\n".join(lines)


def _result(element: ET.Element, kind: str, case: CaseResult) -> None:
    sentence, _ = sentence_and_witness(case["message"])
    message = one_line(sentence, longest=_LONGEST_LINE)
    if case["missing"]:
        message = f"missing {', '.join(one_line(name, longest=_LONGEST_LINE) for name in case['missing'])}: {message}"
    result = ET.SubElement(element, kind, {"message": message})
    if kind != _ELEMENTS[Outcome.MISSING]:
        result.set("type", one_line(case["reason"], longest=_LONGEST_LINE) or case["outcome"])
    result.text = "\n".join(block(case["message"], longest=_LONGEST_TEXT, most_lines=_MOST_LINES))


def _properties(parent: ET.Element, pairs: list[tuple[str, str]]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in pairs:
        ET.SubElement(properties, "property", {"name": name, "value": one_line(value, longest=_LONGEST_LINE)})


def _seconds(duration: float) -> str:
    return f"{duration:.3f}"
