"""What may be seen after OUT_OF_RANGE and after expiry, and what may not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.group_message import new_message
from conformance.craft.topics import topic_of
from conformance.oracle.expired import not_hidden
from conformance.oracle.recovery import as_settled, settled_whole, still_shown
from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta, Seen

DRAW = Draw(1, b"recovery")
GROUP = DRAW.group_id()
SENT = [encoded(new_message(DRAW, GROUP)) for _ in range(3)]
REQUEST = [(topic_of(each), each) for each in SENT]
PART = SENT[:1]


def meta(index: int, *, number: int | None = None) -> Meta:
    return Meta(
        sequence_id=index + 1 if number is None else number,
        server_ns=7,
        message_hash=bytes([index]) * 32,
        topic=topic_of(SENT[index]),
        expiry_ns=9,
        is_commit_or_proposal=False,
    )


def seen(*indexes: int, first: int | None = None) -> list[Seen]:
    metas = [meta(index, number=first if index == 0 else None) for index in indexes]
    return [Seen(source="Query", meta=each, envelope=SENT[i]) for i, each in zip(indexes, metas, strict=True)]


def later(receipts: Iterable[Meta], read: list[Seen], end: list[Seen]) -> None:
    as_settled(SENT, PART, receipts, read, end)


def test_all_of_a_publish_or_nothing_of_it_is_lawful() -> None:
    settled_whole(REQUEST, seen(0), seen(0, 1, 2))
    settled_whole(REQUEST, [], [])
    later([meta(0)], seen(0, 1, 2), seen(0, 1, 2))
    later([meta(0, number=9)], [], seen(0, first=9))


@pytest.mark.parametrize(
    ("reason", "judged"),
    [
        ("lost", lambda: settled_whole(REQUEST, seen(0), [])),
        ("partly-stored", lambda: settled_whole(REQUEST, [], seen(0, 1))),
        ("metadata-differs", lambda: still_shown(seen(0), [replace(seen(0)[0], meta=replace(meta(0), server_ns=8))])),
        ("lost", lambda: later([meta(0)], seen(0, 1, 2), seen(0, 1))),
        ("lost", lambda: later([meta(0)], [], [])),
        ("metadata-differs", lambda: later([replace(meta(0), expiry_ns=1)], [], seen(0))),
        ("stored-twice", lambda: later([meta(0, number=9)], seen(0, 1, 2), seen(0, 1, 2) + seen(0, first=9))),
        ("stored-despite-failure", lambda: later([meta(0)], [], seen(0, 1))),
    ],
    ids=[
        "taken-back-after-it-was-seen",
        "a-part",
        "changed",
        "gone-after-the-read",
        "receipt-of-nothing",
        "receipt-differs",
        "second-copy",
        "late-rest",
    ],
)
def test_what_changes_after_the_read_is_a_violation(reason: str, judged: Callable[[], None]) -> None:
    with pytest.raises(Violation) as caught:
        judged()
    assert caught.value.reason == reason


def test_an_expired_envelope_may_be_there_or_gone_everywhere() -> None:
    not_hidden([meta(0)], seen(0), seen(0), [meta(0)])
    not_hidden([meta(0)], [], [], [meta(0, number=9)])
    not_hidden([meta(0)], seen(0), [], [meta(0, number=9)])


@pytest.mark.parametrize("by", ["a read", "a repeat"])
def test_an_expired_envelope_that_another_answer_shows_is_not_left_out(by: str) -> None:
    with pytest.raises(Violation) as caught:
        not_hidden([meta(0)], [], seen(0) if by == "a read" else [], [] if by == "a read" else [meta(0)])
    assert caught.value.reason == "missing-result"
