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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

CONTROLS = "limits,timers,second-endpoint,restart,kill,store-hold,clock"


class UnsupportedError(Exception):
    pass


class Endpoint:
    def __init__(self, limits: dict[str, int], port: int = 0) -> None:
        # Most tests never start a deployment, and start this program without these imports in half the time.
        import grpc  # noqa: PLC0415 - see above

        from conformance.pb import backend_pb2  # noqa: PLC0415 - see above

        answer = backend_pb2.GetConfigurationResponse(identifier="fake")
        for name, value in limits.items():
            setattr(answer.limits, name, value)
        self.limits = limits
        handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(
            lambda _request, _context: answer.SerializeToString()
        )
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
            raise UnsupportedError("no store here")
        if args["action"] == "status":
            return {"held": self.held}
        before, self.held = self.held, args["action"] == "hold"
        return {} if self.held else {"held": before}

    def clock(self, args: dict[str, Any]) -> dict[str, Any]:
        del args
        return {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"id": request["id"], "ok": getattr(self, request["cmd"])(request["args"])}
        except UnsupportedError as error:
            return {"id": request["id"], "err": {"kind": "unsupported", "message": str(error)}}
        except ValueError as error:
            return {"id": request["id"], "err": {"kind": "failed", "message": str(error)}}


def die(request: dict[str, Any]) -> None:
    del request
    sys.stderr.write("\x1b[31mpanic: disk is full\x1b[0m, token " + os.environ.get("FAKE_TOKEN", "") + "\n")
    sys.exit(3)


# What may be done in place of the answer to `start`.
BAD_MANNERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "die": die,
    "signal": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "chatter": lambda _: say("starting up..."),
    "wrong": lambda request: say_json({"id": request["id"], "ok": {"deployment": "d1", "endpoints": []}}),
    "both": lambda request: say_json({"id": request["id"], "ok": {}, "err": {"kind": "failed", "message": "x"}}),
    "stranger": lambda _: say_json({"id": 99, "ok": {}}),
    "dead": lambda request: say_json({"id": request["id"], "ok": {"deployment": "d", "endpoints": ["127.0.0.1:1"]}}),
    "close": lambda _: os.close(1),
    "silence": lambda _: None,
}


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def say_json(message: dict[str, Any]) -> None:
    say(json.dumps(message))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--controls", default=CONTROLS)
    parser.add_argument("--deployments", type=int, default=8)
    parser.add_argument("--protocol", type=int, default=1)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--on-start", choices=BAD_MANNERS)
    parser.add_argument("--die-at-once", action="store_true")
    parser.add_argument("--one-endpoint", action="store_true")
    parser.add_argument("--no-store", action="store_true")
    parser.add_argument("--late", action="store_true", help="answer the first start only when the next command comes")
    parser.add_argument("--stay", action="store_true", help="do not end with the input, and leave a child behind")
    return parser.parse_args()


def converse(adapter: FakeAdapter, options: argparse.Namespace) -> None:
    kept_back: list[dict[str, Any]] = []
    for line in sys.stdin:
        request = json.loads(line)
        starts = request["cmd"] == "start"
        if starts and options.on_start:
            BAD_MANNERS[options.on_start](request)
            continue
        kept_back.append(adapter.answer(request))
        note(options, request["cmd"], request["args"])
        if starts and options.late:
            options.late = False
            continue
        for reply in kept_back:
            say_json(reply)
        kept_back.clear()


def note(options: argparse.Namespace, command: str, args: dict[str, Any]) -> None:
    if options.log and not options.stay:
        with options.log.open("a") as log:
            log.write(json.dumps([command, args]) + "\n")


def main() -> NoReturn:
    options = parsed()
    if options.die_at_once:
        sys.exit("no configuration")
    if options.stay:
        child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        options.log.write_text(json.dumps([os.getpid(), child.pid]))
    adapter = FakeAdapter(options)
    converse(adapter, options)
    if options.stay:
        signal.pause()
    for endpoints in adapter.deployments.values():
        for endpoint in endpoints:
            endpoint.stop()
    note(options, "end", {})
    sys.exit(0)


if __name__ == "__main__":
    main()
