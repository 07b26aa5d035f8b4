"""A call that is given up: the server has got it, learns that nobody waits any more, and the record says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import Protocol

import grpc
import pytest

from conformance.wire.channel import Connection
from conformance.wire.recorder import Recorder
from conformance.wire.transcript import Code, Status

METHOD = "/any.Service/Method"
PATIENCE_S = 10.0


class Serving(Protocol):
    address: str


Serve = Callable[..., Serving]


@pytest.mark.parametrize("disconnect", [False, True], ids=["cancelled", "disconnected"])
def test_a_server_sees_a_call_that_is_given_up_end(serve: Serve, disconnect: bool) -> None:
    got, gone = threading.Event(), threading.Event()

    def wait(request: bytes, context: grpc.ServicerContext) -> bytes:
        if request == b"wait":
            context.add_callback(gone.set)
            got.set()
            gone.wait(PATIENCE_S)
        return request

    recorder = Recorder()
    with closing(Connection(serve(wait).address, recorder=recorder, fresh=True)) as connection:
        connection.unary(METHOD, b"connect")
        call = connection.unary_abandoned(METHOD, b"wait", after_s=0.5, disconnect=disconnect)
        assert got.wait(PATIENCE_S)
        assert gone.wait(PATIENCE_S)
        if disconnect:
            with pytest.raises(RuntimeError, match="has been closed"):
                connection.unary(METHOD, b"more")
        else:
            assert connection.unary(METHOD, b"more").response == b"more"
    assert (call.status.code, call.status.local, call.response) == (Code.CANCELLED, True, None)
    assert recorder.calls[1] == call


def test_an_answer_that_is_faster_is_kept(serve: Serve) -> None:
    def answer(request: bytes, context: grpc.ServicerContext) -> bytes:
        if request == b"refuse":
            context.abort(grpc.StatusCode.ABORTED, "no")
        return request

    with closing(Connection(serve(answer).address)) as connection:
        told = connection.unary_abandoned(METHOD, b"take", after_s=PATIENCE_S)
        refused = connection.unary_abandoned(METHOD, b"refuse", after_s=PATIENCE_S)
    assert (told.status, told.response) == (Status(code=Code.OK), b"take")
    assert refused.status == Status(code=Code.ABORTED, message="no")
