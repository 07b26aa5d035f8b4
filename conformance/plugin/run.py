"""One run of the suite as every process of it sees it: options, selection, plan, and the deployments under test."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from conformance.ledger.load import load
from conformance.plugin.handles import RunHandles
from conformance.plugin.options import EMBEDDED, OptionError
from conformance.plugin.results import PLAN_FILE
from conformance.target.embedded import embedded
from conformance.target.pool import Pool
from conformance.target.source import Source, load_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from conformance.plugin.options import RunOptions

RUN: pytest.StashKey[Run] = pytest.StashKey()
POOL: pytest.StashKey[Pool] = pytest.StashKey()


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run. `selected_clauses` is None when everything is selected; `salt` keeps identifiers apart between runs."""

    options: RunOptions
    selected_clauses: frozenset[str] | None
    handles: RunHandles
    salt: bytes = field(default_factory=lambda: os.urandom(16), repr=False)

    @classmethod
    def begin(cls, options: RunOptions) -> Run:
        """A run that follows `options`.

        Raises LedgerError for a pattern that names nothing, HandlesProfileError for a handles profile that is none.
        """
        selected = load().select(options.only) if options.only else None
        return cls(options=options, selected_clauses=selected, handles=RunHandles.of(options))

    def selects(self, clauses: Iterable[str]) -> bool:
        """Tell whether a case that decides `clauses` is part of the run."""
        return self.selected_clauses is None or any(clause in self.selected_clauses for clause in clauses)

    def selected(self, clauses: Iterable[str]) -> tuple[str, ...]:
        """Those of `clauses` that the run was asked to decide."""
        return tuple(clause for clause in clauses if self.selects((clause,)))

    def repro(self, clauses: Iterable[str]) -> str:
        """The command that runs the cases of `clauses` again with the same choices."""
        words = ["xmtp-conformance", "run"]
        for clause in clauses:
            words += ["--only", clause]
        words += ["--seed", str(self.options.seed)]
        if self.options.profile.name != "standard":
            words += ["--profile", self.options.profile.name]
        if self.options.deployment is not None:
            words += ["--deployment", str(self.options.deployment)]
        elif self.options.target != EMBEDDED:
            words += ["--target", self.options.target]
        if self.handles.given and self.handles.name is not None:
            words += ["--handles-profile", self.handles.name]
        return shlex.join(words)

    def write_plan(
        self, plan: Mapping[str, tuple[str, ...]], nodes: Mapping[str, str], left_out: Sequence[str]
    ) -> None:
        """Write the planned cases where the controller of the run finds them; `left_out` are those pytest will skip.

        Raises OptionError when two tests share an id: one of them could be lost unseen.
        """
        if len(set(nodes.values())) != len(nodes):
            raise OptionError("two tests have the same id; give their modules different names")
        write_json(self.options.out / PLAN_FILE, {"cases": plan, "nodes": nodes, "left_out": left_out})

    def spec_digests(self) -> dict[str, str]:
        """Per contract, the digest over the digests of its requirements: which texts the verdicts speak about."""
        digests = {"api": hashlib.sha256(), "send": hashlib.sha256()}
        for requirement in load().requirements.values():
            digests[requirement.contract.lower()].update(f"{requirement.id} {requirement.digest}\n".encode())
        return {contract: digest.hexdigest() for contract, digest in digests.items()}

    def open_pool(self) -> Pool:
        """The deployments under test; raises TargetError for a target that is described wrongly."""
        if self.options.deployment is not None:
            return Pool(load_source(self.options.deployment))
        if self.options.target == EMBEDDED:
            return Pool(Source.program(embedded(self.handles.backend_settings())))
        return Pool(Source.at(self.options.target))


def assumed_limits(pool: Pool) -> tuple[str, ...]:
    """The limits the target does not publish, for which the contract's defaults are taken."""
    return pool.deployment("default").limits.noted


def examine(pool: Pool) -> dict[str, object]:
    """What is known of the target before the first case; raises TargetError when it cannot be tested at all."""
    deployment = pool.deployment("default")
    subject = pool.subject()
    return {
        "name": subject.name,
        "version": subject.version,
        "endpoints": list(subject.endpoints),
        "limits": {name: value for name, value in vars(deployment.limits).items() if name != "noted"},
        "controls": sorted(subject.controls),
    }


def write_json(path: Path, value: object) -> None:
    """Write JSON in one step: a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(value), encoding="utf-8")
    draft.replace(path)
