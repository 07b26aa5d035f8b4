"""A chain as seen through the JSON-RPC endpoint of one of its nodes."""

from __future__ import annotations

import http.client
import itertools
import json
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from urllib.parse import urlsplit

from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Code, Failure

MOST_ANSWER_BYTES = 1 << 20
REVERTED = 3  # the error code for a call that reverted; the other two are used for it and for much else
SOMETIMES_REVERTED = (-32000, -32015)


class ChainFailure(Failure):
    """A chain that gives no verdict: UNAVAILABLE, and nothing said about the signature (API-231)."""

    def __init__(self, why: str) -> None:
        super().__init__(Code.UNAVAILABLE, f"the chain gives no verdict: {why}")


class RevertedError(Exception):
    """A call that the chain has executed and that failed by its own program."""


class ChainClient:
    """Calls one node; ChainFailure for whatever is not an answer."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._secure = parts.scheme == "https"
        self._host = parts.netloc.rpartition("@")[2]
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._numbers = itertools.count(1)

    def call(self, method: str, parameters: list[object], deadline: Deadline) -> object:
        """Return the result of a call; RevertedError when the node reports that the called program reverted."""
        number = next(self._numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        try:
            answer = json.loads(self.post(json.dumps(request).encode(), deadline))
        except (OSError, http.client.HTTPException, ValueError, RecursionError) as error:
            raise ChainFailure("its node does not answer as it should") from error
        if not isinstance(answer, dict) or answer.get("id") != number:
            raise ChainFailure("its node answers something else")
        trouble = answer.get("error")
        if trouble is not None:
            if self.is_revert(trouble):
                raise RevertedError
            raise ChainFailure("its node reports an error")
        return answer.get("result")

    def post(self, body: bytes, deadline: Deadline) -> bytes:
        """Return the body of the answer to a POST; at the deadline the connection is cut, however far it has come."""
        connection_type = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = connection_type(self._host, timeout=max(deadline.remaining(), 0.001))
        try:
            connection.connect()
            # a timeout of the socket starts anew with each byte that arrives
            alarm = threading.Timer(deadline.remaining(), _cut(connection))
            alarm.daemon = True
            alarm.start()
            try:
                connection.request("POST", self._path, body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                answer = response.read(MOST_ANSWER_BYTES + 1)
            finally:
                alarm.cancel()
        finally:
            connection.close()
        if response.status != HTTPStatus.OK or len(answer) > MOST_ANSWER_BYTES:
            raise ChainFailure(f"its node answers with HTTP status {response.status}")
        return answer

    def is_revert(self, error: object) -> bool:
        """Whether an error object says that the called program reverted, which is a verdict and no outage."""
        if not isinstance(error, dict):
            return False
        code, message = error.get("code"), error.get("message")
        return code == REVERTED or (code in SOMETIMES_REVERTED and "revert" in str(message).lower())


class Chains:
    """The chains of the deployment, by number (CONF-070)."""

    client_type: Callable[[str], ChainClient] = ChainClient

    def __init__(self, urls: Mapping[int, str]) -> None:
        self._clients = {number: self.client_type(url) for number, url in urls.items()}

    def client(self, number: int | None) -> ChainClient:
        """Return the client of a chain; ChainFailure for one that the deployment has no node of."""
        client = None if number is None else self._clients.get(number)
        if client is None:
            raise ChainFailure("this deployment does not verify on it")
        return client


def _cut(connection: http.client.HTTPConnection) -> Callable[[], None]:
    sock = connection.sock

    def cut() -> None:
        try:
            sock.shutdown(2)
        except OSError:
            return  # it has ended meanwhile

    return cut
