"""Reads of a topic held against each other, and what must or must not be stored: lawful histories are never flagged."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded, padded
from conformance.craft.plans import Cast, EnvelopePlan
from conformance.craft.strategies import envelope_plans
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import all_or_none, closed_world, never_visible, nothing_stored, one_copy
from conformance.oracle.prefix import TopicRead, kept, no_hole
from conformance.oracle.reads import (
    agree_everywhere,
    one_hash,
    same_field,
    same_payload_everywhere,
    shown_by,
    sightings_of,
)
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen

SOURCES = ("Query", "QueryNewest", "QueryNewest in full", "the receipt of a duplicate")


@given(
    ids=st.lists(st.integers(1, 1 << 40), unique=True, max_size=12).map(sorted),
    choice=st.randoms(use_true_random=False),
)
def test_prefixes_of_a_growing_topic_are_never_flagged(ids: list[int], choice: random.Random) -> None:
    reads, grown = [], 0
    for _ in range(6):
        grown = choice.randint(grown, len(ids))
        # a lagging copy may step back, and a page may be cut
        shown = ids[: choice.randint(0, grown)]
        cursor = choice.choice([0, *shown])
        reads.append(TopicRead(source="Query", cursor=cursor, ids=tuple(i for i in shown if i > cursor)))
    no_hole(reads, known=ids)
    complete = TopicRead(source="Query", cursor=0, ids=tuple(ids))
    kept(ids[:grown], complete)
    pruned = {i for i in ids if choice.random() < 0.3}
    left = [TopicRead(source=r.source, cursor=r.cursor, ids=tuple(i for i in r.ids if i not in pruned)) for r in reads]
    no_hole([*reads, *left], known=ids, expired=pruned)
    kept(ids, TopicRead(source="Query", cursor=0, ids=tuple(i for i in ids if i not in pruned)), expired=pruned)


@given(
    ids=st.lists(st.integers(1, 1 << 40), unique=True, min_size=3, max_size=12).map(sorted), index=st.integers(0, 10)
)
def test_an_id_left_out_below_another_is_flagged_by_when_it_was_seen(ids: list[int], index: int) -> None:
    missing = ids[index % (len(ids) - 1)]
    whole = TopicRead(source="Query", cursor=0, ids=tuple(ids))
    holed = TopicRead(source="Query", cursor=0, ids=tuple(i for i in ids if i != missing))
    for reads, known, reason in (
        ([whole, holed], (), "hole"),
        ([holed, whole], (), "late-insert"),
        ([holed], (missing,), "hole"),
    ):
        with pytest.raises(Violation) as caught:
            no_hole(reads, known=known)
        assert caught.value.reason == reason
    with pytest.raises(Violation) as caught:
        kept([missing], holed)
    assert caught.value.reason == "lost"
    # neither says anything about what lies at or below the cursor
    above = TopicRead(source="Query", cursor=missing, ids=tuple(i for i in ids if i > missing))
    no_hole([whole, above])
    kept(ids, above)


def stored(wire: bytes, number: int, *, source: str = "Query", envelope: bytes | None = None) -> Seen:
    meta = Meta(
        sequence_id=number,
        server_ns=5,
        message_hash=number.to_bytes(32, "big"),
        topic=topic_of(wire),
        expiry_ns=0,
        is_commit_or_proposal=False,
    )
    return Seen(source=source, meta=meta, envelope=wire if envelope is None else envelope)


@given(plans=st.lists(envelope_plans(largest=100), min_size=1, max_size=5), seed=st.integers(0, 999), data=st.data())
def test_what_was_sent_is_recognised_however_a_backend_encodes_it(
    plans: list[EnvelopePlan], seed: int, data: st.DataObject
) -> None:
    cast = Cast(Draw(seed, b"history"))
    envelopes = [cast.envelope(plan) for plan in plans]
    sent = [encoded(envelope) for envelope in envelopes]
    style = FORMS[data.draw(st.sampled_from(sorted(FORMS)))]
    kept_unknown = data.draw(st.integers(3, 30))
    seen = [
        stored(wire, 10 * index + 3, envelope=padded(form := encoded(envelope, style), len(form) + kept_unknown))
        for index, (envelope, wire) in enumerate(zip(envelopes, sent, strict=True))
    ]
    topics = [topic_of(wire) for wire in sent]
    closed_world(seen, {topic: [w for w in sent if topic_of(w) == topic] for topic in topics})
    all_or_none(list(zip(topics, sent, strict=True)), seen)
    all_or_none(list(zip(topics, sent, strict=True)), [])
    nothing_stored(seen, seen)
    never_visible([], sent)
    for each, wire in zip(seen, sent, strict=True):
        one_copy([s for s in seen if s.meta.topic == each.meta.topic], wire)
        again = [
            Seen(source=s, meta=each.meta, envelope=data.draw(st.sampled_from((None, each.envelope)))) for s in SOURCES
        ]
        agree_everywhere(each.meta, again, sent=wire)
        assert sightings_of(each.meta, seen) == shown_by(each.meta, seen, source="Query") == (each,)


def test_a_sighting_with_one_changed_field_still_counts_as_one_of_its_envelope() -> None:
    cast = Cast(Draw(1, b"sightings"))
    wire = encoded(cast.envelope(EnvelopePlan(kind=Kind.WELCOME)))
    seen = stored(wire, 5)
    other_hash = replace(seen, meta=replace(seen.meta, message_hash=bytes(32)))
    other_id = replace(seen, meta=replace(seen.meta, sequence_id=6))
    stranger = stored(encoded(cast.envelope(EnvelopePlan(kind=Kind.WELCOME))), 7)
    assert sightings_of(seen.meta, [seen, other_hash, stranger, other_id]) == (seen, other_hash, other_id)
    for changed in (other_hash, other_id):
        with pytest.raises(Violation) as caught:
            agree_everywhere(seen.meta, sightings_of(seen.meta, [changed]))
        assert caught.value.reason == "metadata-differs"


def test_the_fields_and_the_payload_of_an_envelope_can_each_be_judged_alone() -> None:
    cast = Cast(Draw(1, b"alone"))
    wire, other = (encoded(cast.envelope(EnvelopePlan(kind=Kind.COMMIT_LOG))) for _ in range(2))
    seen = stored(wire, 5)
    bare = replace(seen, envelope=None)
    changed = replace(seen.meta, server_ns=6, message_hash=bytes(32))
    same_field("expiry_ns", seen.meta, [changed], where="Query")
    one_hash(seen.meta, [seen.meta], where="Query")
    same_payload_everywhere(wire, [bare, seen])
    spoilt: dict[str, Callable[[], None]] = {
        "server-ns-differs": lambda: same_field("server_ns", seen.meta, [seen.meta, changed], where="Query"),
        "message-hash-differs": lambda: one_hash(seen.meta, [changed], where="Query"),
        "hash-length": lambda: one_hash(replace(seen.meta, message_hash=bytes(31)), [], where="Query"),
        "lost": lambda: same_payload_everywhere(wire, [bare]),
        "payload-changed": lambda: same_payload_everywhere(wire, [seen, replace(seen, envelope=other)]),
    }
    for reason, judge in spoilt.items():
        with pytest.raises(Violation) as caught:
            judge()
        assert caught.value.reason == reason
    with pytest.raises(Violation) as caught:
        same_payload_everywhere(wire, [replace(seen, envelope=b"")])
    assert caught.value.reason == "payload-changed"
