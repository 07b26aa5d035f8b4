"""The kill matrix: which seeded fault turned which of its clauses red, which survived, and what was wrongly red."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.prove.jobs import CLEAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.faults.registry import Variant

# A racy fault must show in at least this share of its seeds.
RACY_SHARE = 0.95


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """What one job found: the word of each clause it ran, by clause id; `error` when the run itself went wrong."""

    subject: str
    seed: int
    words: Mapping[str, str]
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One variant and clause (`*` when the variant as a whole is meant): how often it came out as it should."""

    subject: str
    kind: str
    clause: str
    right: int
    runs: int
    needed: float
    wrong: str = ""

    @property
    def proved(self) -> bool:
        """Whether that was often enough."""
        return self.runs > 0 and self.right / self.runs >= self.needed


def judge(found: Iterable[Verdicts], variants: Mapping[str, Variant]) -> list[Line]:
    """Judge every job, and merge the seeds of one variant and clause into one line."""
    lines: dict[tuple[str, str], Line] = {}
    for verdicts in found:
        variant = variants.get(verdicts.subject)
        kind = "clean" if verdicts.subject == CLEAN else variant.kind if variant else "unknown"
        needed = RACY_SHARE if variant and variant.racy else 1.0
        for clause, word in verdicts.words.items() or {"*": "error"}.items():
            right = not verdicts.error and _is_right(kind, word)
            old = lines.get((verdicts.subject, clause))
            wrong = "" if right else f"seed {verdicts.seed}: {verdicts.error or word}"
            lines[verdicts.subject, clause] = Line(
                subject=verdicts.subject,
                kind=kind,
                clause=clause,
                right=(old.right if old else 0) + right,
                runs=(old.runs if old else 0) + 1,
                needed=needed,
                wrong=(old.wrong if old and old.wrong else wrong),
            )
    return list(lines.values())


def _is_right(kind: str, word: str) -> bool:
    if kind == "clean":
        return word == "pass"
    if kind == "variation":
        # A lawful variation may lack what a case needs, such as negative enum numbers; it must never be flagged.
        return word in {"pass", "partial", "not-run"}
    return word == "fail"


def power(lines: Iterable[Line], variants: Mapping[str, Variant]) -> dict[str, dict[str, int]]:
    """Per clause, how many faults are seeded against it, and how many of them were killed.

    A kill counts only where the clean backend was seen to hold: a clause that is always red kills nothing.
    """
    proved = {(line.subject, line.clause) for line in lines if line.proved}
    result: dict[str, dict[str, int]] = {}
    for variant in variants.values():
        for clause in variant.clauses if variant.kind == "fault" else ():
            entry = result.setdefault(clause, {"killed": 0, "seeded": 0})
            entry["seeded"] += 1
            entry["killed"] += (variant.id, clause) in proved and (CLEAN, clause) in proved
    return result
