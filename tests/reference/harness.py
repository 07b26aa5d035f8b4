"""Envelopes, requests and running programs for the tests of the embedded backend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from conformance.pb import backend_pb2 as pb
from conformance.pb import commit_log_pb2, status_pb2
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.settings import Settings
from tests.reference import mls_writer as mls

PUBLISH = "/xmtp.backend.v1.PublishService/Publish"
QUERY = "/xmtp.backend.v1.QueryService/Query"
NEWEST = "/xmtp.backend.v1.QueryService/QueryNewest"
CONFIGURATION = "/xmtp.backend.v1.ConfigurationService/GetConfiguration"

PROGRAM = (sys.executable, "-m", "conformance.reference.backend")


def group_message(group_id: bytes, ciphertext: bytes = b"", *, content_type: int = 1) -> pb.ClientEnvelope:
    data = mls.private_message(group_id, content_type=content_type, ciphertext=ciphertext)
    return pb.ClientEnvelope(group_message=pb.GroupMessage(data=data, sender_hmac=b"h" * 32, should_push=True))


def welcome(key: bytes, data: bytes = b"sealed") -> pb.ClientEnvelope:
    v1 = pb.WelcomeMessage.V1(installation_key=key, data=data)
    return pb.ClientEnvelope(welcome_message=pb.WelcomeMessage(v1=v1))


def welcome_pointer(key: bytes) -> pb.ClientEnvelope:
    pointer = pb.WelcomeMessage.WelcomePointer(installation_key=key, welcome_pointer=b"sealed")
    return pb.ClientEnvelope(welcome_message=pb.WelcomeMessage(welcome_pointer=pointer))


def commit_log(group_id: bytes) -> pb.ClientEnvelope:
    entry = commit_log_pb2.PlaintextCommitLogEntry(group_id=group_id, applied_epoch_number=1)
    return pb.ClientEnvelope(commit_log_entry=pb.CommitLogEntry(serialized_commit_log_entry=entry.SerializeToString()))


def varint(value: int) -> bytes:
    """Encode a protobuf varint."""
    encoded = b""
    while value >= 0x80:
        encoded += bytes([value & 0x7F | 0x80])
        value >>= 7
    return encoded + bytes([value])


def field(number: int, body: bytes) -> bytes:
    """Encode a length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def fresh_group() -> tuple[bytes, bytes]:
    """Draw a group id and return it with its message topic."""
    group_id = os.urandom(16)
    return group_id, b"\0" + group_id


def publish_request(*envelopes: pb.ClientEnvelope) -> bytes:
    return pb.PublishRequest(envelopes=envelopes).SerializeToString()


def query_request(*topics: bytes, cursor: int = 0, limit: int = 0) -> bytes:
    queries = [pb.TopicQuery(topic=pb.Topic(topic=topic), cursor=pb.Cursor(sequence_id=cursor)) for topic in topics]
    return pb.QueryRequest(queries=queries, limit=limit).SerializeToString()


def newest_request(*topics: bytes, full: bool = False) -> bytes:
    return pb.QueryNewestRequest(
        topics=[pb.Topic(topic=topic) for topic in topics], include_full_envelope=full
    ).SerializeToString()


def settings(**args: object) -> Settings:
    return Settings().changed(args)


@contextmanager
def running(folder: Path, build: type[Backend] = Backend, **args: object) -> Iterator[Backend]:
    """Open a backend in this process over a folder."""
    backend = build(settings(**args), folder)
    try:
        yield backend
    finally:
        backend.close()


class InProcess:
    """The calls of a client on a backend of this process, past the wire bounds."""

    def __init__(self, backend: Backend) -> None:
        self._methods = backend.methods()
        self._backend = backend

    def __call__(self, path: str, request: bytes) -> bytes:
        return self._backend.serve(self._methods[path], request)


class OverWire:
    """The calls of a client on an address."""

    def __init__(self, address: str) -> None:
        self.channel = grpc.insecure_channel(
            address,
            options=[
                ("grpc.max_receive_message_length", -1),
                ("grpc.use_local_subchannel_pool", 1),
                ("grpc.enable_retries", 0),
            ],
        )

    def __call__(self, path: str, request: bytes, compression: grpc.Compression | None = None) -> bytes:
        reply: bytes = self.channel.unary_unary(path)(request, timeout=30, compression=compression)
        return reply

    def close(self) -> None:
        self.channel.close()


Caller = InProcess | OverWire


def publish(call: Caller, *envelopes: pb.ClientEnvelope) -> list[pb.EnvelopeMeta]:
    return list(pb.PublishResponse.FromString(call(PUBLISH, publish_request(*envelopes))).envelope_metas)


def ids(metas: Sequence[pb.EnvelopeMeta]) -> list[int]:
    return [meta.cursor.sequence_id for meta in metas]


def query(call: Caller, *topics: bytes, cursor: int = 0, limit: int = 0) -> pb.QueryResponse:
    return pb.QueryResponse.FromString(call(QUERY, query_request(*topics, cursor=cursor, limit=limit)))


def page_ids(response: pb.QueryResponse) -> list[int]:
    return [envelope.meta.cursor.sequence_id for envelope in response.envelopes]


def read_all(call: Caller, topic: bytes) -> list[int]:
    found: list[int] = []
    while True:
        page = query(call, topic, cursor=found[-1] if found else 0, limit=1000)
        found += page_ids(page)
        if not page.continuation.has_more:
            return found


def newest(call: Caller, *topics: bytes, full: bool = False) -> list[pb.QueryNewestResponse.Result]:
    return list(pb.QueryNewestResponse.FromString(call(NEWEST, newest_request(*topics, full=full))).results)


def publish_error(error: grpc.RpcError) -> pb.PublishError | None:
    """Read the detail of a failed publish the way a client does."""
    for name, value in error.trailing_metadata():
        if name == "grpc-status-details-bin":
            (detail,) = status_pb2.Status.FromString(value).details
            assert detail.type_url.rpartition("/")[2] == "xmtp.backend.v1.PublishError"
            return pb.PublishError.FromString(detail.value)
    return None


class AdapterProcess:
    """The adapter program as its user sees it."""

    def __init__(self, program: Sequence[str] = PROGRAM, *, temporary: Path | None = None) -> None:
        environment = os.environ if temporary is None else {**os.environ, "TMPDIR": str(temporary)}
        self.process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self._number = 0

    def raw(self, line: bytes) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        return reply

    def reply(self, command: str, **args: object) -> dict[str, Any]:
        self._number += 1
        reply = self.raw(json.dumps({"id": self._number, "cmd": command, "deadline_ms": 20_000, "args": args}).encode())
        assert reply.pop("id") == self._number
        return reply

    def ok(self, command: str, **args: object) -> dict[str, Any]:
        reply = self.reply(command, **args)
        assert "ok" in reply, reply
        answer: dict[str, Any] = reply["ok"]
        return answer

    def refused(self, command: str, **args: object) -> tuple[str, str]:
        error = self.reply(command, **args)["err"]
        return error["kind"], error["message"]

    def close(self) -> int:
        _, self.errors = self.process.communicate(timeout=30)
        return self.process.returncode
