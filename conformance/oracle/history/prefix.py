"""Each read shows a beginning of its topic's order (API-201; invariants H4 and H13): no hole, nothing behind its end.

What a read that starts at a cursor shows of a topic, up to the highest id shown, is all there is between the two; so
every id that anybody ever sees in between must be among it, whichever came first. Per envelope it is enough to keep
from where on the ids just below it have been read. Frames of a stream are such reads as well, each from where the
last one ended (H6).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from conformance.oracle.history.events import Outcome, Query
from conformance.oracle.history.known import Known
from conformance.oracle.history.records import NOBODY, Envelope, Topic


def enter(known: Known, topic: Topic, envelope: Envelope, digest: bytes | None, *, at_ns: int) -> None:
    """Put an envelope seen for the first time into its topic's order; report it when a read has closed its place.

    `digest` is that of its value, if the operation that showed it tells.
    """
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
        _report_left_out(known, topic, envelope, digest, reader)


def reading(known: Known, topic: Topic, cursor: int, ids: Sequence[int], number: int) -> list[Envelope]:
    """Judge that operation `number` showed `ids`, ascending and all entered, of a topic above `cursor`.

    Returns the envelopes that it left out.
    """
    left_out: list[Envelope] = []
    everything = topic.ids
    between = everything[bisect_right(everything, cursor) : bisect_right(everything, ids[-1])]
    if between != ids:
        shown, at_ns = set(ids), known.operation(number).completed_ns
        for missing in between:
            envelope = known.envelopes[missing]
            if missing not in shown and not known.may_be_gone(envelope, at_ns):
                _report_left_out(known, topic, envelope, known.digest_of(envelope), number)
                left_out.append(envelope)
    for each in ids:
        envelope = known.envelopes[each]
        if envelope.below is None or cursor <= envelope.below:  # a later read is the better witness
            envelope.below, envelope.below_by = cursor, number
        cursor = each
    return left_out


def _report_left_out(known: Known, topic: Topic, envelope: Envelope, digest: bytes | None, reader: int) -> None:
    missing, page = envelope.meta.sequence_id, known.operation(reader)
    assert isinstance(page, Query)  # noqa: S101 - only a Query reads a topic from a cursor
    above = [
        shown.meta.sequence_id
        for shown in page.page
        if shown.meta.topic == topic.name and shown.meta.sequence_id in known.envelopes
        if shown.meta.sequence_id > missing
    ]
    together = {each: _one_request(known, digest, known.digest_of(known.envelopes[each])) for each in above}
    together = {each: request for each, request in together.items() if request != NOBODY}
    next_above = min(together or above)
    shown_by = envelope.first
    if together and known.publish(together[next_above]).outcome is Outcome.STORED:
        shown_by = together[next_above]  # its receipts show both ids
    seen_before = known.before(shown_by, reader)
    known.report(
        "H13" if together else "H4",
        ("API-201.a", "API-240.d") if seen_before else ("API-201.a",),
        "hole" if seen_before else "late-insert",
        f"A Query showed id {next_above} of a topic without id {missing}, which "
        + ("is stored there" if seen_before else "came in behind it")
        + (" by the same publish." if together else "."),
        by=(shown_by, reader, together.get(next_above, NOBODY)),
        topic=topic.name,
        ids=(missing, next_above),
    )


def _one_request(known: Known, one: bytes | None, other: bytes | None) -> int:
    """Give a publish that carried both values, one that was answered OK if there is one, or NOBODY."""
    values = [known.values.get(digest or b"") for digest in (one, other)]
    attempts = [set(value.attempts) - set(value.refused) if value is not None else set() for value in values]
    both = sorted(attempts[0] & attempts[1])
    return next((each for each in both if known.publish(each).outcome is Outcome.STORED), both[0] if both else NOBODY)
