"""The gRPC server: exact bytes in, exact bytes out, failures as statuses."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import grpc

from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.health import Health

if TYPE_CHECKING:
    from conformance.reference.backend.backend import Backend, Unary
    from conformance.reference.backend.streams.stream import Stream

STREAMS_PER_CONNECTION = 100
BIND_AGAIN_S = 0.05
FLUSH_S = 1.0  # for answers that are made but not yet sent
WORKERS = 400  # more than the streams of several connections, so that a unary call never queues behind them
DETAILS_TRAILER = "grpc-status-details-bin"

_CODES = {code.value[0]: code for code in grpc.StatusCode}
Handler: TypeAlias = "grpc.RpcMethodHandler[bytes, bytes]"
_log = logging.getLogger(__name__)


class Server:
    """One listening port in front of a backend."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        methods = backend.methods()
        served = {path: self.unary(method) for path, method in methods.items()} | self.stream_handlers()
        self.health = Health({path.split("/")[1] for path in served})
        self.handlers = served | self.health_handlers()
        self._draining = False
        self._running = 0
        self._finished = threading.Condition()
        self._server = grpc.server(ThreadPoolExecutor(WORKERS), handlers=[_Paths(self)], options=self.options())

    def options(self) -> Sequence[tuple[str, int]]:
        """Channel arguments."""
        return (
            ("grpc.compression_enabled_algorithms_bitset", 1),  # only identity: a compressed request is UNIMPLEMENTED
            ("grpc.max_receive_message_length", -1),  # the length check of Bounds answers OUT_OF_RANGE
            ("grpc.max_send_message_length", -1),
            ("grpc.max_concurrent_streams", STREAMS_PER_CONNECTION),
            ("grpc.so_reuseport", 0),  # two servers must not share a port unnoticed
        )

    def start(self, address: str, *, patience_s: float = 0.0) -> int:
        """Listen on HOST:PORT and return the port; RuntimeError when it stays taken for `patience_s` seconds."""
        end = time.monotonic() + patience_s
        while True:
            try:
                port: int = self._server.add_insecure_port(address)
            except RuntimeError:
                if time.monotonic() >= end:
                    raise
                time.sleep(BIND_AGAIN_S)
            else:
                self._server.start()
                return port

    def stop(self, drain_s: float) -> None:
        """Refuse new calls and end streams with UNAVAILABLE, give the other calls `drain_s` seconds, then close."""
        with self._finished:
            self._draining = True
            self.health.stop_serving()
            self.backend.streams.shut_down()
            self._finished.wait_for(lambda: self._running == 0, drain_s)
        self._server.stop(FLUSH_S).wait()

    def unary(self, method: Unary) -> Handler:
        """Return the handler of one method of the backend."""

        def answer(request: bytes) -> bytes:
            with self._finished:
                if self._draining:
                    raise Failure(Code.UNAVAILABLE, "the backend is shutting down")
                self._running += 1
            try:
                return self.backend.serve(method, request)
            finally:
                with self._finished:
                    self._running -= 1
                    self._finished.notify_all()

        return self._unary(answer)

    def handler(self, path: str) -> Handler | None:
        """Return the handler of a path, None for one that is not served."""
        return self.handlers.get(path)

    def stream_handlers(self) -> dict[str, Handler]:
        """Return the handlers of the streams (API section 5)."""
        service = "/xmtp.backend.v1.SubscriptionService"
        return {
            f"{service}/Subscribe": grpc.stream_stream_rpc_method_handler(self._subscribe),
            f"{service}/SubscribeStatic": grpc.unary_stream_rpc_method_handler(self._subscribe_static),
        }

    def health_handlers(self) -> dict[str, Handler]:
        """Return the handlers of the health service."""
        return {
            "/grpc.health.v1.Health/Check": self._unary(self.health.check),
            "/grpc.health.v1.Health/List": self._unary(self.health.list),
            "/grpc.health.v1.Health/Watch": grpc.unary_stream_rpc_method_handler(self._watch),
        }

    def fail(self, context: grpc.ServicerContext, failure: Failure) -> NoReturn:
        """End a call with a failure's status, and its detail on a publish."""
        details = self.backend.details.trailer(failure)
        if details is not None:
            context.set_trailing_metadata(((DETAILS_TRAILER, details),))
        context.abort(_CODES[failure.code], failure.message)

    def _unary(self, answer: Callable[[bytes], bytes]) -> Handler:
        def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
            try:
                return answer(request)
            except Failure as failure:
                self.fail(context, failure)
            except Exception:  # noqa: BLE001 - whatever it was, the client gets a status and the log the traceback
                _log.exception("a request failed unexpectedly")
                self.fail(context, Failure(Code.INTERNAL, "the backend failed"))

        return grpc.unary_unary_rpc_method_handler(handle)

    def _subscribe(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        yield from self._run(lambda: self.backend.streams.subscribe(_until_cancelled(requests)), context)

    def _subscribe_static(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        yield from self._run(lambda: self.backend.streams.subscribe_static(request), context)

    def _run(self, build: Callable[[], Stream], context: grpc.ServicerContext) -> Iterator[bytes]:
        try:
            stream = build()
            if context.add_callback(stream.gone):  # else the call is over already
                yield from stream.run()
        except Failure as failure:
            self.fail(context, failure)
        except Exception:  # noqa: BLE001 - as for a unary call
            _log.exception("a stream failed unexpectedly")
            self.fail(context, Failure(Code.INTERNAL, "the backend failed"))

    def _watch(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        context.add_callback(self.health.wake)
        try:
            yield from self.health.watch(request, context.is_active)
        except Failure as failure:
            self.fail(context, failure)


def _until_cancelled(requests: Iterator[bytes]) -> Iterator[bytes]:
    """Yield requests; a call that is cancelled has no more of them."""
    with suppress(grpc.RpcError):
        yield from requests


class _Paths(grpc.GenericRpcHandler):
    """Finds the handler of a call by its path; a path that is not served is UNIMPLEMENTED."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Handler | None:
        """Return the handler, or None for a method that is not served."""
        return self._server.handler(handler_call_details.method)
