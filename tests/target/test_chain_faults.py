"""Faults of the chain stub that a test asks for: failures, closed sockets, holds and delays, and the way it ends."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.target.chain.answers import ClosedSocket, Garbage, HttpStatus, Result, RpcError
from conformance.target.chain.stub import ChainStub
from tests.target.test_chain_stub import ADDRESS, PATIENCE_S, WALLET, Client, question


@pytest.fixture
def stub() -> Iterator[ChainStub]:
    with ChainStub() as running:
        yield running


@pytest.fixture
def client(stub: ChainStub) -> Iterator[Client]:
    with Client(stub) as connected:
        yield connected


@pytest.mark.parametrize(
    ("how", "status", "body"),
    [
        (HttpStatus(), 500, b"out of order\n"),
        (HttpStatus(status=503), 503, b"out of order\n"),
        (Garbage(), 200, b'{"jsonrpc": "2.0", "result"'),
        (Result(value="0x"), 200, b'{"jsonrpc":"2.0","id":1,"result":"0x"}'),
        (
            RpcError(code=-32005, message="later"),
            200,
            b'{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"later"}}',
        ),
    ],
    ids=["500", "503", "garbage", "result", "rpc-error"],
)
def test_a_fault_is_answered_as_told_and_ends_with_its_rule(
    stub: ChainStub, client: Client, how: HttpStatus | Garbage | Result | RpcError, status: int, body: bytes
) -> None:
    rule = stub.fails(how)
    for method in ("eth_call", "eth_blockNumber"):
        client.http.request("POST", "/", json.dumps({"id": 1, "method": method, "params": [question(b"s"), "latest"]}))
        response = client.http.getresponse()
        assert (response.status, response.read()) == (status, body)
    stub.drop(rule)
    assert client.verdict(WALLET.signature_bytes("text")) == "0x01"


def test_a_fault_can_be_about_some_calls_only(stub: ChainStub, client: Client) -> None:
    stub.fails(RpcError(), methods=["eth_blockNumber"])
    stub.fails(HttpStatus(), signature=b"bad")
    assert client.call("eth_blockNumber")["error"]["code"] == -32603
    assert client.verdict(b"good") == "0x00"
    client.http.request(
        "POST", "/", json.dumps({"id": 1, "method": "eth_call", "params": [question(b"bad"), "latest"]})
    )
    response = client.http.getresponse()
    response.read()
    assert response.status == 500
    assert client.call("eth_chainId")["result"] == "0x7a69"


def test_a_closed_socket_is_no_response_at_all(stub: ChainStub) -> None:
    stub.fails(ClosedSocket())
    with Client(stub) as client, pytest.raises(http.client.RemoteDisconnected):
        client.call("eth_chainId")


def test_a_held_call_waits_for_its_release_while_others_go_on(stub: ChainStub) -> None:
    signature = WALLET.signature_bytes("text")
    with Client(stub) as client, Client(stub) as other, ThreadPoolExecutor(1) as executor:
        with stub.holding(signature=signature) as hold:
            held = executor.submit(client.verdict, signature)
            assert hold.wait_until_reached(PATIENCE_S)
            assert other.verdict(b"other") == "0x00"
            assert not held.done()
            assert [call.ended_ns == 0 for call in stub.calls] == [True, False]
            hold.release()
            assert held.result(PATIENCE_S) == "0x01"
        assert client.verdict(signature) == "0x01"
    assert hold.reached


def test_a_hold_ends_by_itself_and_a_delay_passes(stub: ChainStub, client: Client) -> None:
    with stub.holding(account=ADDRESS, at_most_s=0.05):
        assert client.verdict(WALLET.signature_bytes("text")) == "0x01"
    stub.delays(0.05, account=ADDRESS)
    client.verdict(b"s")
    held, delayed = stub.calls
    assert held.ended_ns - held.started_ns >= 50_000_000
    assert delayed.ended_ns - delayed.started_ns >= 50_000_000


def test_stopping_lets_go_of_what_waits_and_leaves_no_thread() -> None:
    before = threading.active_count()
    stub = ChainStub()
    with stub:
        stub.delays(3600.0, signature=b"delayed")
        clients = [Client(stub) for _ in range(3)]
        with ThreadPoolExecutor(2) as executor, stub.holding(signature=b"held", at_most_s=3600.0) as hold:
            waiting = [executor.submit(clients[0].verdict, b"held"), executor.submit(clients[1].verdict, b"delayed")]
            assert hold.wait_until_reached(PATIENCE_S)
            assert stub.wait_for_call(lambda call: call.asked is not None and call.asked.signature == b"delayed", 20.0)
            clients[2].call("eth_chainId")
            stub.stop()
            errors = [future.exception(PATIENCE_S) for future in waiting]
        for client in clients:
            client.http.close()
    assert all(error is None or isinstance(error, OSError | http.client.HTTPException) for error in errors)
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(stub.url.rsplit(":", 1)[1])), timeout=5)


def test_a_failure_of_the_stub_itself_is_told_when_it_stops() -> None:
    def fails(_: bytes) -> bytes:
        raise KeyError("a mistake")

    stub = ChainStub()
    stub._server.start()
    stub._server.respond = fails  # no call from outside makes it fail
    with Client(stub) as client, pytest.raises(http.client.RemoteDisconnected):
        client.call("eth_chainId")
    with pytest.raises(RuntimeError, match="the chain stub failed"):
        stub.stop()
