"""A small adapter program over servers that know GetConfiguration only, with a choice of bad manners.

Every command is appended to the file named by --log, as one JSON line, when it has been carried out.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

CONTROLS = "limits,timers,second-endpoint,restart,kill,store-hold"


class Unsupported(Exception):
    pass


class Endpoint:
    def __init__(self, limits: dict[str, int], port: int = 0) -> None:
        # imported late: most tests of bad manners never start a deployment
        import grpc

        from conformance.pb import backend_pb2

        answer = backend_pb2.GetConfigurationResponse(identifier="fake")
        for name, value in limits.items():
            setattr(answer.limits, name, value)
        self.limits = limits
        handler = grpc.unary_unary_rpc_method_handler(lambda _request, _context: answer.SerializeToString())
        self.server = grpc.server(ThreadPoolExecutor(2), options=[("grpc.so_reuseport", 0)])
        self.server.add_generic_rpc_handlers(
            [
                grpc.method_handlers_generic_handler(
                    "xmtp.backend.v1.ConfigurationService", {"GetConfiguration": handler}
                )
            ]
        )
        self.port = self.server.add_insecure_port(f"127.0.0.1:{port}")
        self.server.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.stop(None).wait()


class FakeAdapter:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.deployments: dict[str, list[Endpoint]] = {}
        self.started = 0
        self.held = False

    def hello(self, args: dict[str, Any]) -> dict[str, Any]:
        del args
        return {
            "protocol": self.options.protocol,
            "name": "fake",
            "version": "1.2",
            "controls": [name for name in self.options.controls.split(",") if name],
            "deployments": self.options.deployments,
        }

    def start(self, args: dict[str, Any]) -> dict[str, Any]:
        if len(self.deployments) >= self.options.deployments:
            raise ValueError("too many deployments run")
        self.started += 1
        name = f"d{self.started}"
        count = 1 if self.options.one_endpoint else args.get("endpoints", 1)
        self.deployments[name] = [Endpoint(args.get("limits", {})) for _ in range(count)]
        return {"deployment": name, "endpoints": [endpoint.address for endpoint in self.deployments[name]]}

    def stop(self, args: dict[str, Any]) -> dict[str, Any]:
        for endpoint in self.deployments.pop(args["deployment"]):
            endpoint.stop()
        return {}

    def kill(self, args: dict[str, Any]) -> dict[str, Any]:
        endpoint = self.deployments[args["deployment"]][args["endpoint"]]
        endpoint.stop()
        return {"endpoint": endpoint.address}

    def restart(self, args: dict[str, Any]) -> dict[str, Any]:
        endpoints = self.deployments[args["deployment"]]
        old = endpoints[args["endpoint"]]
        old.stop()
        endpoints[args["endpoint"]] = Endpoint({**old.limits, **args.get("limits", {})}, old.port)
        return {"endpoint": endpoints[args["endpoint"]].address}

    def store(self, args: dict[str, Any]) -> dict[str, Any]:
        if self.options.no_store:
            raise Unsupported("no store here")
        before, self.held = self.held, args["action"] == "hold"
        return {} if self.held else {"held": before}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"id": request["id"], "ok": getattr(self, request["cmd"])(request["args"])}
        except Unsupported as error:
            return {"id": request["id"], "err": {"kind": "unsupported", "message": str(error)}}
        except ValueError as error:
            return {"id": request["id"], "err": {"kind": "failed", "message": str(error)}}


def misbehave(kind: str, request: dict[str, Any]) -> None:
    """Do something bad in place of the answer to `start`."""
    if kind == "die":
        print("\x1b[31mpanic: disk is full\x1b[0m, token " + os.environ.get("FAKE_TOKEN", ""), file=sys.stderr)
        sys.exit(3)
    elif kind == "signal":
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind == "chatter":
        say("starting up...")
    elif kind == "wrong":
        say({"id": request["id"], "ok": {"deployment": "d1", "endpoints": []}})
    elif kind == "both":
        say({"id": request["id"], "ok": {}, "err": {"kind": "failed", "message": "x"}})
    elif kind == "stranger":
        say({"id": 99, "ok": {}})
    elif kind == "dead-address":
        say({"id": request["id"], "ok": {"deployment": "d1", "endpoints": ["127.0.0.1:1"]}})
    elif kind == "close":
        os.close(1)


def say(message: object) -> None:
    print(json.dumps(message) if isinstance(message, dict) else message, flush=True)


def main() -> NoReturn:
    parser = argparse.ArgumentParser()
    parser.add_argument("--controls", default=CONTROLS)
    parser.add_argument("--deployments", type=int, default=8)
    parser.add_argument("--protocol", type=int, default=1)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--on-start")
    parser.add_argument("--die-at-once", action="store_true")
    parser.add_argument("--one-endpoint", action="store_true")
    parser.add_argument("--no-store", action="store_true")
    parser.add_argument("--late", action="store_true", help="answer the first start only when the next command comes")
    parser.add_argument("--stay", action="store_true", help="do not end with the input, and leave a child behind")
    options = parser.parse_args()
    if options.die_at_once:
        sys.exit("no configuration")
    if options.stay:
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        options.log.write_text(json.dumps([os.getpid(), child.pid]))
    adapter = FakeAdapter(options)
    late: dict[str, Any] | None = None
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "start" and options.on_start:
            misbehave(options.on_start, request)
            continue
        reply = adapter.answer(request)
        if options.log and not options.stay:
            with options.log.open("a") as log:
                log.write(json.dumps([request["cmd"], request["args"]]) + "\n")
        if options.late and request["cmd"] == "start":
            late, options.late = reply, False
            continue
        if late:
            say(late)
            late = None
        say(reply)
    if options.stay:
        signal.pause()
    for endpoints in adapter.deployments.values():
        for endpoint in endpoints:
            endpoint.stop()
    if options.log:
        with options.log.open("a") as log:
            log.write(json.dumps(["end", {}]) + "\n")
    sys.exit(0)


if __name__ == "__main__":
    main()
