"""One port for gRPC and gRPC-Web, over the adapter program as its user starts it."""

from __future__ import annotations

import base64
import http.client
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from conformance.pb import health_pb2, status_pb2
from conformance.reference.backend.front.frames import frame, message_of
from tests.reference.harness import (
    CONFIGURATION,
    PUBLISH,
    AdapterProcess,
    OverWire,
    fresh_group,
    group_message,
    publish_request,
    query_request,
)

QUERY = "/xmtp.backend.v1.QueryService/Query"
WATCH = "/grpc.health.v1.Health/Watch"
PAGE = {"content-type": "application/grpc-web+proto", "origin": "https://page.example"}


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def message(self) -> bytes:
        length = int.from_bytes(self.body[1:5], "big")
        return message_of(self.body[: 5 + length])[1]

    @property
    def trailers(self) -> Mapping[str, str]:
        length = int.from_bytes(self.body[1:5], "big")
        flags, lines = message_of(self.body[5 + length :])
        assert flags == 0x80
        return dict(line.split(": ", 1) for line in lines.decode().split("\r\n") if line)


class Page:
    """A page of another origin, over one connection."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.http = http.client.HTTPConnection(host, int(port), timeout=30)

    def ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        self.http.request(method, path, body, dict(headers))
        response = self.http.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Reply(status=response.status, headers=found, body=response.read())

    def call(self, path: str, request: bytes) -> Reply:
        return self.ask("POST", path, PAGE, frame(0, request))

    def close(self) -> None:
        self.http.close()


@pytest.fixture
def address(adapter: AdapterProcess) -> Iterator[str]:
    started = adapter.ok("start")
    yield started["endpoints"][0]
    adapter.ok("stop", deployment=started["deployment"])


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    with closing(Page(address)) as page:
        yield page


def test_both_ways_in_give_the_same_answer(address: str, page: Page) -> None:
    group_id, topic = fresh_group()
    stored = page.call(PUBLISH, publish_request(group_message(group_id, b"\0\xff" * 50_000)))
    assert (stored.status, stored.trailers["grpc-status"]) == (200, "0")
    with closing(OverWire(address)) as native:
        for path, request in ((QUERY, query_request(topic)), (CONFIGURATION, b"")):
            assert page.call(path, request).message == native(path, request)


def test_a_failed_publish_carries_its_detail_where_a_page_can_read_it(page: Page) -> None:
    reply = page.call(PUBLISH, publish_request(group_message(b"short")))
    assert (reply.status, reply.headers["grpc-status"], reply.body) == (200, "3", b"")
    assert set(reply.headers["access-control-expose-headers"].split(", ")) >= {
        *("grpc-status", "grpc-message", "grpc-status-details-bin")
    }
    encoded = reply.headers["grpc-status-details-bin"]
    (detail,) = status_pb2.Status.FromString(base64.b64decode(encoded + "=" * (-len(encoded) % 4))).details
    assert pb.PublishError.FromString(detail.value).reason == pb.PublishError.REASON_MALFORMED_PAYLOAD


def test_frames_of_a_stream_come_while_it_runs(page: Page) -> None:
    page.http.request("POST", WATCH, frame(0, b""), PAGE)
    response = page.http.getresponse()
    first = response.read(7)
    assert health_pb2.HealthCheckResponse.FromString(message_of(first)[1]).status == 1


def test_a_preflight_allows_what_a_page_asks_for(page: Page) -> None:
    asked = {
        "origin": "https://page.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-grpc-web",
    }
    reply = page.ask("OPTIONS", PUBLISH, asked)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (204, "*")
    assert reply.headers["access-control-allow-headers"] == "authorization,content-type,x-grpc-web"
    assert "access-control-allow-credentials" not in reply.headers


@pytest.mark.parametrize(
    ("body", "status"), [(frame(1, b"packed"), "12"), (frame(0, b"cut")[:-1], "3"), (b"", "3")], ids=str
)
def test_a_body_that_is_not_one_plain_frame_is_refused(page: Page, body: bytes, status: str) -> None:
    assert page.ask("POST", QUERY, PAGE, body).headers["grpc-status"] == status
    assert page.call(CONFIGURATION, b"").trailers["grpc-status"] == "0"  # on the same connection


def test_what_is_not_grpc_web_gets_a_plain_refusal(page: Page) -> None:
    assert page.ask("GET", "/", {}).status == 405
    assert page.ask("POST", QUERY, {"content-type": "application/json"}, b"{}").status == 415


@pytest.mark.parametrize("garbage", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"hello\r\n\r\n", b"P"])
def test_bytes_of_another_protocol_end_the_connection_and_nothing_else(address: str, garbage: bytes) -> None:
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as stranger:
        stranger.sendall(garbage)
        stranger.shutdown(socket.SHUT_WR)
        while stranger.recv(4096):
            pass
    with closing(OverWire(address)) as native:
        assert native(CONFIGURATION, b"")


def test_a_killed_endpoint_takes_its_port_and_connections_with_it(adapter: AdapterProcess) -> None:
    started = adapter.ok("start")
    (address,) = started["endpoints"]
    with closing(OverWire(address)) as native:
        native(CONFIGURATION, b"")
        adapter.ok("kill", deployment=started["deployment"], endpoint=0)
        with pytest.raises(grpc.RpcError) as caught:
            native(CONFIGURATION, b"")
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
    adapter.ok("restart", deployment=started["deployment"], endpoint=0)
    with closing(Page(address)) as page:
        assert page.call(CONFIGURATION, b"").trailers["grpc-status"] == "0"
    adapter.ok("stop", deployment=started["deployment"])
