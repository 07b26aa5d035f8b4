"""The messages of the deployment adapter protocol: making requests, and reading replies against the shipped schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

PROTOCOL = 1


class BadReply(Exception):  # noqa: N818 - a finding about the adapter, no error of the suite
    """A line or a value from an adapter that the protocol does not allow. One clause, to be put into a sentence."""


def request_line(number: int, command: str, arguments: Mapping[str, object], *, deadline_s: float) -> bytes:
    """Return one request as a line; `deadline_s` is in seconds."""
    request = {"id": number, "cmd": command, "deadline_ms": max(1, int(deadline_s * 1000)), "args": dict(arguments)}
    return json.dumps(request, separators=(",", ":")).encode() + b"\n"


def read_reply(line: bytes) -> dict[str, Any]:
    """Read one reply: `id` and either `ok` or `err`. Raises BadReply."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        raise BadReply("is no JSON") from None
    problem = _problem("reply", reply)
    if problem:
        raise BadReply(problem)
    if not isinstance(reply, dict):
        raise BadReply("is no JSON object")
    return reply


def check_ok(command: str, value: object) -> None:
    """Check the `ok` value of a reply to `command`. Raises BadReply."""
    problem = _problem(f"{command}-ok", value)
    if problem:
        raise BadReply(problem)


@cache
def schema() -> dict[str, Any]:
    """Return the shipped JSON Schema of the protocol."""
    text = resources.files("conformance.target").joinpath("schema/adapter-1.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def _validator(definition: str) -> Draft202012Validator:
    # Imported when an adapter is in use: a run against a plain address does not pay for it.
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see the comment above

    whole = schema()
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": whole["$defs"]})


def _problem(definition: str, value: object) -> str | None:
    errors = sorted(_validator(definition).iter_errors(value), key=lambda error: list(map(str, error.absolute_path)))
    if not errors:
        return None
    where = ".".join(str(part) for part in errors[0].absolute_path)
    return f"{where}: {errors[0].message}" if where else errors[0].message
