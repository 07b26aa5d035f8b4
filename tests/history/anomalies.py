"""Ways to break a lawful history: each takes one and gives one that no conforming backend can have, or None.

None means that the history holds nothing that can be broken that way. Each does one wrong thing and leaves the rest.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.oracle.history.events import Newest, Operation, Outcome, Publish, Query, ReadFrom, Sent, Shown
from conformance.wire.transcript import Code, Meta

History = list[Operation]
Plant = Callable[[History, random.Random], "History | None"]
_LATE = 10_000_000_000


@dataclass(frozen=True, kw_only=True)
class Anomaly:
    """A plant, and the invariants and reasons by which the checker may name what it did.

    With `alone` it breaks nothing else, so nothing else may be found.
    """

    plant: Plant
    invariants: frozenset[str]
    reasons: frozenset[str]
    alone: bool


def _publishes(history: Sequence[Operation], *outcomes: Outcome) -> list[tuple[int, Publish]]:
    return [
        (number, each)
        for number, each in enumerate(history)
        if isinstance(each, Publish) and (not outcomes or each.outcome in outcomes)
    ]


def _carriers(history: Sequence[Operation]) -> dict[bytes, list[Publish]]:
    """Give the publishes that carried each value."""
    found: dict[bytes, list[Publish]] = {}
    for _, publish in _publishes(history):
        for sent in dict.fromkeys(publish.sent):
            found.setdefault(sent.digest, []).append(publish)
    return found


def _single(history: Sequence[Operation]) -> list[tuple[Publish, Sent, Meta]]:
    """Every receipt of a value that one publish alone carried, and once."""
    carriers = _carriers(history)
    return [
        (publish, sent, meta)
        for _, publish in _publishes(history, Outcome.STORED)
        for sent, meta in zip(publish.sent, publish.metas, strict=True)
        if publish.sent.count(sent) == 1 and len(carriers[sent.digest]) == 1
    ]


def _pages(history: Sequence[Operation]) -> list[tuple[int, Query]]:
    return [(n, q) for n, q in enumerate(history) if isinstance(q, Query) and q.status is Code.OK]


def _ids(query: Query, topic: bytes) -> list[int]:
    return [shown.meta.sequence_id for shown in query.page if shown.meta.topic == topic]


def _without(history: History, ids: Iterable[int], *, since: int = 0) -> History:
    """Take ids out of every read that began at or after an instant."""
    gone = set(ids)

    def kept(answer: tuple[Shown, ...]) -> tuple[Shown, ...]:
        return tuple(shown for shown in answer if shown.meta.sequence_id not in gone)

    changed: History = []
    for each in history:
        if each.invoked_ns >= since and isinstance(each, Query):
            changed.append(_shortened(each, kept(each.page)))
        elif each.invoked_ns >= since and isinstance(each, Newest):
            changed.append(replace(each, results=kept(each.results)))
        else:
            changed.append(each)
    return changed


def _shortened(query: Query, page: tuple[Shown, ...]) -> Query:
    """Give a Query fewer envelopes, as if its limit had been as much lower."""
    return replace(query, page=page, limit=max(1, query.limit - len(query.page) + len(page)))


def _metas_changed(history: History, changes: Mapping[int, Callable[[Meta], Meta]]) -> History:
    """Change the metadata of an id wherever it is shown; pages are put in order again."""

    def changed(meta: Meta) -> Meta:
        change = changes.get(meta.sequence_id)
        return meta if change is None else change(meta)

    def shown(answer: tuple[Shown, ...]) -> tuple[Shown, ...]:
        rows = [replace(each, meta=changed(each.meta)) for each in answer]
        return tuple(sorted(rows, key=lambda row: row.meta.sequence_id))

    whole: History = []
    for each in history:
        if isinstance(each, Publish):
            whole.append(replace(each, metas=tuple(map(changed, each.metas))))
        elif isinstance(each, Query):
            whole.append(replace(each, page=shown(each.page)))
        else:
            whole.append(replace(each, results=shown(each.results)))
    return whole


def _replaced(history: History, number: int, operation: Operation) -> History:
    return [*history[:number], operation, *history[number + 1 :]]


def _shown_late(history: History, meta: Meta, digest: bytes) -> History:
    """Let a last read, at a later time, show one more envelope."""
    end = max(each.completed_ns for each in history) + _LATE
    shown = Shown(meta=meta, digest=digest)
    read = Newest(
        client="late", endpoint="host:0", invoked_ns=end, completed_ns=end + 1, topics=(meta.topic,), full=True,
        results=(shown,),
    )  # fmt: skip
    return [*history, read]


def _whole_read(history: History, topic: bytes, rows: Sequence[Shown]) -> Query:
    """Make a last read of a whole topic, at a later time."""
    end = max(each.completed_ns for each in history) + _LATE
    return Query(
        client="late",
        endpoint="host:0",
        invoked_ns=end,
        completed_ns=end + 1,
        positions=(ReadFrom(topic=topic),),
        limit=len(rows) + 1,
        page=tuple(rows),
    )


def lost_write(history: History, choice: random.Random) -> History | None:
    """A confirmed envelope is in no read."""
    found = _single(history)
    if not found:
        return None
    _, sent, meta = choice.choice(found)
    left = [shown for shown in _last_seen(history, sent.topic) if shown.digest != sent.digest]
    return [*_without(history, [meta.sequence_id]), _whole_read(history, sent.topic, left)]


def _last_seen(history: History, topic: bytes) -> list[Shown]:
    """Give every envelope of a topic that a Query has shown, in order."""
    every = {s.meta.sequence_id: s for _, q in _pages(history) for s in q.page if s.meta.topic == topic}
    return [shown for _, shown in sorted(every.items())]


def stale_query(history: History, choice: random.Random) -> History | None:
    """A Query misses the end of a topic, all of it confirmed long before."""
    ready = []
    found = _single(history)
    for number, query in _pages(history):
        for publish, _, meta in found:
            ids = _ids(query, meta.topic)
            if ids and ids[-1] == meta.sequence_id and publish.completed_ns < query.invoked_ns and not query.has_more:
                ready.append((number, query, meta))
    if not ready:
        return None
    number, query, meta = choice.choice(ready)
    page = tuple(shown for shown in query.page if shown.meta != meta)
    return _replaced(history, number, replace(query, page=page, limit=query.limit + 1))


def late_insert(history: History, choice: random.Random) -> History | None:
    """An envelope gets an id between two that a page had shown before anybody saw it."""
    taken = _ids_shown(history)
    ready = []
    runs = _runs(history)
    for publish, _, meta in _single(history):
        first = min(each.completed_ns for each in history if _shows(each, meta.sequence_id))
        for _, query, ids in runs:
            if len(ids) > 1 and query.completed_ns < first and publish.completed_ns > query.completed_ns:
                free = set(range(ids[0], ids[-1])) - taken
                if free and query.positions[0].topic == meta.topic and _ids(query, meta.topic) == ids:
                    ready.append((meta, sorted(free)))
    if not ready:
        return None
    meta, free_ids = choice.choice(ready)
    number = choice.choice(free_ids)
    return _metas_changed(history, {meta.sequence_id: lambda m: replace(m, sequence_id=number)})


def _ids_shown(history: History) -> set[int]:
    taken = {m.sequence_id for _, p in _publishes(history) for m in p.metas}
    return taken | {s.meta.sequence_id for _, q in _pages(history) for s in q.page}


def _runs(history: History) -> list[tuple[int, Query, list[int]]]:
    return [
        (number, query, _ids(query, position.topic))
        for number, query in _pages(history)
        for position in query.positions
    ]


def _often_read(history: History) -> set[int]:
    """Give the ids that more than one Query has shown."""
    counts = Counter(s.meta.sequence_id for _, q in _pages(history) for s in q.page)
    return {number for number, count in counts.items() if count > 1}


def hole(history: History, choice: random.Random) -> History | None:
    """A page leaves out an id between two others that another page shows."""
    often = _often_read(history)
    ready = [(number, query, each) for number, query, ids in _runs(history) for each in ids[:-1] if each in often]
    if not ready:
        return None
    number, query, missing = choice.choice(ready)
    page = tuple(shown for shown in query.page if shown.meta.sequence_id != missing)
    return _replaced(history, number, _shortened(query, page))


def half_a_request(history: History, choice: random.Random) -> History | None:
    """A page shows the higher of two envelopes of one publish and topic, and not the lower (H13)."""
    ready = []
    carriers, runs, often = _carriers(history), _runs(history), _often_read(history)
    for _, publish in _publishes(history, Outcome.STORED):
        if any(len(carriers[sent.digest]) > 1 for sent in publish.sent):
            continue
        for number, query, ids in runs:
            own = sorted({m.sequence_id for m in publish.metas} & set(ids))
            if len(own) > 1 and own[0] in often:
                ready.append((number, query, own))
    if not ready:
        return None
    number, query, own = choice.choice(ready)
    page = tuple(shown for shown in query.page if shown.meta.sequence_id != own[0])
    return _replaced(history, number, _shortened(query, page))


def reorder(history: History, choice: random.Random) -> History | None:
    """A publish gets an id below one that had been seen before it began."""
    taken = _ids_shown(history)
    ready = []
    publishes = _publishes(history)
    for publish, _, meta in _single(history):
        seen = [m for _, p in publishes if p.completed_ns < publish.invoked_ns for m in p.metas]
        free = [i for i in range(1, max((m.sequence_id for m in seen), default=0)) if i not in taken]
        if free:
            ready.append((meta, free))
    if not ready:
        return None
    meta, free = choice.choice(ready)
    lower = choice.choice(free)
    return _metas_changed(history, {meta.sequence_id: lambda m: replace(m, sequence_id=lower)})


def duplicate_id(history: History, choice: random.Random) -> History | None:
    """Two envelopes carry one id."""
    found = _single(history)
    if len(found) < 2:
        return None
    (_, _, one), (_, _, other) = choice.sample(found, 2)
    return _metas_changed(history, {other.sequence_id: lambda m: replace(m, sequence_id=one.sequence_id)})


def fresh_id_for_a_repeat(history: History, choice: random.Random) -> History | None:
    """The receipt of a repeat names an id of its own, and its envelope is stored once more."""
    carriers = _carriers(history)
    ready = []
    top = 0
    for number, publish in _publishes(history, Outcome.STORED):
        for index, (sent, meta) in enumerate(zip(publish.sent, publish.metas, strict=True)):
            top = max(top, meta.sequence_id)
            if len([p for p in carriers[sent.digest] if p.outcome is Outcome.STORED]) > 1:
                ready.append((number, publish, index, meta, sent))
    if not ready:
        return None
    number, publish, index, meta, sent = choice.choice(ready)
    again = replace(meta, sequence_id=top + 1000)
    metas = (*publish.metas[:index], again, *publish.metas[index + 1 :])
    return _shown_late(_replaced(history, number, replace(publish, metas=metas)), again, sent.digest)


def changed_meta(history: History, choice: random.Random) -> History | None:
    """One read shows one field of an envelope otherwise than everybody else."""
    ready = [(number, query) for number, query in _pages(history) if query.page]
    if not ready:
        return None
    number, query = choice.choice(ready)
    place = choice.randrange(len(query.page))
    meta = query.page[place].meta
    others = [e for e in history if e is not query and _shows(e, meta.sequence_id)]
    if not others:
        return None
    changed = choice.choice(
        (
            replace(meta, server_ns=meta.server_ns + 1),
            replace(meta, message_hash=bytes(32)),
            replace(meta, expiry_ns=meta.expiry_ns + 1),
            replace(meta, is_commit_or_proposal=not meta.is_commit_or_proposal),
        )
    )
    page = (*query.page[:place], replace(query.page[place], meta=changed), *query.page[place + 1 :])
    return _replaced(history, number, replace(query, page=page))


def _shows(operation: Operation, number: int) -> bool:
    if isinstance(operation, Publish):
        return any(meta.sequence_id == number for meta in operation.metas)
    answer = operation.page if isinstance(operation, Query) else operation.results
    return any(shown.meta.sequence_id == number for shown in answer)


def changed_payload(history: History, choice: random.Random) -> History | None:
    """The last reads of an envelope carry another payload than was sent."""
    ready = [(number, query) for number, query in _pages(history) if query.page]
    if not ready:
        return None
    number, query = choice.choice(ready)
    place = choice.randrange(len(query.page))
    page = (*query.page[:place], replace(query.page[place], digest=b"garbled"), *query.page[place + 1 :])
    return _replaced(history, number, replace(query, page=page))


def swapped_receipts(history: History, choice: random.Random) -> History | None:
    """Two entries of a publish response stand at each other's index."""
    carriers = _carriers(history)
    ready = []
    for number, publish in _publishes(history, Outcome.STORED):
        alone = [
            index
            for index, sent in enumerate(publish.sent)
            if len(carriers[sent.digest]) == 1 and publish.sent.count(sent) == 1
        ]
        if len(alone) > 1:
            ready.append((number, publish, choice.sample(alone, 2)))
    if not ready:
        return None
    number, publish, (one, other) = choice.choice(ready)
    metas = list(publish.metas)
    metas[one], metas[other] = metas[other], metas[one]
    return _replaced(history, number, replace(publish, metas=tuple(metas)))


def partial_batch(history: History, choice: random.Random) -> History | None:
    """Of a publish without an answer one envelope is stored and another never is."""
    shown = {s.digest: s.meta.sequence_id for _, q in _pages(history) for s in q.page}
    carriers = _carriers(history)
    ready = []
    for _, publish in _publishes(history, Outcome.UNKNOWN):
        own = [s for s in dict.fromkeys(publish.sent) if len(carriers[s.digest]) == 1 and s.digest in shown]
        if len(own) > 1:
            ready.append(own)
    if not ready:
        return None
    gone = choice.choice(choice.choice(ready))
    left = [shown for shown in _last_seen(history, gone.topic) if shown.digest != gone.digest]
    return [*_without(history, [shown[gone.digest]]), _whole_read(history, gone.topic, left)]


def ghost(history: History, choice: random.Random) -> History | None:
    """A read shows an envelope that nobody sent."""
    found = _single(history)
    if not found:
        return None
    _, _, meta = choice.choice(found)
    top = max(meta.sequence_id for _, _, meta in found) + 5000
    return _shown_late(history, replace(meta, sequence_id=top, message_hash=b"ghost" * 6 + b"!!"), b"ghost")


def resurrected(history: History, choice: random.Random) -> History | None:
    """A read shows an envelope that was only ever refused."""
    carriers = _carriers(history)
    ready = []
    for _, publish in _publishes(history, Outcome.REFUSED):
        ready += [
            sent
            for sent in publish.sent
            if sent.topic and all(p.outcome is Outcome.REFUSED for p in carriers[sent.digest])
        ]
    found = _single(history)
    if not ready or not found:
        return None
    sent, (_, _, meta) = choice.choice(ready), choice.choice(found)
    top = max(meta.sequence_id for _, _, meta in found) + 5000
    return _shown_late(
        history, replace(meta, sequence_id=top, topic=sent.topic, message_hash=b"ghost" * 6 + b"!!"), sent.digest
    )


def false_has_more(history: History, choice: random.Random) -> History | None:
    """A page that its limit did not cut says that there is more."""
    ready = [(number, query) for number, query in _pages(history) if len(query.page) < query.limit]
    if not ready:
        return None
    number, query = choice.choice(ready)
    return _replaced(history, number, replace(query, has_more=True))


def backwards(history: History, choice: random.Random) -> History | None:
    """A page lists a topic from the top."""
    ready = [(number, query) for number, query, ids in _runs(history) if len(ids) > 1]
    if not ready:
        return None
    number, query = choice.choice(ready)
    return _replaced(history, number, replace(query, page=tuple(reversed(query.page))))


def _anomaly(plant: Plant, invariants: str, *reasons: str, alone: bool = False) -> Anomaly:
    return Anomaly(plant=plant, invariants=frozenset(invariants.split()), reasons=frozenset(reasons), alone=alone)


ANOMALIES: Mapping[str, Anomaly] = {
    "lost write": _anomaly(lost_write, "H5", "own-write-missing"),
    "stale Query": _anomaly(stale_query, "H5", "own-write-missing", alone=True),
    "late insert": _anomaly(late_insert, "H4 H13", "late-insert"),
    "hole": _anomaly(hole, "H4 H13", "hole", "late-insert"),
    "half a request": _anomaly(half_a_request, "H13", "hole", "late-insert"),
    "reorder": _anomaly(reorder, "H3", "id-not-above"),
    "duplicate id": _anomaly(duplicate_id, "H1", "id-shared"),
    "fresh id for a repeat": _anomaly(fresh_id_for_a_repeat, "H1", "id-differs", "stored-twice"),
    "changed meta": _anomaly(changed_meta, "H2", "metadata-differs", alone=True),
    "changed payload": _anomaly(changed_payload, "H2 H9", "payload-changed", "unknown-envelope"),
    "swapped receipts": _anomaly(swapped_receipts, "H2", "wrong-order", alone=True),
    "partial batch": _anomaly(partial_batch, "H8", "partly-stored"),
    "ghost": _anomaly(ghost, "H9", "unknown-envelope", alone=True),
    "resurrected": _anomaly(resurrected, "H10", "stored-despite-failure", alone=True),
    "false has_more": _anomaly(false_has_more, "page", "wrong-has-more", alone=True),
    "backwards": _anomaly(backwards, "page", "not-ascending", alone=True),
}
