"""The script that writes digests changes nothing but digests."""

from __future__ import annotations

import runpy
from importlib import resources
from pathlib import Path

from conformance.ledger.load import FILES, load

SCRIPT = Path(__file__).parents[2] / "scripts" / "spec_digests.py"


def test_rewriting_touches_the_digests_of_the_named_requirements_alone() -> None:
    rewrite = runpy.run_path(str(SCRIPT))["rewrite"]
    for file in FILES.values():
        text = resources.files("conformance.ledger").joinpath(file).read_text(encoding="utf-8")
        assert rewrite(text, {name: known.digest for name, known in load().requirements.items()}) == text
        for name in ("API-222", "SEND-012"):
            rewritten = rewrite(text, {name: "f" * 64})
            assert rewritten == text.replace(load().requirements[name].digest, "f" * 64)
