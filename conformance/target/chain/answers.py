"""What the stub can be told to answer, and when."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

INTERNAL_ERROR = -32603
LIMIT_EXCEEDED = -32005


@dataclass(frozen=True)
class Valid:
    """The signature is valid."""


@dataclass(frozen=True)
class Invalid:
    """The signature is not valid."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """A JSON-RPC result of any kind, such as `0x`."""

    value: object


@dataclass(frozen=True, kw_only=True)
class RpcError:
    """A JSON-RPC error. Codes 3, -32000 and -32015 can mean a revert, and so a verdict: others are outages."""

    code: int = INTERNAL_ERROR
    message: str = "the node is out of order"


@dataclass(frozen=True, kw_only=True)
class HttpStatus:
    """An HTTP response without JSON."""

    status: int = 500


@dataclass(frozen=True, kw_only=True)
class Garbage:
    """A response with status 200 whose body is not JSON."""

    body: bytes = b'{"jsonrpc": "2.0", "result"'


@dataclass(frozen=True)
class ClosedSocket:
    """No response: the connection is closed."""


Answer = Valid | Invalid | Result | RpcError | HttpStatus | Garbage | ClosedSocket


class Hold:
    """Keeps calls waiting from when they have arrived until they are released, or for `at_most_s` seconds."""

    def __init__(self, *, at_most_s: float) -> None:
        self.at_most_s = at_most_s
        self._reached = threading.Event()
        self._released = threading.Event()

    @property
    def reached(self) -> bool:
        """Whether a call has arrived here."""
        return self._reached.is_set()

    def wait_until_reached(self, timeout_s: float) -> bool:
        """Wait for a call to arrive, for at most so many seconds; tell whether one has."""
        return self._reached.wait(timeout_s)

    def release(self) -> None:
        """Let the calls go on, those to come too."""
        self._released.set()

    def arrive(self) -> None:
        """Be a call that waits."""
        self._reached.set()
        self._released.wait(self.at_most_s)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """An answer for the calls that match every condition given; a rule added later goes before it.

    `account` is 20 bytes, `block` the number of the block asked at. A `signature` matches with and without an ERC-6492
    wrapper. Without `methods` a rule with a condition is for eth_call, and one without any is for every method. None
    as `answer` leaves the answer as it would be, which serves to delay it. `delay_s` is in seconds.
    """

    answer: Answer | None = None
    account: bytes | None = None
    hash: bytes | None = None
    signature: bytes | None = None
    block: int | None = None
    methods: frozenset[str] | None = None
    delay_s: float = 0.0
    hold: Hold | None = field(default=None, repr=False)

    @property
    def has_condition(self) -> bool:
        """Whether it is about some questions only."""
        return any(value is not None for value in (self.account, self.hash, self.signature, self.block))
