"""Warm deployments by the name of their configuration, shared by the tests of one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from conformance.target.adapter import Adapter, Started
from conformance.target.chain.stub import ChainStub
from conformance.target.configurations import Configuration, configuration
from conformance.target.deployment import Deployment
from conformance.target.errors import Missing, TargetError
from conformance.target.source import Source

_SECOND = "second-endpoint"
_ROOM = "deployments"
_PAIR = 2


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Who is under test, for reports; `version` is empty when nobody tells it."""

    name: str
    version: str
    endpoints: tuple[str, ...]
    controls: frozenset[str]


class Pool:
    """Hands out deployments of one source. Safe to use from several threads.

    A shared deployment is started when it is first asked for, once, and kept. An adapter that runs fewer at once than
    are asked for has the one used longest ago stopped first: do not keep a Deployment beyond the case that asked for
    it. `deadlines_s` overrides the patience with the adapter per command, in seconds.
    """

    def __init__(self, source: Source, *, deadlines_s: Mapping[str, float] | None = None) -> None:
        self.source = source
        self._deadlines_s = deadlines_s
        self._lock = threading.RLock()
        self._started_adapter: Adapter | None = None
        self._warm: dict[str, Deployment] = {}  # the one used last stands last
        self._failed: dict[str, TargetError | Missing] = {}
        self._exclusive = 0
        self._chain: ChainStub | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def subject(self) -> Subject:
        """Say who is under test; starts the adapter, and raises TargetError when that fails."""
        endpoints = self.source.endpoints
        controls = frozenset({_SECOND}) if len(endpoints) >= _PAIR else frozenset[str]()
        if self.source.adapter is None:
            return Subject(name=self.source.name, version="", endpoints=endpoints, controls=controls)
        hello = self._adapter().hello
        return Subject(name=hello.name, version=hello.version, endpoints=endpoints, controls=controls | hello.controls)

    def deployment(self, name: str = "default") -> Deployment:
        """Return the warm shared deployment of configuration `name`.

        Raises Missing when the source lacks a control for it, TargetError when it cannot be started or reached (the
        same one again for a later caller), and ValueError for an unknown configuration.
        """
        wanted = configuration(name)
        with self._lock:
            self._check_open()
            if name in self._failed:
                raise self._failed[name].with_traceback(None)
            found = self._warm.pop(name, None)
            try:
                self._warm[name] = found or self._start(wanted)
            except (TargetError, Missing) as error:
                if not (isinstance(error, Missing) and error.control == _ROOM):  # room may come back
                    self._failed[name] = error
                raise
            return self._warm[name]

    @property
    def chain(self) -> ChainStub:
        """The chain that deployments of a configuration with one ask, all the same; it lasts as long as the pool.

        Raises TargetError when it cannot listen.
        """
        with self._lock:
            self._check_open()
            if self._chain is None:
                self._chain = ChainStub()
                self._chain.start()
            return self._chain

    @contextmanager
    def exclusive(self, name: str = "default") -> Iterator[Deployment]:
        """Start a deployment for one case alone, which may break it, and stop it afterwards. Raises as `deployment`."""
        wanted = configuration(name)
        if self.source.adapter is None:
            raise Missing(wanted.control or "restart", "there is no adapter that could start a deployment for one case")
        with self._lock:
            self._check_open()
            deployment = self._start_with_adapter(wanted)
            self._exclusive += 1
        try:
            yield deployment
        except BaseException:
            with suppress(TargetError, Missing):  # what the case found must not be hidden by trouble afterwards
                self._release(deployment)
            raise
        self._release(deployment)

    def _release(self, deployment: Deployment) -> None:
        with self._lock:
            self._exclusive -= 1
            deployment.close()

    def close(self) -> None:
        """Close every connection and end the adapter, which stops what it started. May be called again.

        Raises RuntimeError when the chain itself failed on a call.
        """
        with self._lock:
            self._closed = True
            for deployment in self._warm.values():
                deployment.disconnect()
            self._warm.clear()
            if self._started_adapter is not None:
                self._started_adapter.close()
            chain, self._chain = self._chain, None
            if chain is not None:
                chain.stop()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the pool has been closed")

    def _adapter(self) -> Adapter:
        with self._lock:
            self._check_open()
            if self._started_adapter is None:
                program = self.source.adapter
                if program is None:
                    raise RuntimeError("this source has no adapter")
                self._started_adapter = Adapter(
                    program.argv, cwd=program.cwd, secret=self.source.token, deadlines_s=self._deadlines_s
                )
            return self._started_adapter

    def _start(self, wanted: Configuration) -> Deployment:
        given = self._given(wanted)
        if given is not None:
            return given
        return self._start_with_adapter(wanted)

    def _given(self, wanted: Configuration) -> Deployment | None:
        """Return a deployment over the endpoints of the source, None if an adapter has to start it."""
        endpoints = self.source.endpoints
        if wanted.control is None and endpoints:
            return self._over(wanted, endpoints)
        if wanted.control == _SECOND and len(endpoints) >= _PAIR:
            return self._over(wanted, endpoints[:_PAIR])
        if self.source.adapter is None:
            why = (
                f"the configuration {wanted.name} needs a second endpoint of the same deployment, but one is given"
                if wanted.control == _SECOND
                else f"the configuration {wanted.name} needs an adapter that starts such a deployment"
            )
            raise Missing(wanted.control or "endpoints", why)
        return None

    def _over(self, wanted: Configuration, endpoints: tuple[str, ...]) -> Deployment:
        controls = frozenset({_SECOND}) if len(endpoints) >= _PAIR else frozenset[str]()
        return Deployment(wanted.name, endpoints, token=self.source.token, controls=controls)

    def _start_with_adapter(self, wanted: Configuration) -> Deployment:
        adapter = self._adapter()
        hello = adapter.hello
        for control in (wanted.control, *wanted.further):
            if control is not None and control not in hello.controls:
                raise Missing(control, f"the adapter {hello.name} does not offer it")
        self._make_room(adapter)
        started = adapter.start(self._arguments(wanted))
        try:
            return self._opened(wanted, started, adapter)
        except BaseException:
            with suppress(TargetError, Missing):
                adapter.stop(started.deployment)
            raise

    def _arguments(self, wanted: Configuration) -> Mapping[str, object]:
        if not wanted.on_chain:
            return wanted.arguments
        return {**wanted.arguments, "chains": {self.chain.name: self.chain.url}}

    def _opened(self, wanted: Configuration, started: Started, adapter: Adapter) -> Deployment:
        asked = wanted.arguments.get("endpoints", 1)
        if isinstance(asked, int) and len(started.endpoints) < asked:
            raise TargetError(f"The adapter {adapter.hello.name} was asked for {asked} endpoints and started fewer.")
        return Deployment(
            wanted.name,
            started.endpoints,
            token=self.source.token,
            controls=adapter.hello.controls,
            adapter=adapter,
            handle=started.deployment,
        )

    def _make_room(self, adapter: Adapter) -> None:
        running = {name: deployment for name, deployment in self._warm.items() if deployment.started_here}
        most = adapter.hello.deployments
        while len(running) + self._exclusive >= most:
            if not running:
                raise Missing(_ROOM, f"the adapter {adapter.hello.name} runs at most {most} at a time")
            name = next(iter(running))
            del self._warm[name]
            running.pop(name).close()
