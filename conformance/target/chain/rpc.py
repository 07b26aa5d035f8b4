"""JSON-RPC as a node speaks it: requests in, single or in a batch, and a response body or a failure out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.target.chain.answers import Answer, ClosedSocket, Garbage, HttpStatus, Invalid, Result, RpcError, Valid
from conformance.target.chain.blocks import NoSuchBlock, block_by, described, number_of
from conformance.target.chain.call_data import IS_VALID_SIGNATURE, Asked, Asks, NotACall, asked_of, hex_bytes
from conformance.target.chain.calls import Calls
from conformance.target.chain.script import CALL, NO_SUCH_BLOCK, Script

MOST_IN_A_BATCH = 1000
_PARSE_ERROR = RpcError(code=-32700, message="no JSON")
_INVALID_REQUEST = RpcError(code=-32600, message="no JSON-RPC request")
_NO_SUCH_METHOD = RpcError(code=-32601, message="no such method")
_INVALID_PARAMETERS = -32602
# no revert, which could be taken for a verdict on a question that was only put in another form
_NOT_UNDERSTOOD = RpcError(message="this chain does not know what the call asks")

# what ends the whole HTTP response instead of filling it
Failing = HttpStatus | Garbage | ClosedSocket

_VERDICTS: Mapping[Asks, tuple[bytes, bytes]] = {
    Asks.BYTECODE: (b"\x01", b"\x00"),
    Asks.CONTRACT: (IS_VALID_SIGNATURE.ljust(32, b"\x00"), bytes(32)),
    Asks.VALIDATOR: (bytes(31) + b"\x01", bytes(32)),
}


@dataclass(frozen=True, kw_only=True)
class Rpc:
    """Answers requests by a script and notes each of them. `wait` lets seconds pass, or fewer when the node stops."""

    chain_id: int
    script: Script
    calls: Calls
    wait: Callable[[float], object]

    def respond(self, body: bytes) -> bytes | Failing:
        """Answer the body of one HTTP request: the body of its response, empty when none is due, or a failure."""
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            return _encoded(_response(None, _PARSE_ERROR))
        if not isinstance(request, list):
            response = self._one(request)
            return response if isinstance(response, Failing) else _encoded(response)
        if not 0 < len(request) <= MOST_IN_A_BATCH:
            return _encoded(_response(None, _INVALID_REQUEST))
        responses = [self._one(item) for item in request]
        for response in responses:
            if isinstance(response, Failing):
                return response
        return _encoded([response for response in responses if response is not None])

    def _one(self, request: object) -> dict[str, object] | Failing | None:
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            return _response(None, _INVALID_REQUEST)
        params = request.get("params", [])
        answer = self._answer(request["method"], params if isinstance(params, list) else [])
        if isinstance(answer, Failing):
            return answer
        return _response(request["id"], answer) if "id" in request else None

    def _answer(self, method: str, params: list[Any]) -> Result | RpcError | Failing:
        """Decide, note and carry out one call."""
        asked, block, problem = None, None, None
        if method == CALL:
            try:
                asked = asked_of(params[0] if params else None)
                block = block_by(params[1] if len(params) > 1 else "latest", self.script.head, self.chain_id)
            except NotACall as error:
                problem = RpcError(code=_INVALID_PARAMETERS, message=str(error))
            except NoSuchBlock:
                pass
        with self.calls.note(method, params, asked, block) as call:
            decided = self.script.decide(method, asked, block)
            for rule in decided.delaying:
                self.wait(rule.delay_s)
                if rule.hold is not None:
                    rule.hold.arrive()
            answer = decided.answer or problem or self._of_method(method, params)
            call.answer = answer
            return _as_result(answer, asked)

    def _of_method(self, method: str, params: list[Any]) -> Answer:
        """Answer a method as an idle node would."""
        methods: Mapping[str, Callable[[], Answer]] = {
            "eth_chainId": lambda: Result(value=hex(self.chain_id)),
            "net_version": lambda: Result(value=str(self.chain_id)),
            "web3_clientVersion": lambda: Result(value="chain-stub/1"),
            "eth_blockNumber": lambda: Result(value=hex(self.script.head)),
            "eth_getBlockByNumber": lambda: self._block(params[0], by_hash=False),
            "eth_getBlockByHash": lambda: self._block(params[0], by_hash=True),
            "eth_getCode": lambda: Result(value="0x" + self.script.code_of(hex_bytes(params[0])).hex()),
            CALL: lambda: _NOT_UNDERSTOOD,
        }
        try:
            return methods.get(method, lambda: _NO_SUCH_METHOD)()
        except (IndexError, NotACall):
            return RpcError(code=_INVALID_PARAMETERS, message="parameters that the method does not have")

    def _block(self, named: object, *, by_hash: bool) -> Answer:
        try:
            number = number_of(named, self.chain_id) if by_hash else block_by(named, self.script.head, self.chain_id)
        except NoSuchBlock:
            return Result(value=None)
        if number > self.script.head:
            return Result(value=None)
        return Result(value=described(number, self.script.time_of(number), self.chain_id))


def _as_result(answer: Answer, asked: Asked | None) -> Result | RpcError | Failing:
    """Write a verdict in the form it was asked for."""
    if not isinstance(answer, Valid | Invalid):
        return answer
    if asked is None:
        return NO_SUCH_BLOCK
    valid, invalid = _VERDICTS[asked.how]
    return Result(value="0x" + (valid if isinstance(answer, Valid) else invalid).hex())


def _response(request_id: object, answer: Result | RpcError) -> dict[str, object]:
    told = (
        {"result": answer.value}
        if isinstance(answer, Result)
        else {"error": {"code": answer.code, "message": answer.message}}
    )
    return {"jsonrpc": "2.0", "id": request_id, **told}


def _encoded(response: object) -> bytes:
    return b"" if response in (None, []) else json.dumps(response, separators=(",", ":")).encode()
