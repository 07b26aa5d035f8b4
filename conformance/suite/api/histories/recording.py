"""Concurrent traffic carried out, recorded, and turned into the history that the oracle judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache

from conformance.craft.draw import Draw
from conformance.craft.traffic import Played, Request, Shape, traffic_plan
from conformance.oracle.history import events
from conformance.oracle.history.digest import value_digest
from conformance.oracle.history.events import Operation, Outcome, ReadFrom, Sent, Shown
from conformance.oracle.history.judge import judge
from conformance.oracle.paging import effective_limit, lowest_cursors
from conformance.oracle.status import ended
from conformance.target.answers import Answer
from conformance.target.concurrent import AskedNewest, Done, Queried, Reader, Writer, Wrote, play
from conformance.target.deployment import Deployment
from conformance.target.errors import Undecided
from conformance.target.limits import Limits
from conformance.wire.transcript import Code, Seen, Status

# An envelope of no payload, in an odd encoding, with its metadata, takes up less.
_AROUND_BYTES = 1000
_REFUSALS = (Code.INVALID_ARGUMENT, Code.ABORTED)
_JUDGED = (Code.OK, Code.INVALID_ARGUMENT)


class Recording:
    """What became of a plan: every call, and the history it makes."""

    def __init__(self, done: Sequence[Done], requests: Mapping[str, Sequence[Request]], limits: Limits) -> None:
        self._done = done
        self._requests = requests
        self._limits = limits
        self._digest = cache(value_digest)
        self.history: tuple[Operation, ...] = tuple(map(self._operation, done))

    def judge(self, *about: str, every_publish_succeeds: bool = False) -> None:
        """Judge the history by the clauses or invariants named.

        With `every_publish_succeeds` each publish of well-formed envelopes must have been answered OK as well, whatever
        it raced with. Raises Violation or UnexpectedStatus, and Undecided when nothing speaks against the target but
        too little has happened to speak for it.
        """
        judge(self.history, *about)
        good = [each for each in self._done if isinstance(each, Wrote) and not self._request(each).is_broken]
        if every_publish_succeeds:
            _all_ok([each.answer for each in good])
        _all_ok([each.answer for each in self._done if not isinstance(each, Wrote)])
        failed = [each.answer for each in good if not _is_ok(each.answer)]
        if len(failed) * 2 > len(good):
            raise Undecided(f"{len(failed)} of {len(good)} publishes failed, the first with {failed[0].status}.")

    def explain_refusals(self) -> None:
        """Judge that INVALID_ARGUMENT answers nothing but publishes of malformed envelopes (API-281).

        Raises Violation, and Undecided when nothing speaks against the target but too little was answered.
        """
        for done in self._done:
            is_broken = isinstance(done, Wrote) and self._request(done).is_broken
            if done.answer.status.code is Code.INVALID_ARGUMENT and not is_broken:
                ended(done.answer.call, (Code.OK,))
        failed = [each.answer for each in self._done if each.answer.status.code not in _JUDGED]
        if len(failed) * 2 > len(self._done):
            raise Undecided(f"{len(failed)} of {len(self._done)} calls failed, the first with {failed[0].status}.")

    def _request(self, wrote: Wrote) -> Request:
        return self._requests[wrote.client][wrote.place]

    def _operation(self, done: Done) -> Operation:
        if isinstance(done, Wrote):
            return self._publish(done)
        return self._query(done) if isinstance(done, Queried) else self._newest(done)

    def _publish(self, done: Wrote) -> Operation:
        answer, call = done.answer, done.answer.call
        sent = zip(self._request(done).topics, done.sent, strict=True)
        return events.Publish(
            client=done.client,
            endpoint=call.endpoint,
            invoked_ns=call.started_ns,
            completed_ns=call.ended_ns,
            status=answer.status.code,
            sent=tuple(Sent(topic=topic or b"", digest=self._digest(envelope)) for topic, envelope in sent),
            outcome=_outcome(answer.status),
            metas=answer.metas if _is_ok(answer) else (),
        )

    def _query(self, done: Queried) -> Operation:
        answer, call = done.answer, done.answer.call
        cursors = lowest_cursors((position.topic or b"", position.cursor) for position in done.positions)
        return events.Query(
            client=done.client,
            endpoint=call.endpoint,
            invoked_ns=call.started_ns,
            completed_ns=call.ended_ns,
            status=answer.status.code,
            positions=tuple(ReadFrom(topic=topic, cursor=cursor) for topic, cursor in cursors.items()),
            limit=effective_limit(
                done.asked, default=self._limits.default_query_limit, ceiling=self._limits.max_query_limit
            ),
            page=tuple(map(self._shown, answer.seen)) if _is_ok(answer) else (),
            has_more=_is_ok(answer) and answer.has_more,
        )

    def _newest(self, done: AskedNewest) -> Operation:
        answer, call = done.answer, done.answer.call
        return events.Newest(
            client=done.client,
            endpoint=call.endpoint,
            invoked_ns=call.started_ns,
            completed_ns=call.ended_ns,
            status=answer.status.code,
            topics=done.topics,
            full=done.full,
            results=tuple(map(self._shown, answer.results)) if _is_ok(answer) else (),
        )

    def _shown(self, seen: Seen) -> Shown:
        return Shown(meta=seen.meta, digest=None if seen.envelope is None else self._digest(seen.envelope))


def recorded(deployment: Deployment, draw: Draw, shape: Shape) -> Recording:
    """Plan traffic of a shape within the published limits, carry it out over connections of its own, and record it."""
    played = Played(traffic_plan(draw.random, within(shape, deployment.limits)), draw)
    plan = played.plan
    with ExitStack() as connections:
        nodes = [
            connections.enter_context(closing(deployment.fresh_node(endpoint)))
            for endpoint in (*plan.endpoints, *(reader.endpoint for reader in plan.readers))
        ]
        writers = [
            Writer(name=f"writer {number}", node=node, requests=[request.envelopes for request in requests])
            for number, (node, requests) in enumerate(zip(nodes, played.requests, strict=False))
        ]
        readers = [
            Reader(
                name=f"reader {number}",
                node=node,
                topics=[played.topics[topic] for topic in reader.topics],
                style=reader.style,
                limits=reader.limits,
            )
            for number, (node, reader) in enumerate(zip(nodes[len(writers) :], plan.readers, strict=True))
        ]
        done = play(writers, readers, played.topics, in_step=plan.in_step)
    requests = {writer.name: made for writer, made in zip(writers, played.requests, strict=True)}
    return Recording(done, requests, deployment.limits)


def within(shape: Shape, limits: Limits) -> Shape:
    """Make a shape smaller where its requests or the pages that answer them would exceed a published limit."""
    rows = max(
        effective_limit(limit, default=limits.default_query_limit, ceiling=limits.max_query_limit)
        for limit in (*shape.limits, limits.max_query_limit)
    )
    read_topics = min(limits.max_query_topics, limits.max_newest_metadata_topics, limits.max_newest_full_topics)
    largest = max(1, min(shape.largest, limits.max_request_bytes // (2 * _AROUND_BYTES)))
    longest = min(
        limits.max_envelope_bytes, limits.max_request_bytes // (largest + 1), limits.max_response_bytes // rows
    )
    return replace(
        shape,
        largest=largest,
        most_topics=min(shape.most_topics, limits.max_publish_topics),
        read_topics=min(shape.read_topics, read_topics),
        long_bytes=max(0, min(shape.long_bytes, longest - _AROUND_BYTES)),
    )


def _outcome(status: Status) -> Outcome:
    if status.code is Code.OK:
        return Outcome.STORED
    return Outcome.REFUSED if status.code in _REFUSALS and not status.local else Outcome.UNKNOWN


def _all_ok(answers: Iterable[Answer]) -> None:
    """Demand success of all. A status that the target must not send outweighs answers that never came."""
    doubt: Undecided | None = None
    for answer in answers:
        try:
            answer.ok()
        except Undecided as undecided:
            doubt = doubt or undecided
    if doubt is not None:
        raise doubt


def _is_ok(answer: Answer) -> bool:
    return answer.status.code is Code.OK
