"""The registrations of a stream as its own frames tell them: opened by an Applied, closed by that of a removal.

One walk over the frames in their order. What an Applied of an unknown or repeated id would mean is not guessed: it
changes nothing, and the rules about acknowledgements report it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.oracle.frames.reading import Add, Applied, Messages, NothingSent, Reading, Started, Target, Update
from conformance.oracle.frames.validity import Problem, problem_with, problem_with_static
from conformance.wire.transcript import Meta


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """One envelope of one Messages frame."""

    place: int
    at_ns: int
    meta: Meta


@dataclass(kw_only=True)
class Registration:
    """A topic from the frame that acknowledges it (`place`) to the one that acknowledges its removal (`until`).

    `again` when the topic had been registered on the stream before. `readded` are places of later Updates that add it
    once more, `removal` that of the Update sent to remove it. `target` is None when the backend listed none.
    """

    topic: bytes
    cursor: int
    target: int | None
    place: int
    at_ns: int
    requested: int
    again: bool = False
    readded: list[int] = field(default_factory=list)
    removal: int | None = None
    until: int | None = None
    deliveries: list[Delivery] = field(default_factory=list)

    @property
    def history(self) -> list[Delivery]:
        """The deliveries at or below the target."""
        return [each for each in self.deliveries if each.meta.sequence_id <= (self.target or 0)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stray:
    """An envelope delivered while its topic was not registered, and what is known about that."""

    delivery: Delivery
    removed_at: int | None
    awaited: int | None
    refused: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Acknowledged:
    """An Applied, the Update it belongs to (None: no such was sent) and the topics that one newly registered."""

    applied: Applied
    update: Update | None
    problem: Problem | None = None
    new: tuple[bytes, ...] = ()
    skipped: tuple[int, ...] = ()
    repeated: bool = False


@dataclass(kw_only=True)
class Walked:
    """What a walk over the frames shows. `problems` has the place of each invalid request frame."""

    registrations: list[Registration] = field(default_factory=list)
    strays: list[Stray] = field(default_factory=list)
    acknowledged: list[Acknowledged] = field(default_factory=list)
    problems: dict[int, Problem] = field(default_factory=dict)
    unanswered: list[Update] = field(default_factory=list)


def walk(reading: Reading) -> Walked:
    """Follow the registrations of a stream through its frames."""
    walker = _Walker(reading)
    for event in reading.events:
        if isinstance(event, Update | NothingSent):
            walker.requested(event)
        elif isinstance(event, Applied):
            walker.applied(event)
        elif isinstance(event, Started):
            walker.started(event)
        elif isinstance(event, Messages):
            walker.messages(event)
    walker.walked.unanswered = walker.sound_waiting()
    return walker.walked


class _Walker:
    def __init__(self, reading: Reading) -> None:
        self.static = reading.static
        self.walked = Walked()
        self.waiting: list[Update] = []
        self.done: dict[int, Update] = {}
        self.accepted = 0
        self.active: dict[bytes, Registration] = {}
        self.ended: dict[bytes, Registration] = {}

    def requested(self, request: Update | NothingSent) -> None:
        problem = problem_with_static(request) if self.static else problem_with(request, accepted=self.accepted)
        if problem is not None:
            self.walked.problems[request.place] = problem
        if not isinstance(request, Update):
            return
        self.waiting.append(request)
        if problem is None and not self.static:
            self.accepted = request.id
            for topic in request.removes:
                registration = self.active.get(topic or b"")
                if registration is not None and registration.removal is None:
                    registration.removal = request.place

    def started(self, started: Started) -> None:
        if not (self.static and self.waiting):
            return
        request = self.waiting.pop(0)
        targets = _by_topic(started.targets or ())
        for add in request.adds:
            if add.topic is not None and add.topic not in self.active:
                self._register(add, targets, started, request)

    def applied(self, applied: Applied) -> None:
        update = next((each for each in self.waiting if each.id == applied.id), None)
        if update is None:
            repeated = applied.id in self.done
            self.walked.acknowledged.append(
                Acknowledged(applied=applied, update=self.done.get(applied.id), repeated=repeated)
            )
            return
        skipped = self.waiting[: self.waiting.index(update)]
        del self.waiting[: len(skipped) + 1]
        for each in skipped:
            self._apply(each, applied)
        new = self._apply(update, applied)
        self.done[update.id] = update
        self.walked.acknowledged.append(
            Acknowledged(
                applied=applied,
                update=update,
                problem=self.walked.problems.get(update.place),
                new=new,
                skipped=tuple(each.place for each in skipped if each.place not in self.walked.problems),
            )
        )

    def messages(self, messages: Messages) -> None:
        for meta in messages.metas:
            delivery = Delivery(place=messages.place, at_ns=messages.at_ns, meta=meta)
            registration = self.active.get(meta.topic)
            if registration is None:
                self.walked.strays.append(self._stray(delivery))
            else:
                registration.deliveries.append(delivery)

    def _apply(self, update: Update, applied: Applied) -> tuple[bytes, ...]:
        """Carry an Update out; an invalid one changes nothing (API-251)."""
        if update.place in self.walked.problems:
            return ()
        targets, new = _by_topic(applied.targets), []
        for topic in update.removes:
            registration = self.active.pop(topic or b"", None)
            if registration is not None:
                registration.until = applied.place
                self.ended[registration.topic] = registration
        for add in update.adds:
            topic = add.topic or b""
            if topic in self.active:
                self.active[topic].readded.append(update.place)
            else:
                self._register(add, targets, applied, update)
                new.append(topic)
        return tuple(new)

    def _register(self, add: Add, targets: Mapping[bytes, int], by: Started | Applied, update: Update) -> None:
        topic = add.topic or b""
        registration = Registration(
            topic=topic,
            cursor=add.cursor,
            target=targets.get(topic),
            place=by.place,
            at_ns=by.at_ns,
            requested=update.place,
            again=topic in self.ended,
            removal=next((each.place for each in self.sound_waiting() if topic in each.removes), None),
        )
        self.active[topic] = registration
        self.walked.registrations.append(registration)

    def sound_waiting(self) -> list[Update]:
        """Give the valid Updates that have no Applied yet, in their order."""
        return [update for update in self.waiting if update.place not in self.walked.problems]

    def _stray(self, delivery: Delivery) -> Stray:
        topic = delivery.meta.topic
        naming = [each for each in self.waiting if topic in [add.topic for add in each.adds]]
        wrong = self.walked.problems
        removed = self.ended.get(topic)
        return Stray(
            delivery=delivery,
            removed_at=removed.until if removed else None,
            awaited=next((each.place for each in naming if each.place not in wrong), None),
            refused=next((each.place for each in naming if each.place in wrong), None),
        )


def _by_topic(targets: tuple[Target, ...]) -> dict[bytes, int]:
    return {target.topic: target.through for target in targets}
