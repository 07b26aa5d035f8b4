"""The rules a chain goes by, in the order in which they count, and the blocks it has."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from conformance.target.chain.answers import Answer, Invalid, RpcError, Rule, Valid
from conformance.target.chain.call_data import Asked, unwrapped

MOST_RULES = 10_000
CALL = "eth_call"
NO_SUCH_BLOCK = RpcError(code=-32000, message="header not found")


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What a call gets: its answer, and the rules that delay it. None leaves the answer to the method."""

    answer: Answer | None
    delaying: tuple[Rule, ...] = ()


class Script:
    """Rules and blocks of one chain. Safe to use from several threads.

    Blocks are `block_s` seconds apart; the newest, `head`, is of the time at which this was made.
    """

    def __init__(self, *, default: Callable[[Asked], bool], head: int, block_s: int) -> None:
        self.default = default
        self.block_s = block_s
        self._lock = threading.Lock()
        self._rules: list[Rule] = []
        self._codes: dict[bytes, bytes] = {}
        self._head = self._first_head = head
        self._head_time_s = int(time.time())

    @property
    def head(self) -> int:
        """The number of the newest block."""
        with self._lock:
            return self._head

    def move_head(self, number: int) -> None:
        """Have the chain grow, or shrink, to a newest block."""
        with self._lock:
            self._head_time_s += (number - self._head) * self.block_s
            self._head = number

    def time_of(self, number: int) -> int:
        """The time of a block, in whole seconds since the epoch, never before it."""
        with self._lock:
            return max(0, self._head_time_s - (self._head - number) * self.block_s)

    def add(self, rule: Rule) -> Rule:
        """Add a rule. Raises ValueError when there are too many."""
        with self._lock:
            if len(self._rules) >= MOST_RULES:
                raise ValueError(f"a chain goes by no more than {MOST_RULES} rules: drop some")
            self._rules.insert(0, rule)
        return rule

    def drop(self, rule: Rule) -> None:
        """Take a rule away again; one that is not there is no error."""
        with self._lock:
            self._rules = [other for other in self._rules if other is not rule]

    def forget(self) -> None:
        """Drop all rules and codes, and move the head back to where it was first."""
        self.move_head(self._first_head)
        with self._lock:
            self._rules.clear()
            self._codes.clear()

    def rules(self) -> tuple[Rule, ...]:
        """All rules, the one that counts most first."""
        with self._lock:
            return tuple(self._rules)

    def set_code(self, account: bytes, code: bytes) -> None:
        """Give an account code, or none."""
        with self._lock:
            self._codes[account] = code

    def code_of(self, account: bytes) -> bytes:
        """The code of an account: something, unless it was set otherwise, so that its signatures are asked for."""
        with self._lock:
            return self._codes.get(account, b"\xfe")

    def decide(self, method: str, asked: Asked | None, block: int | None) -> Decided:
        """Find what a call gets. A verdict needs a block that is there, unless a rule names the very block."""
        matching = [rule for rule in self.rules() if _matches(rule, method, asked, block)]
        first = next((rule for rule in matching if rule.answer is not None), None)
        delaying = tuple(rule for rule in matching if rule.delay_s or rule.hold)
        if first is not None and (first.block is not None or not isinstance(first.answer, Valid | Invalid)):
            return Decided(answer=first.answer, delaying=delaying)
        if asked is None:
            return Decided(answer=None if first is None else first.answer, delaying=delaying)
        if block is None or block > self.head:
            return Decided(answer=NO_SUCH_BLOCK, delaying=delaying)
        verdict = Valid() if self.default(asked) else Invalid()
        return Decided(answer=verdict if first is None else first.answer, delaying=delaying)


def _matches(rule: Rule, method: str, asked: Asked | None, block: int | None) -> bool:
    if rule.methods is not None and method not in rule.methods:
        return False
    if not rule.has_condition:
        # a verdict is an answer to nothing but a question
        return asked is not None or not isinstance(rule.answer, Valid | Invalid)
    return asked is not None and all(
        (
            rule.account in (None, asked.account),
            rule.hash in (None, asked.hash),
            rule.block in (None, block),
            rule.signature is None or rule.signature == asked.signature or unwrapped(rule.signature) == asked.inner,
        )
    )
