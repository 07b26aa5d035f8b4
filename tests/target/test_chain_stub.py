"""The chain stub over HTTP: verdicts, blocks, faults of every kind, holds, and what it keeps of its calls."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.contract_wallet import ContractWallet, wrapped
from conformance.craft.identity.wallet import eip191_hash
from conformance.target.chain import calls, server
from conformance.target.chain.answers import Rule, Valid
from conformance.target.chain.call_data import IS_VALID_SIGNATURE
from conformance.target.chain.honest import always, never
from conformance.target.chain.stub import ChainStub
from tests.target.test_chain_call_data import arguments

CODE = b"\x60\x80" * 896  # as long as the usual validator
PATIENCE_S = 20.0
WALLET = ContractWallet.drawn(Draw(2, b"stub"))
ADDRESS = WALLET.wallet.address


@pytest.fixture
def stub() -> Iterator[ChainStub]:
    with ChainStub() as running:
        yield running


class Client:
    """A client with one connection that it keeps."""

    def __init__(self, stub: ChainStub) -> None:
        self.http = http.client.HTTPConnection(stub.url.removeprefix("http://"), timeout=PATIENCE_S)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def post(self, body: object) -> Any:  # noqa: ANN401 - any JSON
        self.http.request("POST", "/", json.dumps(body), {"Content-Type": "application/json"})
        response = self.http.getresponse()
        assert response.status == 200
        return json.loads(response.read())

    def call(self, method: str, *params: object) -> Any:  # noqa: ANN401 - any JSON
        answer = self.post({"jsonrpc": "2.0", "id": "a", "method": method, "params": list(params)})
        assert answer["id"] == "a"
        assert answer["jsonrpc"] == "2.0"
        return answer

    def verdict(self, signature: bytes, *, text: str = "text", block: str = "latest") -> Any:  # noqa: ANN401 - any JSON
        return self.call("eth_call", question(signature, text), block).get("result")


def question(signature: bytes, text: str = "text") -> dict[str, str]:
    data = arguments(signature)
    address = bytes.fromhex(ADDRESS[2:])
    asked = bytes(12) + address + eip191_hash(text) + data[64:]
    return {"input": "0x" + (CODE + asked).hex()}


@pytest.fixture
def client(stub: ChainStub) -> Iterator[Client]:
    with Client(stub) as connected:
        yield connected


def test_without_rules_an_account_signs_with_its_own_key(client: Client) -> None:
    signature = WALLET.signature_bytes("text")
    assert client.verdict(signature) == "0x01"
    assert client.verdict(signature, text="other") == "0x00"
    assert client.verdict(b"\x01" * 65) == "0x00"


def test_a_default_can_say_always_or_never() -> None:
    for default, verdict in ((always, "0x01"), (never, "0x00")):
        with ChainStub(default=default) as stub, Client(stub) as client:
            assert client.verdict(WALLET.signature_bytes("text")) == verdict


def test_a_rule_counts_for_what_it_names_and_a_later_one_goes_first(stub: ChainStub, client: Client) -> None:
    signature = WALLET.signature_bytes("text")
    rule = stub.says(False, signature=signature)
    assert client.verdict(signature) == "0x00"
    stub.says(True, signature=signature, block=5)
    assert client.verdict(signature) == "0x00"
    assert client.verdict(signature, block="0x5") == "0x01"
    stub.drop(rule)
    assert client.verdict(signature) == "0x01"
    stub.says(True, hash=eip191_hash("other"))
    assert client.verdict(b"\x07" * 65, text="other") == "0x01"
    assert client.verdict(b"\x07" * 65) == "0x00"
    stub.says(True, account=ADDRESS)
    assert client.verdict(b"\x07" * 65) == "0x01"


def test_a_rule_about_a_signature_holds_with_and_without_its_wrapper(stub: ChainStub, client: Client) -> None:
    stub.says(True, signature=wrapped(b"inner"))
    assert client.verdict(b"inner") == client.verdict(wrapped(b"inner", call=b"x")) == "0x01"
    assert client.verdict(b"other") == "0x00"


def test_a_verdict_comes_in_the_form_it_is_asked_for(stub: ChainStub, client: Client) -> None:
    direct = IS_VALID_SIGNATURE + eip191_hash("text") + (64).to_bytes(32, "big") + arguments(b"sig")[96:]
    for valid, word in ((True, IS_VALID_SIGNATURE.ljust(32, b"\x00")), (False, bytes(32))):
        stub.says(valid, signature=b"sig")
        answer = client.call("eth_call", {"to": ADDRESS, "data": "0x" + direct.hex()}, "latest")
        assert answer["result"] == "0x" + word.hex()
        boolean = client.call("eth_call", {"to": ADDRESS, "data": "0x12345678" + arguments(b"sig").hex()}, "latest")
        assert boolean["result"] == "0x" + bytes([*bytes(31), valid]).hex()


def test_blocks_have_numbers_times_and_an_end(stub: ChainStub, client: Client) -> None:
    head = int(client.call("eth_blockNumber")["result"], 16)
    assert head == stub.head == 1000
    newest, first = (client.call("eth_getBlockByNumber", name, False)["result"] for name in ("latest", "0x1"))
    assert (int(newest["number"], 16), int(first["number"], 16)) == (1000, 1)
    assert int(newest["timestamp"], 16) - int(first["timestamp"], 16) == 999
    assert client.call("eth_getBlockByHash", first["hash"], False)["result"] == first
    for absent in ("0x3e9", "0x" + "f" * 16):
        assert client.call("eth_getBlockByNumber", absent, False)["result"] is None
    signature = WALLET.signature_bytes("text")
    assert client.verdict(signature, block="0x3e8") == "0x01"
    assert client.call("eth_call", question(signature), "0x3e9")["error"]["code"] == -32000
    stub.move_head(1001)
    assert client.verdict(signature, block="0x3e9") == "0x01"
    grown = client.call("eth_getBlockByNumber", "0x3e9", False)["result"]
    assert int(grown["timestamp"], 16) == int(newest["timestamp"], 16) + 1
    assert client.verdict(signature, block={"blockHash": grown["hash"]}) == "0x01"  # type: ignore[arg-type] # EIP-1898


def test_other_methods_answer_as_a_node_does(stub: ChainStub, client: Client) -> None:
    assert client.call("eth_chainId")["result"] == "0x7a69"
    assert client.call("net_version")["result"] == "31337"
    assert client.call("eth_getCode", ADDRESS, "latest")["result"] != "0x"
    stub.set_code(ADDRESS, b"")
    assert client.call("eth_getCode", ADDRESS, "latest")["result"] == "0x"
    assert client.call("eth_sendTransaction")["error"]["code"] == -32601
    for method, params in (("eth_getCode", []), ("eth_getBlockByNumber", ["soon"]), ("eth_call", ["0x"])):
        assert client.call(method, *params)["error"]["code"] == -32602
    assert client.call("eth_call", {"data": "0x1234"}, "latest")["error"]["code"] == -32603


def test_requests_are_read_one_by_one_and_in_batches(client: Client) -> None:
    batch = [{"jsonrpc": "2.0", "id": number, "method": "eth_chainId"} for number in (3, "b", None)]
    assert [answer["id"] for answer in client.post(batch)] == [3, "b", None]
    notified = client.post([batch[0], {"jsonrpc": "2.0", "method": "eth_chainId"}])
    assert [answer["id"] for answer in notified] == [3]
    assert client.post([])["error"]["code"] == -32600
    assert client.post([7])[0]["error"]["code"] == -32600
    assert client.post([batch[0]] * 1001)["error"]["code"] == -32600
    client.http.request("POST", "/", b"{")
    assert json.loads(client.http.getresponse().read())["error"]["code"] == -32700


def test_one_connection_serves_many_requests_in_chunks_too(client: Client) -> None:
    client.call("eth_chainId")
    kept = client.http.sock
    body = json.dumps({"id": 1, "method": "eth_chainId"}).encode()
    client.http.request("POST", "/", iter([body[:5], body[5:]]), encode_chunked=True)
    assert json.loads(client.http.getresponse().read())["result"] == "0x7a69"
    assert client.http.sock is kept
    assert client.call("eth_chainId")["result"] == "0x7a69"


def test_calls_are_kept_with_what_they_asked(stub: ChainStub, client: Client) -> None:
    signature = WALLET.signature_bytes("text")
    client.verdict(signature, block="0x7")
    client.call("eth_chainId")
    asking, plain = stub.calls
    assert (asking.method, asking.block, asking.answer, plain.method) == ("eth_call", 7, Valid(), "eth_chainId")
    assert asking.asked is not None
    assert (asking.asked.account.hex(), asking.asked.hash) == (ADDRESS[2:], eip191_hash("text"))
    assert asking.asked.signature == signature
    assert plain.asked is None
    assert (asking.number, plain.number, stub.total_calls) == (1, 2, 2)
    assert stub.wait_for_call(lambda call: call.method == "eth_getCode", 0.01) is None


def test_too_many_connections_are_closed_at_once(monkeypatch: pytest.MonkeyPatch, stub: ChainStub) -> None:
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 2)
    with Client(stub) as one, Client(stub) as two, Client(stub) as three:
        one.call("eth_chainId")
        two.call("eth_chainId")
        with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
            three.call("eth_chainId")
        one.call("eth_chainId")


@pytest.mark.parametrize(("length", "status"), [("101", 413), ("-1", 400), ("x", 400), ("", 400)])
def test_a_body_that_is_too_long_or_of_no_length_is_refused(
    monkeypatch: pytest.MonkeyPatch, client: Client, length: str, status: int
) -> None:
    monkeypatch.setattr(server, "MOST_BODY_BYTES", 100)
    client.http.putrequest("POST", "/")
    client.http.putheader("Content-Length", length)
    client.http.endheaders()
    response = client.http.getresponse()
    response.read()
    assert response.status == status


def test_what_it_keeps_is_bounded(stub: ChainStub) -> None:
    for _ in range(10_000):
        stub.rule(Rule())
    with pytest.raises(ValueError, match="no more than 10000 rules"):
        stub.says(True)
    noted = calls.Calls()
    for _ in range(calls.MOST_KEPT + 1):
        with noted.note("eth_call", [], None, None):
            pass
    assert (len(noted.kept()), noted.total, noted.kept()[0].number) == (calls.MOST_KEPT, calls.MOST_KEPT + 1, 2)


def test_many_clients_at_once_get_their_own_answers(stub: ChainStub) -> None:
    marks = [bytes([number]) * 65 for number in range(24)]
    for mark in marks[::2]:
        stub.says(True, signature=mark)

    def ask(mark: bytes) -> list[object]:
        with Client(stub) as client:
            return [client.verdict(mark) for _ in range(10)]

    with ThreadPoolExecutor(len(marks)) as executor:
        answers = list(executor.map(ask, marks))
    assert answers == [["0x01" if number % 2 == 0 else "0x00"] * 10 for number in range(len(marks))]
    assert stub.total_calls == 240
