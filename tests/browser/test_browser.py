"""A real browser calls the embedded backend from a page of another origin, and reads how its calls ended (API-285)."""

from __future__ import annotations

import base64
import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.malformed import MALFORMED
from conformance.craft.sizes import request_bytes
from conformance.craft.topics import Kind, topic_of
from conformance.pb import backend_pb2 as pb
from conformance.target.embedded import embedded
from conformance.target.pool import Pool
from conformance.target.source import Source
from conformance.target.stream_requests import static_request
from conformance.wire import methods
from conformance.wire.errors import publish_failure
from conformance.wire.grpc_web_frames import Outcome, WebReply
from conformance.wire.transcript import Code, PublishFailure

PAGE = Path(__file__).with_name("page.html")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((path for path in map(shutil.which, BROWSERS) if path), None)
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # of root there is none, and the page is ours
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--no-first-run",
)
PATIENCE_S = 90.0
STOPPING_S = 10.0

Result = dict[str, Any]

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"no browser: none of {', '.join(BROWSERS)} is on the PATH")


@contextmanager
def page_server(plan: Mapping[str, object], results: queue.Queue[Result]) -> Iterator[str]:
    """Serve the page and its plan at an address of its own, and take what it reports."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(json.dumps(plan).encode() if self.path == "/plan" else PAGE.read_bytes())

        def do_POST(self) -> None:
            results.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self._reply(b"")

        def _reply(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-type", "application/json" if self.path == "/plan" else "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has above
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(STOPPING_S)


def browsed(plan: Mapping[str, object], profile: Path) -> Result:
    """Open the page in a browser and return what it reports."""
    results: queue.Queue[Result] = queue.Queue()
    with page_server(plan, results) as url:
        argv = [str(BROWSER), *FLAGS, f"--user-data-dir={profile}", url]
        with (profile / "log").open("wb") as log:
            browser = subprocess.Popen(argv, stdout=log, stderr=log)
        try:
            return results.get(timeout=PATIENCE_S)
        except queue.Empty:
            pytest.fail(f"the page reported nothing; the browser says {(profile / 'log').read_text()[-2000:]}")
        finally:
            browser.terminate()
            try:
                browser.wait(STOPPING_S)
            except subprocess.TimeoutExpired:
                browser.kill()
                browser.wait()


def read(told: Mapping[str, Any]) -> tuple[Outcome, list[bytes]]:
    """Read a reply from what the browser let the page see of it."""
    reply = WebReply(told["status"], [(name, value) for name, value in told["headers"]])
    messages = reply.feed(base64.b64decode(told["body"]))
    return reply.end(), messages


def test_a_page_of_another_origin_publishes_streams_and_learns_what_is_at_fault(tmp_path: Path) -> None:
    draw = Draw(285, b"browser")
    first, second = new_envelope(draw, Kind.GROUP_MESSAGE), new_envelope(draw, Kind.WELCOME)
    broken = MALFORMED["payload-unset"].build(draw).broken
    with Pool(Source.program(embedded())) as pool:
        node = pool.deployment().node()

        def call(method: str, request: bytes) -> dict[str, object]:
            message = base64.b64encode(request).decode()
            return {"address": node.connection.address, "method": method, "message": message}

        plan = {
            "good": call(methods.PUBLISH, request_bytes([first])),
            "bad": call(methods.PUBLISH, request_bytes([first, broken])),
            "streamed": {
                **call(methods.SUBSCRIBE_STATIC, static_request([topic_of(second)])),
                "meanwhile": call(methods.PUBLISH, request_bytes([second])),
            },
        }
        result = browsed(plan, tmp_path)
        assert "error" not in result, result
        stored = [node.read_all(topic_of(each)) for each in (first, second)]

    taken, (receipt,) = read(result["good"])
    assert taken.status.code is Code.OK
    assert [seen.meta.sequence_id for seen in stored[0]] == [
        meta.cursor.sequence_id for meta in pb.PublishResponse.FromString(receipt).envelope_metas
    ]

    refused, nothing = read(result["bad"])
    assert (refused.status.code, nothing) == (Code.INVALID_ARGUMENT, [])
    failure = publish_failure(refused.status)
    assert isinstance(failure, PublishFailure)
    assert (failure.index, failure.reason) == (1, pb.PublishError.REASON_MALFORMED_PAYLOAD)

    assert read(result["streamed"]["between"])[0].status.code is Code.OK
    _, frames = read(result["streamed"]["stream"])
    started, messages = map(pb.SubscribeStaticResponse.FromString, frames[:2])
    assert started.HasField("started")
    assert [each.meta.cursor.sequence_id for each in messages.messages.envelopes] == [
        seen.meta.sequence_id for seen in stored[1]
    ]
