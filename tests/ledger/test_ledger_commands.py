"""The commands list, explain, spec check and lint as a user meets them: what is printed, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from conformance.cli import ledger_commands, lint_command, spec_commands
from conformance.ledger.document import parse_document
from conformance.ledger.load import load, parse

if TYPE_CHECKING:
    from pathlib import Path

    import click
    from click.testing import Result

ROW = "ID\tTitle\tRequirement\tWhy\nAPI-222\tT\tThe \x1b[31mbackend\x1b[0m acts.\tx\n"


def run(command: click.Command, *arguments: str) -> Result:
    result = CliRunner().invoke(command, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite with one case and one fault for API-222.a."""
    monkeypatch.setattr(ledger_commands, "suite_marks", lambda: {"api/test_222.py::test_again": ("API-222.a",)})
    monkeypatch.setattr(ledger_commands, "seeded_faults", lambda: {"B052": ("API-222.a", "API-224.c")})


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "spec.txt"
    path.write_text(ROW, encoding="utf-8")
    return path


def test_list_shows_every_requirement_with_counts_that_add_up() -> None:
    result = run(ledger_commands.list_command)
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith(("API-", "SEND-"))]
    assert result.exit_code == 0
    assert [row[0] for row in rows] == list(load().requirements)
    for row in rows:
        assert sum(map(int, row[-3:])) == len(load().requirements[row[0]].clauses)


def test_list_narrows_by_pattern_role_and_state() -> None:
    lines = run(ledger_commands.list_command, "--clauses", "--role", "client", "API-224").stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("API-")] == ["API-224.d"]
    lines = run(ledger_commands.list_command, "--state", "not-observable", "SEND-004", "SEND-014").stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("SEND-")] == ["SEND-004", "SEND-014"]
    assert lines[-1] == "2 requirements, 2 clauses: 0 tested, 0 planned, 2 not observable."
    assert run(ledger_commands.list_command, "--role", "backend", "SEND-*").stdout == "No clause matches.\n"


def test_list_tells_whose_a_clause_is_when_it_decides_nothing() -> None:
    output = run(ledger_commands.list_command, "--clauses", "API-230.j.ident", "API-255.b", "SEND-004").stdout
    assert [line.split()[4] for line in output.splitlines()[1:3]] == ["IDENT's", "advisory"]
    assert "not observable" in output


def test_list_quotes_the_document_without_its_control_characters(spec: Path) -> None:
    output = run(ledger_commands.list_command, "API-222", "SEND-007", "--spec", str(spec)).stdout
    assert '"The [31mbackend[0m acts."' in output
    assert output.count("  spec  ") == 1


@pytest.mark.usefixtures("suite")
def test_explain_shows_a_requirement_with_its_clauses_tests_and_faults(spec: Path) -> None:
    result = run(ledger_commands.explain_command, "api-222", "--spec", str(spec))
    assert result.exit_code == 0
    assert '"The [31mbackend[0m acts."' in result.stdout
    for clause in load().requirements["API-222"].clauses:
        assert f"\n{clause.id}  backend, must, " in result.stdout
    assert result.stdout.count("api/test_222.py::test_again") == 1
    assert result.stdout.count("B052") == 1


@pytest.mark.usefixtures("suite")
def test_explain_shows_one_clause_alone_with_needs_in_words_or_why_it_cannot_be_seen() -> None:
    output = run(ledger_commands.explain_command, "API-222.g").stdout
    assert "API-222.a" not in output
    assert "a deployment started with small published limits; a control that restarts the backend" in output
    output = run(ledger_commands.explain_command, "SEND-016.b").stdout
    assert "why not" in output
    assert "needs" not in output


def test_explain_says_when_tests_and_faults_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_commands, "suite_marks", lambda: None)
    monkeypatch.setattr(ledger_commands, "seeded_faults", lambda: None)
    output = run(ledger_commands.explain_command, "API-242.a").stdout
    assert output.count("unknown, for this installation has none") == 2


@pytest.mark.parametrize("name", ["API-2222", "API-222.z", "nonsense"])
def test_an_unknown_id_is_one_sentence_and_exit_code_two(name: str) -> None:
    for command in (ledger_commands.explain_command, ledger_commands.list_command):
        result = run(command, name)
        assert result.exit_code == 2
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1


def test_spec_check_names_each_difference_once(spec: Path) -> None:
    result = run(spec_commands.spec_group, "check", str(spec))
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert sum("is gone" in line for line in lines) == 55
    assert [line for line in lines if "has changed" in line] == [
        f"{spec}: API-222 has changed (its text, table:Kind, table:Request)."
    ]
    assert not any("SEND-" in line for line in lines)


def test_spec_check_is_content_with_a_document_the_ledger_knows(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = parse_document(ROW, name="spec").digest("API-222", ())
    text = f"""
        [API-222]
        title = "T"
        section = "3. Publish"
        digest = "{digest}"
        [API-222.a]
        says = "A."
        sees = "full"
        state = "planned"
    """
    known = type(load())(requirements=parse(text, contract="API", name="api.toml"))
    monkeypatch.setattr(spec_commands, "load", lambda: known)
    result = run(spec_commands.spec_group, "check", str(spec))
    assert (result.exit_code, result.stdout) == (0, f"{spec}: all 1 requirements are as the ledger knows them.\n")


def test_spec_check_of_no_specification_is_one_sentence_and_exit_code_two(tmp_path: Path, spec: Path) -> None:
    result = run(spec_commands.spec_group, "check", str(spec), str(tmp_path / "missing.md"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1


def test_lint_exits_with_one_for_a_problem_and_with_zero_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    tested = tuple(clause.id for clause in load().clauses() if clause.observable and clause.state == "tested")
    monkeypatch.setattr(lint_command, "suite_marks", lambda: {"t.py::all": tested} if tested else {})
    monkeypatch.setattr(lint_command, "seeded_faults", dict)
    assert run(lint_command.lint_command).exit_code == 0
    assert run(lint_command.lint_command, "--release").exit_code == 1
    monkeypatch.setattr(lint_command, "seeded_faults", lambda: {"B001": ()})
    result = run(lint_command.lint_command)
    assert (result.exit_code, result.stdout) == (1, "The fault B001 names no clause.\n")


def test_lint_without_a_suite_to_check_is_a_setup_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_command, "_MARKS", "conformance.no_such_module")
    monkeypatch.setattr(lint_command, "seeded_faults", dict)
    result = run(lint_command.lint_command)
    assert result.exit_code == 2
    assert "conformance.no_such_module" in result.stderr
