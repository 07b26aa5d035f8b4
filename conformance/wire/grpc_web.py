"""gRPC-Web as a page of another origin speaks it: bytes in, bytes out, every call on record, no opinion.

Plaintext, and messages in binary (`application/grpc-web+proto`). HTTP/1.1 or HTTP/2, whichever the address answers: the
contract names no version.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

import httpx

from conformance.wire.channel import DEFAULT_DEADLINE_S
from conformance.wire.grpc_web_frames import Outcome, Pairs, WebReply, framed
from conformance.wire.grpc_web_http import (
    ORIGIN,
    HttpVersion,
    ends_by_itself,
    http_client,
    local_status,
    page_headers,
    remember,
    remembered,
    request_of,
    timeouts,
)
from conformance.wire.grpc_web_stream import WebStream
from conformance.wire.methods import GET_CONFIGURATION
from conformance.wire.recorder import Recorder, current_recorder
from conformance.wire.secrets import metadata_text
from conformance.wire.stream_log import StreamLog
from conformance.wire.transcript import Call, Code, Status, StreamCall

_PROBE_S = 10.0

_numbers = itertools.count(1)


@dataclass(frozen=True, kw_only=True)
class _Exchanged:
    """What came of one call."""

    outcome: Outcome
    messages: tuple[bytes, ...] = ()
    connected: bool = True

    @property
    def replied(self) -> bool:
        """Whether HTTP was spoken at all."""
        return bool(self.outcome.initial)


class WebConnection:
    """Calls over gRPC-Web to `address` ("host:port"). A call that fails on the way has a local status.

    `token` is sent as a bearer credential and appears nowhere else. Calls are kept by `recorder`, or else by the
    recorder of the running case.
    """

    def __init__(self, address: str, *, token: str | None = None, recorder: Recorder | None = None) -> None:
        self.address = address
        self._token = token
        self._recorder = recorder
        self._clients: dict[HttpVersion, httpx.Client] = {}
        self._served: bool | None = None

    def unary(self, method: str, request: bytes, *, deadline_s: float = DEFAULT_DEADLINE_S) -> Call:
        """Send `request` to `method` ("/package.Service/Method") and return what came of it, whatever the status.

        The HTTP headers of the reply are the initial metadata, with the HTTP status as `:status`. An HTTP status other
        than 200 shows as UNKNOWN, or as the code of a guard, with a message that names it.
        """
        return self._recorded(self._version(), method, request, deadline_s)[0]

    def open_stream(self, method: str, request: bytes) -> WebStream:
        """Open a stream that answers one request, on a TCP connection of its own."""
        version = self._version()
        recorder = self._recorder or current_recorder()
        opened = StreamCall(
            number=self._number(recorder),
            endpoint=self.address,
            method=method,
            request_metadata=metadata_text(page_headers(self._token), self._token),
            started_ns=time.monotonic_ns(),
        )
        log = StreamLog(opened, keeper=recorder, secret=self._token)
        log.sent(request)
        log.half_closed()
        client = http_client(version)
        post = request_of(client, self._url(method), page_headers(self._token), framed(request))
        return WebStream(client, post, log, secret=self._token)

    def preflight(self, method: str, headers: Sequence[str]) -> Call:
        """Ask for permission to call `method` with these headers, as a browser does before it calls.

        The record says OK when the HTTP status allows it (2xx), and UNKNOWN with that status when not.
        """
        client = self._client(self._version())
        recorder = self._recorder or current_recorder()
        number = self._number(recorder)
        sent = [
            ("origin", ORIGIN),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", ",".join(sorted(headers))),
        ]
        started_ns = time.monotonic_ns()
        initial: Pairs = ()
        try:
            response = client.request("OPTIONS", self._url(method), headers=sent, timeout=timeouts(DEFAULT_DEADLINE_S))
        except httpx.HTTPError as error:
            status = local_status(error)
        else:
            allowed = HTTPStatus.OK <= response.status_code < HTTPStatus.MULTIPLE_CHOICES
            told = f"HTTP status {response.status_code}"
            status = Status(code=Code.OK if allowed else Code.UNKNOWN, message="" if allowed else told)
            pairs = [(":status", str(response.status_code)), *response.headers.multi_items()]
            initial = metadata_text(pairs, self._token)
        call = Call(
            number=number,
            endpoint=self.address,
            method=f"OPTIONS {method}",
            request=b"",
            response=None,
            status=status,
            request_metadata=tuple(sent),
            initial_metadata=initial,
            started_ns=started_ns,
            ended_ns=time.monotonic_ns(),
        )
        if recorder:
            recorder.record(call, secret=self._token)
        return call

    def served(self) -> bool | None:
        """Tell whether HTTP is answered at all, over whichever version; None when not even TCP connects."""
        if remembered(self.address) is None:
            self._probe()
            return self._served
        return True

    @property
    def http_version(self) -> str:
        """The version calls are made over."""
        return self._version().value

    def close(self) -> None:
        """Close the connections of unary calls. May be called again."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _version(self) -> HttpVersion:
        return remembered(self.address) or self._probe()

    def _probe(self) -> HttpVersion:
        """Call what changes nothing over one version after the other, and keep the first that speaks gRPC-Web."""
        tried: list[tuple[HttpVersion, _Exchanged]] = []
        for version in HttpVersion:
            exchanged = self._recorded(version, GET_CONFIGURATION, b"", _PROBE_S)[1]
            tried.append((version, exchanged))
            if exchanged.outcome.spoke_grpc:
                remember(self.address, version)
                return version
        replied = next((version for version, exchanged in tried if exchanged.replied), None)
        connected = all(exchanged.connected for _, exchanged in tried)
        self._served = True if replied else (False if connected else None)
        return replied or HttpVersion.ONE

    def _recorded(
        self, version: HttpVersion, method: str, request: bytes, deadline_s: float
    ) -> tuple[Call, _Exchanged]:
        recorder = self._recorder or current_recorder()
        number = self._number(recorder)
        started_ns = time.monotonic_ns()
        exchanged = self._exchange(version, method, request, deadline_s)
        status, messages = exchanged.outcome.status, exchanged.messages
        if status.code is Code.OK and len(messages) > 1:
            status = Status(code=Code.UNKNOWN, message=f"{len(messages)} messages in answer to a unary call")
        call = Call(
            number=number,
            endpoint=self.address,
            method=method,
            request=request,
            response=messages[0] if status.code is Code.OK and messages else None,
            status=status,
            request_metadata=metadata_text(page_headers(self._token), self._token),
            initial_metadata=exchanged.outcome.initial,
            trailing_metadata=exchanged.outcome.trailing,
            started_ns=started_ns,
            ended_ns=time.monotonic_ns(),
        )
        if recorder:
            recorder.record(call, secret=self._token)
        return call, exchanged

    def _exchange(self, version: HttpVersion, method: str, request: bytes, deadline_s: float) -> _Exchanged:
        client, end = self._client(version), time.monotonic() + deadline_s
        post = request_of(client, self._url(method), page_headers(self._token), framed(request))
        post.extensions["timeout"] = timeouts(deadline_s).as_dict()
        reply: WebReply | None = None
        messages: list[bytes] = []
        try:
            response = client.send(post, stream=True)
            try:
                reply = WebReply(response.status_code, response.headers.multi_items(), secret=self._token)
                for piece in response.iter_raw():
                    messages += reply.feed(piece)
                    if time.monotonic() > end:
                        raise httpx.ReadTimeout("the reply goes on and on")
            finally:
                response.close()
        except httpx.HTTPError as error:
            status = local_status(error)
            outcome = reply.broken_off(status) if reply else Outcome(status=status)
            connected = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            return _Exchanged(outcome=outcome, connected=connected)
        outcome = reply.end()
        if not (outcome.spoke_grpc or ends_by_itself(response)):
            broken = Status(code=Code.UNAVAILABLE, message="the reply may have been cut", local=True)
            outcome = reply.broken_off(broken)
        return _Exchanged(outcome=outcome, messages=tuple(messages))

    def _client(self, version: HttpVersion) -> httpx.Client:
        if version not in self._clients:
            self._clients[version] = http_client(version)
        return self._clients[version]

    def _url(self, method: str) -> str:
        return f"http://{self.address}{method}"

    @staticmethod
    def _number(recorder: Recorder | None) -> int:
        return recorder.next_number() if recorder else next(_numbers)
