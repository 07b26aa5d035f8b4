"""The transcript of one case: every call, in order of number, within a budget of memory."""

from __future__ import annotations

import base64
import hashlib
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from conformance.wire.secrets import masked_bytes
from conformance.wire.stream_json import stream_json
from conformance.wire.stream_log import Kept
from conformance.wire.transcript import Call, StreamCall

# What one case may hold in memory, and what of one body a transcript file shows.
DEFAULT_BUDGET_BYTES = 64 * 1024 * 1024
LARGEST_SHOWN_BYTES = 64 * 1024
HEAD_BYTES = 1024


class Recorder:
    """A thread-safe list of calls and streams.

    Once the bodies kept exceed `budget_bytes`, later calls are kept with the first bytes of each body only; their
    numbers are in `cut`, and `to_json` still shows length and SHA-256 of the whole.
    """

    def __init__(self, *, budget_bytes: int = DEFAULT_BUDGET_BYTES) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._left = budget_bytes
        self._calls: list[Call] = []
        self._streams: list[Kept] = []
        self._whole: dict[int, dict[str, tuple[int, str]]] = {}
        self._secrets: set[str] = set()

    def next_number(self) -> int:
        """Return the number of the next call of this case, counted from 1."""
        with self._lock:
            return next(self._numbers)

    def record(self, call: Call, *, secret: str | None = None) -> None:
        """Keep `call`. Occurrences of `secret` in its bodies are masked in `to_json`."""
        size = len(call.request) + len(call.response or b"")
        with self._lock:
            if secret is not None:
                self._secrets.add(secret)
            if size > self._left:
                self._whole[call.number] = {
                    name: (len(body), hashlib.sha256(body).hexdigest())
                    for name, body in (("request", call.request), ("response", call.response))
                    if body is not None
                }
                head = None if call.response is None else call.response[:HEAD_BYTES]
                call = replace(call, request=call.request[:HEAD_BYTES], response=head)
            else:
                self._left -= size
            self._calls.append(call)

    def open_stream(self, opened: StreamCall, *, secret: str | None) -> Kept:
        """Begin the record of a stream. Occurrences of `secret` in its messages are masked in `to_json`."""
        kept = Kept(opened, self._spend)
        with self._lock:
            if secret is not None:
                self._secrets.add(secret)
            self._streams.append(kept)
        return kept

    def _spend(self, size: int) -> bool:
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True

    @property
    def streams(self) -> tuple[StreamCall, ...]:
        """The streams opened so far as they are now, by number; messages beyond the budget are cut to their head."""
        with self._lock:
            streams = tuple(self._streams)
        return tuple(sorted((kept.call for kept in streams), key=lambda call: call.number))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls recorded so far, by number."""
        with self._lock:
            return tuple(sorted(self._calls, key=lambda call: call.number))

    @property
    def cut(self) -> frozenset[int]:
        """Numbers of the calls whose bodies were not kept whole."""
        with self._lock:
            return frozenset(self._whole)

    def to_json(self) -> dict[str, object]:
        """Return the transcript as JSON-ready values: bodies in base64, long ones as head, length and SHA-256."""
        return {
            "calls": [self._call_json(call) for call in self.calls],
            "streams": [stream_json(call, mask=self._masked) for call in self.streams],
        }

    def _call_json(self, call: Call) -> dict[str, object]:
        status: dict[str, object] = {
            "code": call.status.code.name,
            "message": call.status.message,
            "local": call.status.local,
        }
        if call.status.details_bin is not None:
            status["details_bin"] = base64.b64encode(call.status.details_bin).decode()
        return {
            "number": call.number,
            "endpoint": call.endpoint,
            "method": call.method,
            "request": self._body_json(call, "request", call.request),
            "response": None if call.response is None else self._body_json(call, "response", call.response),
            "status": status,
            "request_metadata": [list(pair) for pair in call.request_metadata],
            "initial_metadata": [list(pair) for pair in call.initial_metadata],
            "trailing_metadata": [list(pair) for pair in call.trailing_metadata],
            "started_ns": call.started_ns,
            "ended_ns": call.ended_ns,
        }

    def _body_json(self, call: Call, name: str, body: bytes) -> dict[str, object]:
        whole = self._whole.get(call.number, {}).get(name)
        masked = self._masked(body)
        if whole is None and len(body) <= LARGEST_SHOWN_BYTES:
            return {"base64": base64.b64encode(masked).decode(), "length": len(body)}
        length, digest = whole or (len(body), hashlib.sha256(body).hexdigest())
        head = base64.b64encode(masked[:HEAD_BYTES]).decode()
        return {"base64": head, "length": length, "sha256": digest, "truncated": True}

    def _masked(self, data: bytes) -> bytes:
        for secret in self._secrets:
            data = masked_bytes(data, secret)
        return data


class _Current:
    """The recorder of the case that runs in this process: one case at a time, as pytest runs them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.stack: list[Recorder] = []


_current = _Current()


@contextmanager
def recording(recorder: Recorder) -> Iterator[Recorder]:
    """Make `recorder` take every call that any thread of this process starts inside the block."""
    with _current.lock:
        _current.stack.append(recorder)
    try:
        yield recorder
    finally:
        with _current.lock:
            _current.stack.remove(recorder)


def current_recorder() -> Recorder | None:
    """Return the innermost recorder of `recording`, or None outside of it."""
    with _current.lock:
        return _current.stack[-1] if _current.stack else None
