"""The rooms of the house import only what they may."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import conformance

PACKAGE = Path(conformance.__file__).parent

# room -> rooms it may import; the plugin and the command may use everything below them
MAY_IMPORT = {
    "pb": set(),
    "ledger": set(),
    "verdict": set(),
    "wire": {"pb"},
    "craft": {"pb"},
    "oracle": {"pb", "wire"},
    "target": {"pb", "wire"},
    "proxy": {"pb", "wire"},
    "reference": {"pb"},
    "faults": {"pb", "reference"},
    "suite": {"pb", "craft", "oracle", "target", "proxy", "wire"},
    "report": {"verdict", "ledger"},
    "plugin": {"pb", "craft", "ledger", "oracle", "suite", "target", "verdict", "wire"},
    "prove": {"faults", "ledger", "report", "verdict"},
}
RECORDED_FACTS = "conformance.wire.transcript"


def imports_of(path: Path) -> set[str]:
    """Every module a file imports, at whatever depth of the file the import stands."""
    found: set[str] = set()
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            found.update(alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            assert statement.level == 0, f"{path}: imports are absolute"
            found.update(f"{statement.module}.{alias.name}" for alias in statement.names)
    return found


def rooms_of(modules: set[str]) -> set[str]:
    ours = {name for name in modules if name.startswith("conformance.") and name != "conformance.__version__"}
    return {name.split(".")[1] for name in ours} - {"digest"}


@pytest.mark.parametrize("room", sorted(MAY_IMPORT))
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    files = sorted((PACKAGE / room).rglob("*.py"))
    assert files
    for path in files:
        strange = rooms_of(imports_of(path)) - MAY_IMPORT[room] - {room}
        assert not strange, f"{path.relative_to(PACKAGE)} imports {sorted(strange)}"


def test_an_oracle_knows_only_the_recorded_facts_of_the_wire() -> None:
    for path in (PACKAGE / "oracle").rglob("*.py"):
        wire = {name for name in imports_of(path) if name.startswith("conformance.wire")}
        assert all(name.startswith(RECORDED_FACTS) for name in wire), path


def test_an_oracle_reads_no_clock_holds_no_randomness_and_does_no_io() -> None:
    banned = {"time", "random", "secrets", "os", "socket", "subprocess", "pathlib", "grpc", "threading", "datetime"}
    for path in (PACKAGE / "oracle").rglob("*.py"):
        assert not {name.split(".")[0] for name in imports_of(path)} & banned, path


def test_the_suite_never_speaks_grpc_itself_nor_sleeps() -> None:
    for path in (PACKAGE / "suite").rglob("*.py"):
        assert not {name.split(".")[0] for name in imports_of(path)} & {"grpc", "time", "socket", "threading"}, path


def test_only_the_plugin_hooks_into_pytest() -> None:
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0]
        if room not in {"plugin", "suite", "cli"}:
            assert "pytest" not in {name.split(".")[0] for name in imports_of(path)}, path


def test_generated_wire_types_match_the_proto_files(tmp_path: Path) -> None:
    script = PACKAGE.parent / "scripts" / "generate_pb.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True)
    for fresh in sorted(tmp_path.iterdir()):
        committed = PACKAGE / "pb" / fresh.name
        assert committed.read_text(encoding="utf-8") == fresh.read_text(encoding="utf-8"), "stale: run `make proto`"
    assert {path.name for path in (PACKAGE / "pb").glob("*_pb2*")} == {path.name for path in tmp_path.iterdir()}
