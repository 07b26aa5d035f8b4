"""The shipped schema of the adapter protocol says what the interface says."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from jsonschema import Draft202012Validator

from conformance.target.configurations import CONFIGURATIONS, configuration
from conformance.target.limits import Limits
from conformance.target.messages import BadReply, check_ok, read_reply, request_line, schema

DEPLOYMENT = {"deployment": "d1"}
ENDPOINT = {**DEPLOYMENT, "endpoint": 0}


def test_the_schema_is_a_lawful_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("hello", {}),
        *(("start", dict(item.arguments)) for item in CONFIGURATIONS.values()),
        ("start", {"retention": {"welcome_seconds": 1}, "first_sequence_id": 1, "chains": {"eip155:1": "http://x"}}),
        ("stop", DEPLOYMENT),
        ("kill", ENDPOINT),
        ("restart", {**ENDPOINT, "limits": {"max_query_limit": 9}}),
        ("store", {**DEPLOYMENT, "action": "hold"}),
    ],
)
def test_every_request_of_this_suite_is_lawful(command: str, arguments: dict[str, object]) -> None:
    request = json.loads(request_line(7, command, arguments, deadline_s=1.5))
    assert request == {"id": 7, "cmd": command, "deadline_ms": 1500, "args": arguments}
    Draft202012Validator(schema()).validate(request)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("dance", {}),
        ("hello", {"who": "me"}),
        ("start", {"limit": {}}),
        ("start", {"limits": {"max_patience": 1}}),
        ("start", {"limits": {"max_query_limit": 0}}),
        ("stop", {}),
        ("kill", DEPLOYMENT),
        ("store", {**DEPLOYMENT, "action": "burn"}),
    ],
)
def test_an_unlawful_request_is_refused_by_the_schema(command: str, arguments: dict[str, object]) -> None:
    request = json.loads(request_line(7, command, arguments, deadline_s=1))
    assert not Draft202012Validator(schema()).is_valid(request)


def test_the_schema_names_exactly_the_limits_there_are() -> None:
    named = [*schema()["$defs"]["limits"]["propertyNames"]["enum"]]
    named += schema()["$defs"]["retention"]["propertyNames"]["enum"]
    not_adjustable = {"noted", "max_group_members", "max_installations_per_inbox"}
    assert named == [field.name for field in fields(Limits) if field.name not in not_adjustable]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello\n",
        b"[]",
        b"7",
        b'{"id": 1}',
        b'{"id": 0, "ok": {}}',
        b'{"id": "1", "ok": {}}',
        b'{"id": 1, "ok": 1}',
        b'{"id": 1, "ok": {}, "err": {"kind": "failed", "message": ""}}',
        b'{"id": 1, "err": {"kind": "angry", "message": ""}}',
        b'{"id": 1, "err": {"kind": "failed"}}',
        b'{"id": 1, "ok": {}, "more": 1}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_line_that_is_no_reply_is_refused(line: bytes) -> None:
    with pytest.raises(BadReply, match=r"."):
        read_reply(line)


def test_a_lawful_reply_is_read_and_unknown_parts_of_its_value_are_left_alone() -> None:
    assert read_reply(b'{"id": 3, "ok": {"endpoint": "a:1", "more": 2}}\n')["ok"] == {"endpoint": "a:1", "more": 2}
    check_ok("kill", {"endpoint": "a:1", "more": 2})
    with pytest.raises(BadReply, match="'endpoint' is a required property"):
        check_ok("kill", {})


def test_an_unknown_configuration_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=f'called "tiny"; there are {", ".join(sorted(CONFIGURATIONS))}'):
        configuration("tiny")
