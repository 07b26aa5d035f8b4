"""Answers of QueryNewest (API-244): one result per topic that holds something, and it is the newest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Seen


def lawful_newest(
    results: Sequence[Seen],
    *,
    requested: Iterable[bytes],
    stored: Mapping[bytes, Sequence[int]],
    full: bool,
    may_lag: bool,
    expired: Collection[int] = (),
) -> None:
    """Judge an answer about topics that nobody writes to meanwhile (API-244.a, b, c, f).

    `stored` holds all ids of each topic. `full` is what include_full_envelope was. With `may_lag` the answer may come
    from a lagging copy: each topic at any earlier point of its own, so another of its ids, or no result (V02). Ids in
    `expired` may be there or gone (V34). Results may stand in any order (V07). Reasons: those of the judgements of one
    clause each, which follow.
    """
    wanted = list(requested)
    each_named(results, requested=wanted)
    highest_ids(results, stored=stored, may_lag=may_lag, expired=expired)
    one_result_each(results, requested=wanted, stored=stored, may_lag=may_lag, expired=expired)
    payload_as_asked(results, full=full)


def each_named(results: Iterable[Seen], *, requested: Iterable[bytes]) -> None:
    """Judge that each result names its topic, one that was asked for and the one of its metadata (API-244.f).

    Reasons: `unnamed-result`, `foreign-topic`, `result-topic-differs`.
    """
    wanted = set(requested)
    for seen in results:
        if not seen.result_topic:
            raise Violation("unnamed-result", "A result of QueryNewest names no topic.", witness={"result": seen.meta})
        if seen.result_topic not in wanted:
            raise Violation(
                "foreign-topic",
                "QueryNewest returned a result for a topic that was not asked for.",
                witness={"topic of the result": seen.result_topic},
            )
        if seen.result_topic != seen.meta.topic:
            raise Violation(
                "result-topic-differs",
                "A result of QueryNewest names another topic than its metadata.",
                witness={"topic of the result": seen.result_topic, "topic of the metadata": seen.meta.topic},
            )


def one_result_each(
    results: Iterable[Seen],
    *,
    requested: Iterable[bytes],
    stored: Mapping[bytes, Sequence[int]],
    may_lag: bool,
    expired: Collection[int] = (),
    waited_s: float = 0.0,
) -> None:
    """Judge that each topic asked for has one result if it holds something and none otherwise (API-244.a).

    A result belongs to the topic of its metadata. Parameters as in `lawful_newest`; `waited_s` seconds lay
    between the last publish and this answer. Reasons: `repeated-result`, `empty-topic-answered`, `missing-result`.
    """
    answered: set[bytes] = set()
    for seen in results:
        topic = seen.meta.topic or seen.result_topic or b""
        if topic in answered:
            raise Violation(
                "repeated-result", "QueryNewest returned two results for one topic.", witness={"result": seen.meta}
            )
        if not stored.get(topic):
            raise Violation(
                "empty-topic-answered",
                "QueryNewest returned a result for a topic that holds nothing.",
                witness={"result": seen.meta},
            )
        answered.add(topic)
    for topic in () if may_lag else set(requested) - answered:
        lasting = [i for i in stored.get(topic, ()) if i not in expired]
        if lasting:
            raise Violation(
                "missing-result",
                f"QueryNewest returned no result for a topic that holds envelopes{_later(waited_s)}.",
                witness={"topic": topic, "ids": lasting},
            )


def highest_ids(
    results: Iterable[Seen],
    *,
    stored: Mapping[bytes, Sequence[int]],
    may_lag: bool,
    expired: Collection[int] = (),
    waited_s: float = 0.0,
) -> None:
    """Judge that each result is the newest envelope of its topic, or was once when the answer may lag (API-244.b).

    Parameters as in `one_result_each`. Reasons: `unknown-envelope`, `not-newest`.
    """
    for seen in results:
        found, ids = seen.meta.sequence_id, stored.get(seen.meta.topic, ())
        if found not in ids:
            raise Violation(
                "unknown-envelope",
                "QueryNewest returned an envelope that nobody stored on its topic.",
                witness={"result": seen.meta, "ids": list(ids)},
            )
        above = [i for i in ids if i > found and i not in expired]
        if above and not may_lag:
            raise Violation(
                "not-newest",
                f"QueryNewest returned id {found} although id {max(above)} stands on the topic{_later(waited_s)}.",
                witness={"result": seen.meta, "ids": list(ids)},
            )


def payload_as_asked(results: Iterable[Seen], *, full: bool) -> None:
    """Judge that every result carries its envelope when the full form was asked for, and none otherwise (API-244.c).

    Reasons: `missing-envelope`, `unasked-envelope`.
    """
    for seen in results:
        if full and seen.envelope is None:
            raise Violation(
                "missing-envelope", "QueryNewest left out an envelope it was asked for.", witness={"result": seen.meta}
            )
        if not full and seen.envelope is not None:
            raise Violation(
                "unasked-envelope",
                "QueryNewest returned an envelope though only metadata was asked for.",
                witness={"result": seen.meta, "envelope": seen.envelope},
            )


def _later(waited_s: float) -> str:
    return f", {waited_s:.1f} s after the last publish" if waited_s else ""
