"""Clients at work at the same time, each a thread that sends one call after the other; every call is kept.

Writers send what they were given; readers ask over and over until the writers have ended. At the end every topic is
read from its start to its end through every endpoint. Nothing sleeps, and no status stops anybody.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import TypeAlias

from conformance.target.answers import Newest, Page, Published
from conformance.target.errors import Undecided
from conformance.target.node import MOST_PAGES, Node, Position
from conformance.target.refusals import UnexpectedStatus
from conformance.target.together import together

# Seconds after which writers send no more: a target this slow is not raced.
PATIENCE_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Writer:
    """A client that publishes `requests`, one after the other."""

    name: str
    node: Node
    requests: Sequence[Sequence[bytes]]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A client that asks for `topics` again and again, with `limits` in turn.

    `style` is `follow` (Query from where the last page ended), `whole` (Query from the start), `newest` or
    `newest-full` (QueryNewest without and with payload).
    """

    name: str
    node: Node
    topics: Sequence[bytes]
    style: str
    limits: Sequence[int] = (0,)


@dataclass(frozen=True, kw_only=True)
class Wrote:
    """One publish: the envelopes as sent, and the answer. `place` is its index among the writer's requests."""

    client: str
    place: int
    sent: tuple[bytes, ...] = field(repr=False)
    answer: Published


@dataclass(frozen=True, kw_only=True)
class Queried:
    """One Query: the positions and the limit asked for, and the answer."""

    client: str
    positions: tuple[Position, ...]
    asked: int
    answer: Page


@dataclass(frozen=True, kw_only=True)
class AskedNewest:
    """One QueryNewest and the answer."""

    client: str
    topics: tuple[bytes, ...]
    full: bool
    answer: Newest


Done: TypeAlias = Wrote | Queried | AskedNewest


class _Shift:
    """Counts the writers at work; nobody starts a request when patience has run out."""

    def __init__(self, writers: Sequence[Writer], patience_s: float, *, in_step: bool) -> None:
        self._lock = threading.Lock()
        self._working = len(writers)
        self._end = time.monotonic() + patience_s
        self._step = threading.Barrier(len(writers), timeout=patience_s) if in_step else None
        self.rounds = max((len(writer.requests) for writer in writers), default=0)

    def wait(self) -> None:
        """Wait for the other writers before the next request, when all keep in step."""
        if self._step is not None:
            with suppress(threading.BrokenBarrierError):  # one of them has ended for good: nobody waits any longer
                self._step.wait()

    def over(self) -> bool:
        """Tell whether every writer has ended."""
        with self._lock:
            return self._working == 0

    def late(self) -> bool:
        """Tell whether patience has run out."""
        return time.monotonic() >= self._end

    def leave(self) -> None:
        """End the work of one writer."""
        with self._lock:
            self._working -= 1
        if self._step is not None:
            self._step.abort()


def play(
    writers: Sequence[Writer],
    readers: Sequence[Reader],
    topics: Sequence[bytes],
    *,
    in_step: bool = False,
    patience_s: float = PATIENCE_S,
) -> tuple[Done, ...]:
    """Let all clients work at the same time, then read `topics` through each of their endpoints.

    Writers that keep `in_step` wait for each other before every request, so that those race whatever came before.
    Returns everything that was done, client by client, the last reads after all else. Raises UnexpectedAnswer for an
    answer that cannot be read, and Undecided when the writers do not end within `patience_s` seconds.
    """
    shift = _Shift(writers, patience_s, in_step=in_step)
    clients: list[Callable[[], list[Done]]] = [partial(_write, writer, shift) for writer in writers]
    clients += [partial(_read, reader, shift) for reader in readers]
    done = [each for work in together(*clients) for each in work]
    if shift.late():
        raise Undecided(f"The writers had not ended after {patience_s:g} s.")
    every_node = [*(writer.node for writer in writers), *(reader.node for reader in readers)]
    nodes = {node.connection.address: node for node in every_node}
    for address, node in nodes.items():
        for topic in topics:
            done += _to_the_end(f"last reader of {address}", node, topic)
    return tuple(done)


def _write(writer: Writer, shift: _Shift) -> list[Done]:
    done: list[Done] = []
    try:
        for place in range(shift.rounds):
            shift.wait()
            if shift.late():
                break
            if place >= len(writer.requests):
                continue
            envelopes = writer.requests[place]
            answer = writer.node.publish(*envelopes)
            done.append(Wrote(client=writer.name, place=place, sent=tuple(envelopes), answer=answer))
    finally:
        shift.leave()
    return done


def _read(reader: Reader, shift: _Shift) -> list[Done]:
    asking = _newest(reader) if reader.style.startswith("newest") else _pages(reader)
    done: list[Done] = []
    over = False
    # one more once the writers have ended
    while not over:
        over = shift.over()
        done.append(next(asking))
    return done


def _newest(reader: Reader) -> Iterator[Done]:
    topics, full = tuple(reader.topics), reader.style == "newest-full"
    while True:
        answer = reader.node.newest(*topics, full=full)
        yield AskedNewest(client=reader.name, topics=topics, full=full, answer=answer)


def _pages(reader: Reader) -> Iterator[Done]:
    cursors = dict.fromkeys(reader.topics, 0)
    for limit in cycle(reader.limits):
        positions = tuple(Position(topic, cursor) for topic, cursor in cursors.items())
        page = reader.node.query(*positions, limit=limit)
        yield Queried(client=reader.name, positions=positions, asked=limit, answer=page)
        if reader.style == "follow":
            _advance(cursors, page)


def _to_the_end(client: str, node: Node, topic: bytes) -> Iterator[Done]:
    cursors, limit = {topic: 0}, node.limits.max_query_limit
    for _ in range(MOST_PAGES):
        positions = (Position(topic, cursors[topic]),)
        page = node.query(*positions, limit=limit)
        yield Queried(client=client, positions=positions, asked=limit, answer=page)
        before = cursors[topic]
        _advance(cursors, page)
        if cursors[topic] == before or not page.has_more:
            return


def _advance(cursors: dict[bytes, int], page: Page) -> None:
    with suppress(UnexpectedStatus, Undecided):  # a Query that failed shows nothing
        for seen in page.seen:
            if seen.meta.topic in cursors:
                cursors[seen.meta.topic] = max(cursors[seen.meta.topic], seen.meta.sequence_id)
