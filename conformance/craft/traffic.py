"""Plans of concurrent traffic: what several writers send and several readers ask, as pure data without identifiers.

Writers send requests of new envelopes, repeats of anybody's envelopes in other encodings, and now and then a request
with a malformed envelope in it, whose good ones are often sent again without it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded
from conformance.craft.malformed import MALFORMED
from conformance.craft.plans import PLAIN_FORM, Cast, EnvelopePlan, Repeat
from conformance.craft.strategies import UNSIGNED_KINDS
from conformance.craft.topics import Kind, topic_of

DEFECTS = ("payload-unset", "private-group-id-of-15-bytes", "welcome-version-unset", "commit-log-cut-in-last-field")
_ARMS = {Kind.GROUP_MESSAGE: "private", Kind.WELCOME: "inline", Kind.COMMIT_LOG: ""}
_SIZES = (0, 16, 64, 300)
_SENT_AGAIN = 0.6
_OTHER_FORM = 0.3
_RECENT = 0.2  # repeats reach back five envelopes on average: those are likely to be under way
_LIMITS_IN_TURN = 4


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What traffic to plan. `repeats`, `overlaps`, `broken` and `long` are the shares of such envelopes and requests.

    An overlapping request holds envelopes of the one planned before it, another writer's, in another order.
    A request has up to `largest` envelopes on up to `most_topics` topics, a long envelope `long_bytes` of payload and
    no other more. Writers that keep `in_step` begin their requests at the same moments. `endpoints` is their number,
    given to the clients in turn; `readers` names the style of each reader (see `ReaderPlan`), which names up to
    `read_topics` topics.
    """

    writers: int = 4
    requests: int = 8
    topics: int = 3
    kinds: Sequence[Kind] = UNSIGNED_KINDS
    largest: int = 4
    most_topics: int = 4
    read_topics: int = 6
    repeats: float = 0.15
    overlaps: float = 0.1
    broken: float = 0.05
    long: float = 0.1
    long_bytes: int = 2048
    in_step: bool = False
    endpoints: int = 1
    readers: Sequence[str] = ("follow", "whole", "newest", "newest-full")
    limits: Sequence[int] = (0, 1, 3, 50)


@dataclass(frozen=True, kw_only=True)
class RequestPlan:
    """One publish: which envelopes of the plan, in order, and how encoded.

    If it has to fail, one more with `defect` stands at index `broken_at`.
    """

    items: tuple[Repeat, ...]
    broken_at: int | None = None
    defect: str = ""


@dataclass(frozen=True, kw_only=True)
class ReaderPlan:
    """One reader: which topics it asks for, with which limits in turn, through which endpoint.

    `style` is `follow` (Query on from where the last page ended), `whole` (Query from the start), `newest` or
    `newest-full` (QueryNewest without and with payload).
    """

    style: str
    topics: tuple[int, ...]
    limits: tuple[int, ...]
    endpoint: int


@dataclass(frozen=True, kw_only=True)
class TrafficPlan:
    """All clients: the requests of each writer and its endpoint, and the readers.

    `topics` are the kinds and slots written to, `envelopes` all values that are sent, once or several times.
    """

    topics: tuple[tuple[Kind, int], ...]
    envelopes: tuple[EnvelopePlan, ...]
    writers: tuple[tuple[RequestPlan, ...], ...]
    endpoints: tuple[int, ...]
    readers: tuple[ReaderPlan, ...]
    in_step: bool


@dataclass(frozen=True, kw_only=True)
class Request:
    """One publish ready to be sent; `topics` names the topic of each envelope, None for a malformed one."""

    envelopes: tuple[bytes, ...] = field(repr=False)
    topics: tuple[bytes | None, ...]

    @property
    def is_broken(self) -> bool:
        """Whether a malformed envelope is among them, so that the request has to fail."""
        return None in self.topics


class _Planner:
    def __init__(self, choice: random.Random, shape: Shape) -> None:
        self.choice = choice
        self.shape = shape
        self.topics = tuple((shape.kinds[number % len(shape.kinds)], number) for number in range(shape.topics))
        self.envelopes: list[EnvelopePlan] = []
        self.before: tuple[Repeat, ...] = ()

    def request(self) -> RequestPlan:
        items = self.overlapping() if self.before and self.choice.random() < self.shape.overlaps else self.items()
        self.before = items
        if self.choice.random() >= self.shape.broken:
            return RequestPlan(items=items)
        place = self.choice.randint(0, len(items))
        return RequestPlan(items=items, broken_at=place, defect=self.choice.choice(DEFECTS))

    def overlapping(self) -> tuple[Repeat, ...]:
        count = self.choice.choice((len(self.before), self.choice.randint(1, len(self.before))))
        shared = self.choice.sample(self.before, count)
        slots = {self.envelopes[item.of].slot for item in shared}
        own = [self.new(slots) for _ in range(len(self.before) - len(shared))]
        return tuple(self.choice.sample([*shared, *own], len(shared) + len(own)))

    def items(self) -> tuple[Repeat, ...]:
        items: list[Repeat] = []
        slots: set[int] = set()
        for _ in range(self.choice.randint(1, self.shape.largest)):
            item = self.repeat() if self.envelopes and self.choice.random() < self.shape.repeats else None
            if item is None or len(slots | {self.envelopes[item.of].slot}) > self.shape.most_topics:
                item = self.new(slots)
            slots.add(self.envelopes[item.of].slot)
            items.append(item)
        return tuple(items)

    def repeat(self) -> Repeat:
        earlier = len(self.envelopes)
        back = min(int(self.choice.expovariate(_RECENT)), earlier - 1)
        form = self.choice.choice(tuple(FORMS)) if self.choice.random() < _OTHER_FORM else PLAIN_FORM
        return Repeat(of=earlier - 1 - back, form=form)

    def new(self, slots: set[int]) -> Repeat:
        full = len(slots) >= self.shape.most_topics
        kind, slot = self.choice.choice([topic for topic in self.topics if not full or topic[1] in slots])
        is_long = self.choice.random() < self.shape.long
        size = self.shape.long_bytes if is_long else min(self.choice.choice(_SIZES), self.shape.long_bytes)
        slots.add(slot)
        self.envelopes.append(EnvelopePlan(kind=kind, slot=slot, arm=_ARMS[kind], size=size))
        return Repeat(of=len(self.envelopes) - 1)

    def reader(self, number: int, style: str) -> ReaderPlan:
        most = min(len(self.topics), self.shape.read_topics)
        topics = self.choice.sample(range(len(self.topics)), self.choice.randint(1, most))
        limits = tuple(self.choice.choice(self.shape.limits) for _ in range(_LIMITS_IN_TURN))
        return ReaderPlan(style=style, topics=tuple(topics), limits=limits, endpoint=number % self.shape.endpoints)


def traffic_plan(choice: random.Random, shape: Shape) -> TrafficPlan:
    """Plan traffic of a shape; everything follows from `choice`."""
    planner = _Planner(choice, shape)
    writers: list[list[RequestPlan]] = [[] for _ in range(shape.writers)]
    for _ in range(shape.requests):
        for requests in writers:
            request = planner.request()
            requests.append(request)
            if request.broken_at is not None and choice.random() < _SENT_AGAIN:
                requests.append(RequestPlan(items=request.items))
    return TrafficPlan(
        topics=planner.topics,
        envelopes=tuple(planner.envelopes),
        writers=tuple(map(tuple, writers)),
        endpoints=tuple(number % shape.endpoints for number in range(shape.writers)),
        readers=tuple(planner.reader(number, style) for number, style in enumerate(shape.readers)),
        in_step=shape.in_step,
    )


class Played:
    """A plan with identifiers of its own: the requests of each writer, and the topics."""

    def __init__(self, plan: TrafficPlan, draw: Draw) -> None:
        self.plan = plan
        self._draw = draw
        cast = Cast(draw)
        self.topics = tuple(cast.topic(kind, slot) for kind, slot in plan.topics)
        self._envelopes = [cast.envelope(envelope) for envelope in plan.envelopes]
        self.requests = tuple(tuple(self._request(request) for request in requests) for requests in plan.writers)

    def _request(self, request: RequestPlan) -> Request:
        chosen = [self._envelopes[item.of] for item in request.items]
        envelopes = [
            encoded(envelope) if item.form == PLAIN_FORM else encoded(envelope, FORMS[item.form])
            for item, envelope in zip(request.items, chosen, strict=True)
        ]
        topics: list[bytes | None] = [topic_of(envelope) for envelope in chosen]
        if request.broken_at is not None:
            envelopes.insert(request.broken_at, MALFORMED[request.defect].build(self._draw).broken)
            topics.insert(request.broken_at, None)
        return Request(envelopes=tuple(envelopes), topics=tuple(topics))
