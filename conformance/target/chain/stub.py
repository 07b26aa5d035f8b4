"""The chain stub as a test uses it: an address to give to a deployment, rules to set, and the calls it has had."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from conformance.target.chain.answers import Answer, Hold, Invalid, Rule, Valid
from conformance.target.chain.call_data import Asked
from conformance.target.chain.calls import Calls, ChainCall
from conformance.target.chain.honest import honest
from conformance.target.chain.rpc import Rpc
from conformance.target.chain.script import Script
from conformance.target.chain.server import LOOPBACK, ChainServer
from conformance.target.errors import TargetError

LOCAL_CHAIN = 31337
FIRST_HEAD = 1000
BLOCK_S = 1
LONGEST_HOLD_S = 30.0


class ChainStub:
    """A node of one chain that answers as it was told. Use it in a `with`; rules can be set at any time.

    Without a rule `default` gives the verdict: by default the true one for an account without code. The chain has
    blocks 0 to `head`, `block_s` seconds apart, the newest of now. Safe to use from several threads.
    """

    def __init__(
        self,
        *,
        chain_id: int = LOCAL_CHAIN,
        head: int = FIRST_HEAD,
        block_s: int = BLOCK_S,
        default: Callable[[Asked], bool] = honest,
    ) -> None:
        self.chain_id = chain_id
        self._stopping = threading.Event()
        self._holds: list[Hold] = []
        self._script = Script(default=default, head=head, block_s=block_s)
        self._calls = Calls()
        self._rpc = Rpc(chain_id=chain_id, script=self._script, calls=self._calls, wait=self._stopping.wait)
        try:
            self._server = ChainServer(self._rpc.respond)
        except OSError as error:
            raise TargetError(f"The chain stub cannot listen on {LOOPBACK}: {error.strerror}.") from None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def name(self) -> str:
        """The chain as accounts name it: `eip155:31337` by default."""
        return f"eip155:{self.chain_id}"

    @property
    def url(self) -> str:
        """Where its JSON-RPC is served."""
        return f"http://{LOOPBACK}:{self._server.port}"

    @property
    def head(self) -> int:
        """The number of the newest block."""
        return self._script.head

    @property
    def calls(self) -> tuple[ChainCall, ...]:
        """The calls it has had, as far as they are kept, in the order they arrived."""
        return self._calls.kept()

    @property
    def total_calls(self) -> int:
        """How many calls it has had."""
        return self._calls.total

    def says(
        self,
        valid: bool,
        *,
        account: str | None = None,
        hash: bytes | None = None,  # noqa: A002 - what the question calls it
        signature: bytes | None = None,
        block: int | None = None,
    ) -> Rule:
        """Give this verdict on the questions that match: `account` is an address, `block` the number asked at."""
        return self.rule(
            Rule(
                answer=Valid() if valid else Invalid(),
                account=None if account is None else _address(account),
                hash=hash,
                signature=signature,
                block=block,
            )
        )

    def fails(
        self,
        how: Answer,
        *,
        account: str | None = None,
        signature: bytes | None = None,
        methods: Iterable[str] | None = None,
    ) -> Rule:
        """Answer in this way: calls about an account or a signature, calls of some methods, or all calls."""
        return self.rule(
            Rule(
                answer=how,
                account=None if account is None else _address(account),
                signature=signature,
                methods=None if methods is None else frozenset(methods),
            )
        )

    def delays(self, delay_s: float, *, account: str | None = None, signature: bytes | None = None) -> Rule:
        """Let so many seconds pass before answering as otherwise."""
        address = None if account is None else _address(account)
        return self.rule(Rule(delay_s=delay_s, account=address, signature=signature))

    def rule(self, rule: Rule) -> Rule:
        """Add a rule, which goes before all others; ValueError when there are too many."""
        return self._script.add(rule)

    def drop(self, rule: Rule) -> None:
        """Take a rule away again."""
        self._script.drop(rule)

    @contextmanager
    def holding(
        self, *, account: str | None = None, signature: bytes | None = None, at_most_s: float = LONGEST_HOLD_S
    ) -> Iterator[Hold]:
        """Keep calls waiting until the hold is released or the block ends, for at most so many seconds each."""
        hold = Hold(at_most_s=at_most_s)
        self._holds.append(hold)
        address = None if account is None else _address(account)
        rule = self.rule(Rule(hold=hold, account=address, signature=signature))
        try:
            yield hold
        finally:
            hold.release()
            self.drop(rule)
            self._holds.remove(hold)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules it goes by, the one that counts most first."""
        return self._script.rules()

    def set_code(self, account: str, code: bytes) -> None:
        """Give an account code, or none; by default every account has some."""
        self._script.set_code(_address(account), code)

    def move_head(self, number: int) -> None:
        """Have the chain grow, or shrink, to this newest block."""
        self._script.move_head(number)

    def wait_for_call(self, wanted: Callable[[ChainCall], bool], timeout_s: float) -> ChainCall | None:
        """Wait for a call as wanted, also one that is there already; None after so many seconds without."""
        return self._calls.wait_for(wanted, timeout_s)

    def forget(self) -> None:
        """Be as new again: no rules, no code set, the head where it was first. The calls it has had stay noted."""
        self._script.forget()

    def start(self) -> None:
        """Begin to serve."""
        self._server.start()

    def stop(self) -> None:
        """Let all that waits go on, cut the connections and stop.

        Raises RuntimeError when the stub itself failed on a call.
        """
        self._stopping.set()
        for hold in tuple(self._holds):
            hold.release()
        self._server.stop()
        if self._server.problems:
            raise RuntimeError(f"the chain stub failed:\n{self._server.problems[0]}")


def _address(account: str) -> bytes:
    return bytes.fromhex(account.removeprefix("0x"))
