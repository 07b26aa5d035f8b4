"""What README and the guides tell people to type works, and what they show is what comes out."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conformance.target.adapter import Adapter
from conformance.target.address import parse_address
from conformance.target.embedded import embedded
from conformance.verdict.outcomes import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = re.findall(r"^\$ xmtp-conformance (.+)$", README, flags=re.MULTILINE)
SHOWN_ADDRESS = "127.0.0.1:5050"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    adapter = Adapter(embedded())
    yield parse_address(adapter.start({}).endpoints[0])
    adapter.close()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_works(command: str, address: str, tmp_path: Path) -> None:
    (tmp_path / "deployment.toml").write_text(f"[adapter]\ncommand = {json.dumps(embedded())}\n", encoding="utf-8")
    words = shlex.split(command.replace(SHOWN_ADDRESS, address))
    ended = subprocess.run(
        [sys.executable, "-m", "conformance", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout


def test_the_readme_has_commands_to_test() -> None:
    assert len(COMMANDS) >= 5


def test_the_readme_explains_the_words_a_report_can_hold() -> None:
    explained = set(re.findall(r"^\| `([a-z-]+)` \|", README, flags=re.MULTILINE))
    later = {Verdict.KNOWN_FAILURE, Verdict.STALE_BASELINE}
    assert explained == set(Verdict) - later


def test_the_excerpt_in_the_readme_names_requirements_as_the_ledger_does() -> None:
    excerpt = README.split("<!-- excerpt -->")[1].split("<!-- /excerpt -->")[0]
    assert len(re.findall(r"^  API-2\d\d ", excerpt, flags=re.MULTILINE)) >= 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_deployment_file_of_the_guide_is_read() -> None:
    (toml,) = re.findall(r"```toml\n(.*?)```", GUIDE, flags=re.DOTALL)
    assert set(tomllib.loads(toml)) == {"name", "endpoints", "token_env", "adapter"}
