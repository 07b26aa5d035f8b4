"""A deployment.toml is read as written, and every mistake in it is named with its fix."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from conformance.target.embedded import embedded
from conformance.target.errors import TargetError
from conformance.target.source import AdapterProgram, Source, load_source


def written(folder: Path, text: str) -> Path:
    path = folder / "deployment.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_a_file_may_say_is_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    path = written(
        tmp_path,
        """
        name = "candidate"
        endpoints = ["http://localhost:5050", "[::1]:5051", "localhost:5050"]
        token_env = "CANDIDATE_TOKEN"

        [adapter]
        command = ["./adapter", "--quiet"]
        cwd = "run"
        """,
    )
    source = load_source(path, {"CANDIDATE_TOKEN": " secret-token \n"})
    assert source == Source(
        name="candidate",
        endpoints=("localhost:5050", "[::1]:5051"),
        token="secret-token",  # noqa: S106 - made up
        adapter=AdapterProgram(argv=("./adapter", "--quiet"), cwd=tmp_path / "run"),
    )
    assert "secret-token" not in repr(source)


def test_either_endpoints_or_an_adapter_is_enough(tmp_path: Path) -> None:
    assert load_source(written(tmp_path, 'endpoints = ["a:1"]')) == Source(name="a:1", endpoints=("a:1",))
    by_adapter = load_source(written(tmp_path, '[adapter]\ncommand = ["x"]'))
    assert by_adapter == Source(name="deployment", adapter=AdapterProgram(argv=("x",), cwd=tmp_path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "give endpoints, or an [adapter] with a command that starts them, or both."),
        ("endpoints = []", "give endpoints, or an [adapter] with a command that starts them, or both."),
        ('endpoint = "a:1"', "unknown key endpoint; known are name, endpoints, token_env, adapter."),
        (
            '[adapter]\ncommand = ["x"]\nargs = []',
            "unknown key adapter.args; known are adapter.command, adapter.cwd.",
        ),
        ('endpoints = "a:1"', 'endpoints must be a list of texts, for example endpoints = ["..."].'),
        ("endpoints = [5050]", 'endpoints must be a list of texts, for example endpoints = ["..."].'),
        ('name = ""\nendpoints = ["a:1"]', "name must be a text that is not empty."),
        ('token_env = 1\nendpoints = ["a:1"]', "token_env must be a text that is not empty."),
        ('adapter = "x"', "adapter must be a table: write [adapter] and below it command = [...]."),
        ("[adapter]", 'adapter.command must name a program, for example ["./adapter"].'),
        ('[adapter]\ncommand = [""]', 'adapter.command must name a program, for example ["./adapter"].'),
        (
            'token_env = "NOT_SET"\nendpoints = ["a:1"]',
            "token_env names the environment variable NOT_SET, which is unset or empty.",
        ),
        (
            'token_env = "TWO_WORDS"\nendpoints = ["a:1"]',
            "the token in TWO_WORDS holds characters that no bearer token has.",
        ),
    ],
)
def test_a_mistake_is_named_with_its_fix(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(TargetError) as raised:
        load_source(path, {"TWO_WORDS": "one two"})
    assert str(raised.value) == f"{path}: {sentence}"


def test_a_bad_address_in_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match='"localhost" names no port'):
        load_source(written(tmp_path, 'endpoints = ["localhost"]'))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, '[adapter]\ncommand = ["x"]\ncwd = "nowhere"')
    with pytest.raises(TargetError, match=f"adapter.cwd names no folder: {re.escape(str(tmp_path / 'nowhere'))}"):
        load_source(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "deployment.toml"
    with pytest.raises(TargetError, match=r"deployment\.toml cannot be read: No such file or directory\.$"):
        load_source(path)
    path.write_bytes(b"name = \xff")
    with pytest.raises(TargetError, match=r"deployment\.toml is no TOML file: .*\.$"):
        load_source(path)
    path.write_text("name = ")
    with pytest.raises(TargetError, match=r"deployment\.toml is no TOML file: Invalid value \(at .*\)\.$"):
        load_source(path)


def test_the_embedded_backend_is_an_adapter_program_like_any_other() -> None:
    source = Source.program(embedded())
    assert source.adapter == AdapterProgram(argv=(sys.executable, "-m", "conformance.reference.backend"))
    assert (source.name, source.endpoints) == ("embedded", ())
    assert Source.at("http://a:1", "a:1").endpoints == ("a:1",)
