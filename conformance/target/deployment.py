"""A deployment under test: its endpoints, its limits, and the controls to disturb it."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from conformance.target.adapter import Adapter
from conformance.target.address import parse_address
from conformance.target.answers import Configured
from conformance.target.errors import Missing, TargetError
from conformance.target.limits import Limits
from conformance.target.node import Node
from conformance.target.probe import probe
from conformance.target.refusals import UnexpectedAnswer
from conformance.wire import methods
from conformance.wire.channel import Connection
from conformance.wire.text import printable
from conformance.wire.transcript import Code

_CONFIGURATION_S = 10.0
_CREDENTIAL = frozenset({Code.UNAUTHENTICATED, Code.PERMISSION_DENIED})


class Deployment:
    """One or more endpoints over one store. Safe to use from several threads.

    Making one probes every endpoint and reads the published limits; it raises TargetError with one sentence when that
    fails. `adapter` and `handle` (its name for this deployment) are there when an adapter started it; a control that
    is not in `controls` raises Missing.
    """

    def __init__(
        self,
        configuration: str,
        endpoints: Sequence[str],
        *,
        token: str | None = None,
        controls: frozenset[str] = frozenset(),
        adapter: Adapter | None = None,
        handle: str | None = None,
    ) -> None:
        self.configuration = configuration
        self.controls = controls
        self._token = token
        self._adapter = adapter
        self._handle = handle
        self._lock = threading.Lock()
        self._fresh: list[Connection] = []
        addresses = tuple(parse_address(endpoint) for endpoint in endpoints)
        for address in addresses:
            probe(address)
        self._connections = tuple(Connection(address, token=token) for address in addresses)
        try:
            self.limits = _published_limits(self._connections[0], token)
        except BaseException:
            self.disconnect()
            raise

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The addresses of the endpoints, "host:port"."""
        return tuple(connection.address for connection in self._connections)

    @property
    def started_here(self) -> bool:
        """Whether an adapter started it for this run, and has not stopped it yet."""
        return self._adapter is not None

    def node(self, endpoint: int = 0) -> Node:
        """Return the verbs of an endpoint, over the connection that all its users share. Raises Missing."""
        return Node(self._connection(endpoint), self.limits)

    def fresh_node(self, endpoint: int = 0) -> Node:
        """Return the verbs of an endpoint over a TCP connection of its own; it ends with the deployment."""
        connection = Connection(self._connection(endpoint).address, token=self._token, fresh=True)
        with self._lock:
            self._fresh.append(connection)
        return Node(connection, self.limits)

    def store_hold(self) -> None:
        """Make the next publish stop between the allocation of its ids and its commit. Raises Missing."""
        adapter, handle = self._control("store-hold")
        adapter.store(handle, "hold")

    def store_is_holding(self) -> bool:
        """Tell whether a publish stands held at this moment. Raises Missing."""
        adapter, handle = self._control("store-hold")
        return bool(adapter.store(handle, "status").get("held", False))

    def store_release(self) -> bool:
        """End a hold; return whether a publish was really held by it. Raises Missing."""
        adapter, handle = self._control("store-hold")
        return bool(adapter.store(handle, "release").get("held", False))

    def clock_offset(self, milliseconds: int) -> None:
        """Set the clock of the backend and its store so far ahead of what it is unmoved, behind when negative.

        Only on a deployment that one case has for itself (`Pool.exclusive`). Raises Missing.
        """
        adapter, handle = self._control("clock")
        adapter.clock(handle, milliseconds)

    def kill(self, endpoint: int = 0) -> None:
        """Kill an endpoint without warning; its store survives. Raises Missing."""
        adapter, handle = self._control("kill")
        connection = self._connection(endpoint)
        connection.reconnect(parse_address(adapter.kill(handle, endpoint)))

    def restart(self, endpoint: int = 0, **settings: object) -> None:
        """Restart an endpoint, or start it after `kill`, with changed `settings` (limits, retention, timers) if any.

        Nodes handed out before go on over a new connection; their limits stay as they were. Raises Missing.
        """
        adapter, handle = self._control("restart")
        connection = self._connection(endpoint)
        connection.reconnect(parse_address(adapter.restart(handle, endpoint, settings)))
        if settings:
            self.limits = _published_limits(connection, self._token)

    def close(self) -> None:
        """Close every connection; have the adapter stop the deployment if it started it. May be called again."""
        self.disconnect()
        adapter, handle, self._adapter = self._adapter, self._handle, None
        if adapter is not None and handle is not None:
            adapter.stop(handle)

    def disconnect(self) -> None:
        """Close every connection and leave the deployment itself running. May be called again."""
        with self._lock:
            for connection in (*self._connections, *self._fresh):
                connection.close()
            self._fresh.clear()

    def _connection(self, endpoint: int) -> Connection:
        if not 0 <= endpoint < len(self._connections):
            raise Missing("second-endpoint", f"endpoint {endpoint} is asked for, but there are {len(self.endpoints)}")
        return self._connections[endpoint]

    def _control(self, control: str) -> tuple[Adapter, str]:
        if self._adapter is None or self._handle is None:
            raise Missing(control, "no adapter has started this deployment")
        if control not in self.controls:
            raise Missing(control, f"the adapter {self._adapter.hello.name} does not offer it")
        return self._adapter, self._handle


def _published_limits(connection: Connection, token: str | None) -> Limits:
    """Ask for the configuration. A target that answers it unlawfully is tested with the contract's defaults."""
    answer = Configured(call=connection.unary(methods.GET_CONFIGURATION, b"", deadline_s=_CONFIGURATION_S))
    status = answer.status
    told = f'{status.code.name} "{printable(status.message)}"'
    if status.local or status.code in {Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED}:
        raise TargetError(f"{connection.address} does not answer GetConfiguration ({told}): is the backend up?")
    if status.code in _CREDENTIAL:
        advice = (
            "name a variable with a token as token_env" if token is None else "check the token that token_env names"
        )
        raise TargetError(f"{connection.address} refuses GetConfiguration ({told}): {advice} in deployment.toml.")
    if status.code is not Code.OK:
        return Limits.unpublished()
    try:
        return answer.limits
    except UnexpectedAnswer:
        return Limits.unpublished()
