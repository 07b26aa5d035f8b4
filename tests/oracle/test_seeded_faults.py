"""Each fault that a backend can have in ids, envelopes, publish, admission and query is flagged from what it shows.

The names are those of the catalogue of seeded faults. Faults of streams, of the identity log and of handles are judged
by oracles of their own; here stand those that show in the answers of Publish, Query and QueryNewest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.craft.commit_log import new_entry
from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.group_message import group_envelope, new_message
from conformance.craft.mls_framing import private_message
from conformance.craft.topics import topic_of
from conformance.craft.welcome import new_welcome
from conformance.craft.wire_format import field_bytes, field_fixed64
from conformance.oracle.absence import all_or_none, closed_world, never_visible, nothing_stored, one_copy
from conformance.oracle.metadata import (
    NS_PER_SECOND,
    Retention,
    complete,
    expiry,
    flag,
    one_server_ns,
    same_receipt,
    server_ns_unit,
    server_ns_window,
)
from conformance.oracle.newest import lawful_newest
from conformance.oracle.order import distinct, ids_above, one_id_one_envelope
from conformance.oracle.paging import PageFacts, lawful_page, reads_own_writes
from conformance.oracle.payload import same_payload
from conformance.oracle.prefix import TopicRead, kept, no_hole
from conformance.oracle.publish import (
    one_meta_per_envelope,
    same_where_same,
)
from conformance.oracle.reads import agree_everywhere, shown_by
from conformance.oracle.violation import Violation
from conformance.oracle.wire_walk import lawful_message
from conformance.wire.transcript import Meta, Seen

DRAW = Draw(11, b"seeded faults")
GROUP = DRAW.group_id()
MESSAGE = encoded(new_message(DRAW, GROUP))
OTHER = encoded(new_message(DRAW, GROUP))
WELCOME = encoded(new_welcome(DRAW, DRAW.installation_key()))
ENTRY = encoded(new_entry(DRAW, GROUP))
T, W, C = topic_of(MESSAGE), topic_of(WELCOME), topic_of(ENTRY)
NOW = 1_800_000_000 * NS_PER_SECOND
RETENTION = Retention(group_message_seconds=90, welcome_seconds=60, key_package_seconds=30)
MALFORMED, INVALID_KEY_PACKAGE, INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE, TOO_LARGE = 1, 2, 3, 4, 5
UNSPECIFIED = 0


def meta(number: int = 5, topic: bytes = T, **fields: object) -> Meta:
    usual: dict[str, object] = {
        "sequence_id": number,
        "server_ns": NOW,
        "message_hash": number.to_bytes(32, "big"),
        "topic": topic,
        "expiry_ns": NOW + 90 * NS_PER_SECOND,
        "is_commit_or_proposal": False,
    }
    return Meta(**{**usual, **fields})  # type: ignore[arg-type] # named as the fields are


def seen(number: int = 5, envelope: bytes | None = MESSAGE, *, topic: bytes = T, source: str = "Query") -> Seen:
    return Seen(source=source, meta=meta(number, topic), envelope=envelope, result_topic=topic)


def page(
    *numbers: int, has_more: bool = False, stored: tuple[int, ...] = (1, 2, 3), limit: int = 10, cursor: int = 0
) -> None:
    facts = PageFacts(metas=tuple(meta(number) for number in numbers), has_more=has_more)
    lawful_page(facts, stored={T: stored}, cursors={T: cursor}, limit=limit)


def own_write(*numbers: int) -> None:
    facts = PageFacts(metas=tuple(meta(number) for number in numbers), has_more=False)
    reads_own_writes(facts, receipts={T: (7,)}, cursors={T: 0}, limit=10)


def newest(*results: Seen, full: bool = False, topics: tuple[bytes, ...] = (T,)) -> None:
    lawful_newest(results, requested=topics, stored={T: (3, 5)}, full=full, may_lag=False)


def read(*numbers: int) -> TopicRead:
    return TopicRead(source="Query", cursor=0, ids=numbers)


NOT_UTF8 = encoded(group_envelope(private_message(GROUP, ciphertext=b"\xff\xfe")))
REPLACED = encoded(group_envelope(private_message(GROUP, ciphertext="\ufffd\ufffd".encode())))
TRAILED = encoded(group_envelope(private_message(GROUP) + b"\x00\x00"))
TRIMMED = encoded(group_envelope(private_message(GROUP)))

FAULTS: dict[str, tuple[str, Callable[[], object]]] = {
    "B001 ids start at 0": ("id-range", lambda: complete(meta(0), where="Publish")),
    "B002 id above 2^63-1": ("id-range", lambda: complete(meta(1 << 63), where="Publish")),
    "B003 two racing publishes share an id": (
        "id-shared",
        lambda: one_id_one_envelope([meta(5), meta(5, message_hash=b"\x01" * 32)]),
    ),
    "B005 blocks of ids per process": ("id-not-above", lambda: ids_above([meta(50)], seen=[meta(1001)])),
    "B006 counter falls back at restart": ("id-not-above", lambda: ids_above([meta(9), meta(10)], seen=[meta(9)])),
    "B007 duplicate gets a fresh id": (
        "metadata-differs",
        lambda: same_receipt(meta(5), meta(9, message_hash=meta(5).message_hash), where="The receipt"),
    ),
    "B008 one read leaves the hash empty": (
        "unset",
        lambda: agree_everywhere(
            meta(), [Seen(source="QueryNewest", meta=meta(message_hash=b"", absent=frozenset({"message_hash"})))]
        ),
    ),
    "B008 one read leaves the expiry empty": (
        "metadata-differs",
        lambda: agree_everywhere(meta(), [Seen(source="QueryNewest", meta=meta(expiry_ns=0))]),
    ),
    "B009 ids cached per connection": ("id-not-above", lambda: ids_above([meta(4), meta(30)], seen=[meta(20, W)])),
    "B011 visible late under a higher id": ("late-insert", lambda: no_hole([read(1, 3), read(1, 2, 3)])),
    "B013 page in order of time": ("not-ascending", lambda: page(2, 1, 3)),
    "B015 answer mixed from two copies": ("hole", lambda: no_hole([read(1, 2, 3), read(1, 3, 4)])),
    "B016 query from a lagging copy": ("own-write-missing", lambda: own_write(1, 2)),
    "B016 quiet query from a lagging copy": ("short-page", lambda: page(1, 2)),
    "B018 query ends at the boundary": ("own-write-missing", own_write),
    "B023 fixed64 for server_ns": ("wire-type", lambda: lawful_message("EnvelopeMeta", field_fixed64(2, NOW))),
    "B023 times swapped": (
        "expiry-before-storing",
        lambda: complete(meta(server_ns=NOW + 1, expiry_ns=NOW), where="Query"),
    ),
    "B026 empty envelope in metadata": ("unasked-envelope", lambda: newest(seen(envelope=b""))),
    "B026 envelope left out in full": ("missing-envelope", lambda: newest(seen(envelope=None), full=True)),
    "B027 payload through text": ("payload-changed", lambda: same_payload(NOT_UTF8, REPLACED, where="Query")),
    "B028 trailing bytes trimmed": ("payload-changed", lambda: same_payload(TRAILED, TRIMMED, where="Query")),
    "B029 hash cut": ("hash-length", lambda: complete(meta(message_hash=bytes(16)), where="Publish")),
    "B029 hash as text": (
        "hash-length",
        lambda: complete(meta(message_hash=bytes(32).hex().encode()), where="Publish"),
    ),
    "B029 hash includes the id": (
        "metadata-differs",
        lambda: same_receipt(meta(), meta(message_hash=b"\x02" * 32), where="Query"),
    ),
    "B030 hash over the client's bytes": ("stored-twice", lambda: one_copy([seen(5), seen(6)], MESSAGE)),
    "B033 wrong kind byte": ("wrong-topic", lambda: one_meta_per_envelope([T], [meta(5, C)])),
    "B033 topic from hex text": ("wrong-topic", lambda: complete(meta(5, b"\x02" + b"ab" * 32), where="Publish")),
    "B034 clock read per envelope": (
        "several-server-times",
        lambda: one_server_ns([meta(5), meta(6, server_ns=NOW + 1)]),
    ),
    "B035 microseconds": ("wrong-unit", lambda: server_ns_unit(meta(server_ns=NOW // 1000), now_ns=NOW)),
    "B035 milliseconds": ("wrong-unit", lambda: server_ns_unit(meta(server_ns=NOW // 10**6), now_ns=NOW)),
    "B037 time of arrival": (
        "server-time-outside",
        lambda: server_ns_window(
            meta(), invoked_ns=NOW + 3 * NS_PER_SECOND, completed_ns=NOW + 4 * NS_PER_SECOND, skew_ns=1
        ),
    ),
    "B038 one retention for all kinds": (
        "wrong-expiry",
        lambda: expiry(meta(5, W), content_type=None, retention=RETENTION),
    ),
    "B039 commits expire": ("wrong-expiry", lambda: expiry(meta(), content_type=3, retention=RETENTION)),
    "B039 messages never expire": (
        "wrong-expiry",
        lambda: expiry(meta(expiry_ns=0), content_type=1, retention=RETENTION),
    ),
    "B040 proposals not flagged": ("wrong-flag", lambda: flag(meta(), content_type=2)),
    "B042 flag from should_push": ("wrong-flag", lambda: flag(meta(is_commit_or_proposal=True), content_type=1)),
    "B042 flag on a Welcome": ("wrong-flag", lambda: flag(meta(5, W, is_commit_or_proposal=True), content_type=None)),
    "B043 one row stored": ("stored-despite-failure", lambda: nothing_stored([], [seen()])),
    "B044 earlier good ones stay": ("stored-despite-failure", lambda: never_visible([seen()], [OTHER, MESSAGE])),
    "B045 one transaction per topic": ("partly-stored", lambda: all_or_none([(T, MESSAGE), (W, WELCOME)], [seen()])),
    "B046 answered before it is written": ("lost", lambda: kept([5], read(3))),
    "B047 kept in memory only": ("lost", lambda: shown_by(meta(5), [seen(3, OTHER)], source="Query")),
    "B049 metas grouped by topic": (
        "wrong-order",
        lambda: one_meta_per_envelope([T, W, T], [meta(5), meta(7), meta(6, W)]),
    ),
    "B049 metas in another order on one topic": (
        "payload-changed",
        lambda: agree_everywhere(meta(5), [seen(5, OTHER)], sent=MESSAGE),
    ),
    "B050 fewer metas": ("meta-count", lambda: same_where_same(["a", "b", "a"], [meta(5), meta(6)])),
    "B050 duplicates in a request stored twice": (
        "metadata-differs",
        lambda: same_where_same(["a", "b", "a"], [meta(5), meta(6), meta(7)]),
    ),
    "B052 dedupe forgets": ("metadata-differs", lambda: same_receipt(meta(5), meta(90), where="The receipt")),
    "B053 dedupe lost at restart": (
        "stored-twice",
        lambda: one_id_one_envelope([meta(5), meta(90, message_hash=meta(5).message_hash)]),
    ),
    "B054 check then insert": ("stored-twice", lambda: one_copy([seen(5), seen(6), seen(7)], MESSAGE)),
    "B062 failed attempt poisons the retry": ("own-write-missing", lambda: own_write(3)),
    "B072 deleted after the commit": ("lost", lambda: kept([5, 6], read(5))),
    "B072 partly deleted": ("partly-stored", lambda: all_or_none([(T, MESSAGE), (T, OTHER)], [seen(6, OTHER)])),
    "B073 hash with the request's id": ("stored-twice", lambda: one_copy([seen(5), seen(9)], MESSAGE)),
    "B075 first part of a long request stored": (
        "stored-despite-failure",
        lambda: nothing_stored([seen(3)], [seen(3), seen(5)]),
    ),
    "B097 welcomes of an aborted batch stored": (
        "stored-despite-failure",
        lambda: never_visible([seen(5, WELCOME, topic=W)], [WELCOME]),
    ),
    "B120 at the cursor": ("at-or-below-cursor", lambda: page(2, 3, cursor=2)),
    "B121 limit per topic": ("over-limit", lambda: page(1, 2, 3, limit=2)),
    "B122 repeated topic twice": ("repeated", lambda: page(1, 2, 3, 1, 2, 3)),
    "B123 newest first, reversed": ("hole", lambda: page(2, 3, limit=2, has_more=True)),
    "B123 newest first": ("not-ascending", lambda: page(3, 2, limit=2, has_more=True)),
    "B125 empty page": ("empty-page", lambda: page(has_more=True)),
    "B126 has_more when the page is full": ("wrong-has-more", lambda: page(1, 2, 3, limit=3, has_more=True)),
    "B126 has_more never": ("wrong-has-more", lambda: page(1, 2, limit=2)),
    "B128 has_more from another read": ("wrong-has-more", lambda: page(1, 2, 3, has_more=True)),
    "B129 page trimmed to bytes": ("short-page", lambda: page(1, 2)),
    "B129 page trimmed to bytes, has_more true": ("short-page", lambda: page(1, 2, has_more=True)),
    "B130 limit 0 is none": ("empty-page", page),
    "B130 limit 0 is unlimited": ("over-limit", lambda: page(1, 2, 3, limit=2)),
    "B135 repeats repeated": ("repeated-result", lambda: newest(seen(envelope=None), seen(envelope=None))),
    "B135 placeholder for an empty topic": (
        "unknown-envelope",
        lambda: newest(seen(envelope=None), seen(0, None, topic=W), topics=(T, W)),
    ),
    "B136 newest by time": ("not-newest", lambda: newest(seen(3, None))),
    "B138 expired one hidden": ("missing-result", newest),
    "211.d flag left out of the value": ("merged", lambda: distinct([meta(5), meta(5)])),
    "211.d flag left out of the hash": (
        "merged",
        lambda: distinct([meta(5), meta(6, message_hash=meta(5).message_hash)]),
    ),
    "244.f result under another topic": (
        "result-topic-differs",
        lambda: newest(replace(seen(5, None), result_topic=W), topics=(T, W)),
    ),
    "H9 an envelope nobody sent": ("unknown-envelope", lambda: closed_world([seen(5, OTHER)], {T: [MESSAGE]})),
    "H9 an envelope on another topic": (
        "foreign-topic",
        lambda: closed_world([seen(5, WELCOME, topic=W)], {T: [WELCOME]}),
    ),
    "H13 the lower of one request left out": ("hole", lambda: no_hole([read(1, 3)], known=(2, 3))),
    "210.b field number reused": ("wire-type", lambda: lawful_message("ServerEnvelope", field_fixed64(1, 1))),
    "210.b text in a number": ("wire-type", lambda: lawful_message("Continuation", field_bytes(1, b"true"))),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_seeded_fault_is_flagged_by_its_class_with_a_short_witness(fault: str) -> None:
    reason, judge = FAULTS[fault]
    with pytest.raises(Violation) as caught:
        judge()
    assert caught.value.reason == reason
    assert caught.value.sentence.endswith(".")
    text = str(caught.value)
    assert text.startswith(caught.value.sentence)
    assert len(text) < 900
    assert len(text.splitlines()) <= 8
