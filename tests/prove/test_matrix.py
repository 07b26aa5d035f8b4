"""The kill matrix says what the runs said: survivors and false reds are never proved."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from conformance.faults.registry import Kind, Variant
from conformance.prove.jobs import CLEAN, Job, plan_jobs, sample
from conformance.prove.matrix import Verdicts, judge, power
from conformance.prove.store import ProofFile

WORDS = ("pass", "partial", "fail", "inconclusive", "not-run")


def variant(name: str, kind: str, *clauses: str, racy: bool = False) -> Variant:
    build = cast("object", lambda settings: settings)
    return Variant(id=name, says="", clauses=clauses, build=build, kind=cast("Kind", kind), racy=racy)  # type: ignore[arg-type]  # never built here


KNOWN = {
    each.id: each
    for each in (
        variant("B1", "fault", "API-240.a", "API-240.b"),
        variant("B2", "fault", "API-240.a", racy=True),
        variant("V1", "variation", "API-240.a"),
        variant("PEER", "peer", "*"),
    )
}


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), st.sampled_from([CLEAN, *KNOWN]))
def test_a_line_is_proved_only_when_enough_seeds_came_out_right(words: list[str], subject: str) -> None:
    found = [Verdicts(subject=subject, seed=seed, words={"API-240.a": word}) for seed, word in enumerate(words)]
    (line,) = judge(found, KNOWN)
    lawful = {CLEAN: {"pass"}, "V1": {"pass", "partial", "not-run"}}
    right = lawful.get(subject, {"fail"})
    good = sum(word in right for word in words)
    assert (line.right, line.runs) == (good, len(words))
    assert line.proved == (good / len(words) >= (0.95 if subject == "B2" else 1.0))


def test_a_run_that_went_wrong_proves_nothing() -> None:
    lines = judge([Verdicts(subject="B1", seed=1, words={}, error="hung")], KNOWN)
    assert [(line.clause, line.proved, line.wrong) for line in lines] == [("*", False, "seed 1: hung")]
    assert power(lines, KNOWN)["API-240.a"]["killed"] == 0


def test_power_counts_killed_and_seeded_faults_per_clause() -> None:
    found = [
        Verdicts(subject="B1", seed=1, words={"API-240.a": "fail", "API-240.b": "pass"}),
        Verdicts(subject="B2", seed=1, words={"API-240.a": "fail"}),
        Verdicts(subject=CLEAN, seed=1, words={"API-240.a": "pass"}),
    ]
    assert power(judge(found, KNOWN), KNOWN) == {
        "API-240.a": {"killed": 2, "seeded": 2},
        "API-240.b": {"killed": 0, "seeded": 1},
    }


def test_a_kill_counts_only_where_the_clean_backend_holds() -> None:
    found = [
        Verdicts(subject="B1", seed=1, words={"API-240.a": "fail"}),
        Verdicts(subject=CLEAN, seed=1, words={"API-240.a": "fail"}),
    ]
    assert power(judge(found, KNOWN), KNOWN)["API-240.a"] == {"killed": 0, "seeded": 2}


def test_every_variant_that_concerns_a_selected_clause_is_run() -> None:
    jobs = plan_jobs(KNOWN, frozenset({"API-240.a"}), seeds=3)
    runs = {name: [job.seed for job in jobs if job.subject == name] for name in (CLEAN, *KNOWN)}
    assert runs == {CLEAN: [1, 2, 3], "B1": [1], "B2": [1, 2, 3], "V1": [1, 2, 3], "PEER": [1]}
    assert {job.clauses for job in jobs} == {("API-240.a",)}


@given(st.integers(1, 5), st.integers(0, 40))
def test_the_parts_of_a_sample_are_the_whole(parts: int, count: int) -> None:
    jobs = [Job(subject=str(number), clauses=(), seed=1) for number in range(count)]
    shared = [job for part in range(1, parts + 1) for job in sample(jobs, part, parts)]
    assert sorted(shared, key=lambda job: int(job.subject)) == jobs


def test_what_was_proved_for_this_state_of_the_suite_is_not_run_again(tmp_path) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    job = Job(subject="B1", clauses=("API-240.a",), seed=1)
    other, hung = replace(job, profile="thorough"), replace(job, seed=3)
    verdicts = Verdicts(subject="B1", seed=1, words={"API-240.a": "fail"})
    ProofFile(tmp_path / "proof.jsonl", "now").add(job, verdicts)
    with (tmp_path / "proof.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{"digest": "now", "key": "cut off by a k')
    assert ProofFile(tmp_path / "proof.jsonl", "now").done() == {job.key: verdicts}
    ProofFile(tmp_path / "proof.jsonl", "now").add(other, verdicts)
    ProofFile(tmp_path / "proof.jsonl", "now").add(hung, Verdicts(subject="B1", seed=3, words={}, error="hung"))
    assert set(ProofFile(tmp_path / "proof.jsonl", "now").done()) == {job.key, other.key}
    assert ProofFile(tmp_path / "proof.jsonl", "later").done() == {}
