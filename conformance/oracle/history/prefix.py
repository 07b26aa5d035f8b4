"""Each read shows a beginning of its topic's order (API-201; invariants H4 and H13): no hole, nothing behind its end.

What a read that starts at a cursor shows of a topic, up to the highest id shown, is all there is between the two; so
every id that anybody ever sees in between must be among it, whichever came first. Per envelope it is enough to keep
from where on the ids just below it have been read. Frames of a stream are such reads as well, each from where the
last one ended (H6).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from conformance.oracle.history.events import Query
from conformance.oracle.history.known import Known
from conformance.oracle.history.own_writes import missed
from conformance.oracle.history.records import Envelope, Topic


def enter(known: Known, topic: Topic, envelope: Envelope, *, at_ns: int) -> None:
    """Put an envelope seen for the first time into its topic's order; report it when a read has closed its place."""
    number, ids = envelope.meta.sequence_id, topic.ids
    if not ids or number > ids[-1]:
        ids.append(number)
        return
    place = bisect_right(ids, number)
    ids.insert(place, number)
    after = known.envelopes[ids[place + 1]]
    if after.below is None or after.below >= number or known.may_be_gone(after, at_ns):
        return
    reader = after.below_by
    if not known.may_be_gone(envelope, known.operation(reader).completed_ns):
        _report_left_out(known, topic, envelope, reader)


def reading(known: Known, topic: Topic, cursor: int, ids: Sequence[int], number: int) -> None:
    """Judge that operation `number` showed `ids`, ascending and all entered, of a topic above `cursor`."""
    everything = topic.ids
    between = everything[bisect_right(everything, cursor) : bisect_right(everything, ids[-1])]
    if between != ids:
        shown, at_ns = set(ids), known.operation(number).completed_ns
        for missing in between:
            envelope = known.envelopes[missing]
            if missing not in shown and not known.may_be_gone(envelope, at_ns):
                _report_left_out(known, topic, envelope, number)
                missed(known, topic, envelope, number)
    for each in ids:
        envelope = known.envelopes[each]
        if envelope.below is None or cursor < envelope.below:
            envelope.below, envelope.below_by = cursor, number
        cursor = each


def _report_left_out(known: Known, topic: Topic, envelope: Envelope, reader: int) -> None:
    missing, page = envelope.meta.sequence_id, known.operation(reader)
    assert isinstance(page, Query)  # noqa: S101 - only a Query reads a topic from a cursor
    above = [
        shown.meta.sequence_id
        for shown in page.page
        if shown.meta.topic == topic.name and shown.meta.sequence_id > missing
    ]
    seen_before = known.before(envelope.first, reader)
    together = [each for each in above if _of_one_request(known, envelope, known.envelopes[each])]
    known.report(
        "H13" if together else "H4",
        ("API-201.a", "API-240.d") if seen_before else ("API-201.a",),
        "hole" if seen_before else "late-insert",
        f"A Query showed id {min(together or above)} of a topic without id {missing}, which "
        + ("is stored there" if seen_before else "came in behind it")
        + (" by the same publish." if together else "."),
        by=(envelope.first, reader),
        topic=topic.name,
        ids=(missing, min(together or above)),
    )


def _of_one_request(known: Known, one: Envelope, other: Envelope) -> bool:
    values = (known.values.get(known.digest_of(each) or b"") for each in (one, other))
    attempts = [set(value.attempts) for value in values if value is not None]
    return len(attempts) == 2 and bool(attempts[0] & attempts[1])  # noqa: PLR2004 - one set for each of the two
