"""The adapter of the embedded backend: JSON Lines on standard input and output, one reply for each request."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

from conformance import __version__
from conformance.reference.backend.deployment import Deployment, DeploymentError, Endpoint
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.processes import Processes
from conformance.reference.backend.settings import MAX_ENDPOINTS, Settings, SettingsError, UnsupportedError

NAME = "xmtp-conformance embedded backend"
CONTROLS = ["limits", "timers", "restart", "kill", "second-endpoint", "store-hold", "clock", "chain", "handles"]
DEPLOYMENTS = 64
DEFAULT_DEADLINE_MS = 20_000
MOST_OFFSET_MS = 20 * 365 * 86_400_000

Args = Mapping[str, object]
Reply = dict[str, object]


class InvalidError(Exception):
    """A request the protocol does not allow; the message is one sentence."""


class Adapter:
    """Starts, stops and disturbs deployments on request; what `start` does not say is as in `defaults`."""

    def __init__(self, program: Sequence[str], defaults: Settings) -> None:
        self._defaults = defaults
        self._processes = Processes(program)
        self._deployments: dict[str, Deployment] = {}
        self._started = 0
        self._commands: dict[str, Callable[[Args, float], Reply]] = {
            "hello": self._hello,
            "start": self._start,
            "stop": self._stop,
            "kill": self._kill,
            "restart": self._restart,
            "store": self._store,
            "clock": self._clock,
        }

    def serve(self, requests: BinaryIO, replies: BinaryIO) -> None:
        """Answer requests one after the other until the input ends."""
        for line in requests:
            if line.strip():
                replies.write(json.dumps(self.reply(line)).encode() + b"\n")
                replies.flush()
                if self._started > 1:  # who has started a second deployment often starts more
                    self._processes.refill()

    def close(self) -> None:
        """Stop everything that was started."""
        for deployment in self._deployments.values():
            deployment.stop()
        self._deployments.clear()
        self._processes.close()

    def reply(self, line: bytes) -> Reply:
        """Return the reply to one request line."""
        number: object = None
        try:
            request = _object(json.loads(line), "a request")
            number = request.get("id")
            return {"id": number, "ok": self._execute(request)}
        except UnsupportedError as error:
            kind, message = "unsupported", str(error)
        except ValueError as error:
            kind, message = "invalid", f"the request is not a line of JSON: {error}"
        except (InvalidError, SettingsError) as error:
            kind, message = "invalid", str(error)
        except (DeploymentError, Failure, OSError) as error:
            kind, message = "failed", str(error)
        return {"id": number, "err": {"kind": kind, "message": message}}

    def _execute(self, request: Args) -> Reply:
        name = request.get("cmd")
        command = self._commands.get(name) if isinstance(name, str) else None
        if command is None:
            raise UnsupportedError(f"the command {name!r} is not offered")
        milliseconds = request.get("deadline_ms", DEFAULT_DEADLINE_MS)
        if not isinstance(milliseconds, (int, float)) or isinstance(milliseconds, bool):
            raise InvalidError("deadline_ms must be a number of milliseconds")
        return command(_object(request.get("args", {}), "args"), time.monotonic() + milliseconds / 1000)

    def _hello(self, args: Args, _deadline: float) -> Reply:
        _only(args)
        return {
            "protocol": 1,
            "name": NAME,
            "version": __version__,
            "controls": CONTROLS,
            "deployments": DEPLOYMENTS,
        }

    def _start(self, args: Args, deadline: float) -> Reply:
        count = _index(args.get("endpoints", 1), "endpoints", MAX_ENDPOINTS, least=1)
        settings = self._defaults.changed({name: value for name, value in args.items() if name != "endpoints"})
        if len(self._deployments) >= DEPLOYMENTS:
            raise InvalidError(f"{DEPLOYMENTS} deployments run already: stop one first")
        deployment = Deployment(self._processes, settings, count, deadline)
        self._started += 1
        name = f"d{self._started}"
        self._deployments[name] = deployment
        return {"deployment": name, "endpoints": deployment.addresses()}

    def _stop(self, args: Args, _deadline: float) -> Reply:
        _only(args, "deployment")
        name, deployment = self._deployment(args)
        deployment.stop()
        del self._deployments[name]
        return {}

    def _kill(self, args: Args, _deadline: float) -> Reply:
        _only(args, "deployment", "endpoint")
        endpoint = self._endpoint(args)
        endpoint.kill()
        return {"endpoint": endpoint.address}

    def _restart(self, args: Args, deadline: float) -> Reply:
        endpoint = self._endpoint(args)
        changes = {name: value for name, value in args.items() if name not in ("deployment", "endpoint")}
        if "first_sequence_id" in changes:
            raise InvalidError("first_sequence_id belongs to start: a restart keeps the ids of the store")
        settings = endpoint.settings.changed(changes)
        self._deployment(args)[1].restart(endpoint, settings, deadline)
        return {"endpoint": endpoint.address}

    def _store(self, args: Args, _deadline: float) -> Reply:
        _only(args, "deployment", "action")
        hold = self._deployment(args)[1].hold()
        action = args.get("action")
        if action == "hold":
            hold.arm()
            return {}
        if action == "status":
            return {"held": hold.is_holding()}
        if action == "release":
            return {"held": hold.release()}
        raise UnsupportedError(f"the store action {action!r} is not offered")

    def _clock(self, args: Args, _deadline: float) -> Reply:
        _only(args, "deployment", "offset_ms")
        offset_ms = _index(args.get("offset_ms"), "offset_ms", MOST_OFFSET_MS, least=-MOST_OFFSET_MS)
        self._deployment(args)[1].clock().move(offset_ms * 1_000_000)
        return {}

    def _deployment(self, args: Args) -> tuple[str, Deployment]:
        name = args.get("deployment")
        deployment = self._deployments.get(name) if isinstance(name, str) else None
        if deployment is None or not isinstance(name, str):
            raise InvalidError(f"no deployment {name!r} is running")
        return name, deployment

    def _endpoint(self, args: Args) -> Endpoint:
        endpoints = self._deployment(args)[1].endpoints
        return endpoints[_index(args.get("endpoint", 0), "endpoint", len(endpoints) - 1)]


def _object(value: object, name: str) -> Args:
    if not isinstance(value, dict):
        raise InvalidError(f"{name} must be a JSON object")
    return value


def _only(args: Args, *names: str) -> None:
    for name in args:
        if name not in names:
            raise InvalidError(f"{name!r} is not an argument of this command")


def _index(value: object, name: str, most: int, *, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidError(f"{name} must be a whole number from {least} through {most}")
    return value
