from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from conformance.reference.backend import deployment
from tests.reference.harness import (
    CONFIGURATION,
    PROGRAM,
    QUERY,
    AdapterProcess,
    OverWire,
    fresh_group,
    group_message,
    ids,
    page_ids,
    publish,
    query,
    read_all,
)

SMALL = {"max_query_limit": 7, "default_query_limit": 3}


def configuration(wire: OverWire) -> pb.GetConfigurationResponse:
    return pb.GetConfigurationResponse.FromString(wire(CONFIGURATION, b""))


def test_hello_names_the_protocol_and_what_is_offered(adapter: AdapterProcess) -> None:
    hello = adapter.ok("hello")
    assert hello["protocol"] == 1
    assert hello["name"]
    assert hello["version"]
    assert set(hello["controls"]) == {
        *("limits", "timers", "restart", "kill", "second-endpoint", "store-hold", "clock", "chain", "handles"),
    }
    assert hello["deployments"] > 1


def test_a_deployment_applies_what_start_was_given_and_shares_one_store(adapter: AdapterProcess) -> None:
    started = adapter.ok(
        "start",
        limits=SMALL,
        retention={"welcome_seconds": 60},
        timers={"publish_ms": 5000},
        first_sequence_id=1000,
        endpoints=2,
    )
    one, two = map(OverWire, started["endpoints"])
    with closing(one), closing(two):
        for wire in (one, two):
            published = configuration(wire)
            assert (published.limits.max_query_limit, published.limits.default_query_limit) == (7, 3)
            assert (published.retention.welcome_seconds, published.retention.group_message_seconds) == (60, 7_776_000)
        group_id, topic = fresh_group()
        assert ids(publish(one, group_message(group_id))) == [1000]
        assert page_ids(query(two, topic)) == [1000]
        assert ids(publish(two, group_message(group_id))) == [1000]
        assert ids(publish(two, group_message(group_id, b"next"))) == [1001]
    assert adapter.ok("stop", deployment=started["deployment"]) == {}
    with closing(OverWire(started["endpoints"][0])) as gone, pytest.raises(grpc.RpcError) as caught:
        gone(QUERY, b"")
    assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize("disturbance", ["restart", "kill"])
def test_the_store_and_the_address_outlive_an_endpoint(adapter: AdapterProcess, disturbance: str) -> None:
    started = adapter.ok("start")
    (address,) = started["endpoints"]
    group_id, topic = fresh_group()
    with closing(OverWire(address)) as wire:
        before = publish(wire, group_message(group_id))
    if disturbance == "kill":
        assert adapter.ok("kill", deployment=started["deployment"], endpoint=0) == {"endpoint": address}
        with closing(OverWire(address)) as wire, pytest.raises(grpc.RpcError):
            wire(QUERY, b"")
    again = adapter.ok("restart", deployment=started["deployment"], endpoint=0, limits=SMALL)
    assert again == {"endpoint": address}
    with closing(OverWire(address)) as wire:
        assert configuration(wire).limits.max_query_limit == 7
        assert publish(wire, group_message(group_id)) == before
        later = ids(publish(wire, group_message(group_id, b"later")))
        assert later > ids(before)
        assert read_all(wire, topic) == ids(before) + later
    adapter.ok("stop", deployment=started["deployment"])


REFUSED_STARTS: dict[str, tuple[dict[str, object], str]] = {
    "'limit' is not a setting": ({"limit": 3}, "invalid"),
    "limits.max_query_limits is not known": ({"limits": {"max_query_limits": 3}}, "invalid"),
    "limits.max_query_limit must be a whole number": ({"limits": {"max_query_limit": 0}}, "invalid"),
    "limits.max_update_burst must be a whole number": ({"limits": {"max_update_burst": True}}, "invalid"),
    "default_query_limit is above": ({"limits": {"max_query_limit": 3}}, "invalid"),
    "max_update_adds is above": ({"limits": {"max_stream_topics": 3}}, "invalid"),
    "transport ceiling": ({"limits": {"max_request_bytes": 26_214_401}}, "invalid"),
    "max_envelope_bytes plus 256": ({"limits": {"max_response_bytes": 4096}}, "invalid"),
    "cannot hold one envelope": ({"limits": {"max_request_bytes": 4096}}, "invalid"),
    "limits must be an object": ({"limits": []}, "invalid"),
    "retention.group_message_seconds": ({"retention": {"group_message_seconds": 9_000_000_000}}, "invalid"),
    "timers.publish_ms": ({"timers": {"publish_ms": "soon"}}, "invalid"),
    "first_sequence_id must be": ({"first_sequence_id": 2**63}, "invalid"),
    "endpoints must be": ({"endpoints": 0}, "invalid"),
    "chains.eip155:01 is not known": ({"chains": {"eip155:01": "http://127.0.0.1:1"}}, "invalid"),
    "chains.eip155:1 must be": ({"chains": {"eip155:1": "ftp://127.0.0.1"}}, "invalid"),
    "handles must be": ({"handles": {"min_length": 1}}, "invalid"),
    "handles.reserved must be a list": ({"handles": {"reserved": "admin"}}, "invalid"),
    "handles.min_name_length must be": ({"handles": {"min_name_length": 0}}, "invalid"),
}


@pytest.mark.parametrize("words", REFUSED_STARTS)
def test_start_refuses_what_it_cannot_apply(adapter: AdapterProcess, words: str) -> None:
    args, kind = REFUSED_STARTS[words]
    refused = adapter.refused("start", **args)
    assert refused[0] == kind
    assert words in refused[1]


def test_bad_requests_are_answered_and_the_adapter_goes_on(adapter: AdapterProcess) -> None:
    assert adapter.raw(b"{")["err"]["kind"] == "invalid"
    assert adapter.raw(b"[]")["err"]["kind"] == "invalid"
    assert adapter.raw(b"\xff")["err"]["kind"] == "invalid"
    assert adapter.raw(b'{"id": "x", "cmd": "hello", "args": []}') == {
        "id": "x",
        "err": {"kind": "invalid", "message": "args must be a JSON object"},
    }
    assert adapter.refused("lag", action="pause")[0] == "unsupported"
    assert adapter.refused("store", deployment="none", action="hold")[0] == "invalid"
    started = adapter.ok("start")
    assert adapter.refused("store", deployment=started["deployment"], action="pause")[0] == "unsupported"
    assert adapter.refused("kill", deployment=started["deployment"], endpoint=1)[0] == "invalid"
    assert adapter.refused("restart", deployment=started["deployment"], first_sequence_id=3)[0] == "invalid"
    adapter.ok("stop", deployment=started["deployment"])
    assert adapter.refused("stop", deployment=started["deployment"])[0] == "invalid"


def test_data_lies_in_memory_only_where_there_is_room_and_nobody_chose_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr(deployment, "MEMORY", tmp_path)
    monkeypatch.setattr(deployment, "MEMORY_BYTES", 1)
    assert deployment.scratch_folder() == tmp_path
    monkeypatch.setattr(deployment, "MEMORY_BYTES", 1 << 62)
    assert deployment.scratch_folder() != tmp_path
    monkeypatch.setattr(deployment, "MEMORY_BYTES", 1)
    monkeypatch.setattr(deployment, "MEMORY", tmp_path / "missing")
    assert deployment.scratch_folder() != tmp_path / "missing"
    monkeypatch.setattr(deployment, "MEMORY", tmp_path)
    monkeypatch.setenv("TMPDIR", "/var/tmp")  # noqa: S108 - a place that somebody chose
    assert deployment.scratch_folder() != tmp_path


def wait_until_refused(address: str) -> None:
    """Wait until nothing listens on an address, or fail after ten seconds."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with closing(OverWire(address)) as wire:
            try:
                wire(QUERY, b"")
            except grpc.RpcError as error:
                if error.code() == grpc.StatusCode.UNAVAILABLE:
                    return
    raise AssertionError(f"{address} still answers")


def test_the_clock_of_a_deployment_can_be_moved_and_set_right(adapter: AdapterProcess) -> None:
    started = adapter.ok("start", endpoints=2)
    group_id = fresh_group()[0]

    def server_s(endpoint: int, mark: bytes) -> float:
        with closing(OverWire(started["endpoints"][endpoint])) as wire:
            return publish(wire, group_message(group_id, mark))[0].server_ns / 1e9

    for number, days in enumerate((-300, 40, 0)):
        assert adapter.ok("clock", deployment=started["deployment"], offset_ms=days * 86_400_000) == {}
        for endpoint in (0, 1):
            shown = server_s(endpoint, bytes([number, endpoint]))
            assert abs(shown - (time.time() + days * 86_400)) < 60
    for wrong in ("1", None, True, 10**18):
        assert adapter.refused("clock", deployment=started["deployment"], offset_ms=wrong)[0] == "invalid"
    assert adapter.refused("clock", deployment="d0", offset_ms=1)[0] == "invalid"
    adapter.ok("stop", deployment=started["deployment"])


@pytest.mark.parametrize("end", ["end of input", "SIGTERM"])
def test_nothing_is_left_behind_at_the_end(tmp_path: Path, end: str) -> None:
    adapter = AdapterProcess(temporary=tmp_path)
    addresses = adapter.ok("start", endpoints=2)["endpoints"]
    assert len(list(tmp_path.iterdir())) == 1
    if end == "SIGTERM":
        adapter.process.send_signal(signal.SIGTERM)
    assert adapter.close() == 0
    assert adapter.errors == b""
    assert list(tmp_path.iterdir()) == []
    for address in addresses:
        wait_until_refused(address)


def test_endpoints_and_their_data_end_with_an_adapter_that_was_killed(tmp_path: Path) -> None:
    adapter = AdapterProcess(temporary=tmp_path)
    (address,) = adapter.ok("start", timers={"drain_ms": 1})["endpoints"]
    adapter.process.kill()
    adapter.close()
    wait_until_refused(address)
    end = time.monotonic() + 10
    while list(tmp_path.iterdir()):
        assert time.monotonic() < end, "the data is still there"


def test_serve_keeps_its_data_and_ends_on_a_signal(tmp_path: Path) -> None:
    group_id, topic = fresh_group()
    stored: list[int] = []
    for _ in range(2):
        command = [*PROGRAM, "serve", "--data", str(tmp_path / "data"), "--settings", '{"timers": {"drain_ms": 1}}']
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            try:
                assert process.stdout is not None
                with closing(OverWire(process.stdout.readline().decode().strip())) as wire:
                    assert read_all(wire, topic) == stored
                    stored += ids(publish(wire, group_message(group_id, os.urandom(8))))
                process.send_signal(signal.SIGINT)
                assert process.wait(20) == 0
            finally:
                process.kill()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--settings", "{"], "--settings is not JSON"),
        (["--settings", "[]"], "must be a JSON object"),
        (["--settings", '{"limits": {"x": 1}}'], "limits.x is not known"),
        (["--data", "/dev/null/x"], "cannot be used"),
        (["--data", "{file}"], "cannot be used"),
        (["--host", "203.0.113.1"], "cannot be listened on"),
    ],
    ids=["not JSON", "not an object", "unknown limit", "impossible folder", "folder is a file", "foreign address"],
)
def test_serve_says_in_one_sentence_what_is_wrong(tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "file").write_text("taken")
    command = [*PROGRAM, "serve", "--data", str(tmp_path / "data")]
    command += [argument.format(file=tmp_path / "file") if "file" in argument else argument for argument in arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_a_variant_starts_its_endpoints_as_variants(tmp_path: Path) -> None:
    script = tmp_path / "variant.py"
    script.write_text(
        "import sys\n"
        "from conformance.reference.backend.backend import Backend\n"
        "from conformance.reference.backend.program import main\n"
        "from conformance.reference.backend.readers import QueryReader\n"
        "class PerTopic(QueryReader):\n"
        "    def effective_limit(self, limit):\n"
        "        return 1\n"
        "class Variant(Backend):\n"
        "    query_class = PerTopic\n"
        "sys.exit(main(sys.argv[1:], Variant, (sys.executable, __file__)))\n"
    )
    with closing(AdapterProcess((sys.executable, str(script)))) as adapter:
        (address,) = adapter.ok("start")["endpoints"]
        with closing(OverWire(address)) as wire:
            group_id, topic = fresh_group()
            publish(wire, group_message(group_id, b"1"), group_message(group_id, b"2"))
            assert len(page_ids(query(wire, topic, limit=2))) == 1
