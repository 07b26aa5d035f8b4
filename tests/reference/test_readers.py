from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.failure import Code, Failure
from tests.reference.harness import (
    NEWEST,
    QUERY,
    InProcess,
    commit_log,
    fresh_group,
    group_message,
    ids,
    newest,
    newest_request,
    page_ids,
    publish,
    query,
    query_request,
    running,
    welcome,
)

TOO_HIGH = 2**63


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    entries=st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 7)), max_size=8),
    limit=st.integers(1, 12),
)
def test_a_page_is_a_prefix_of_what_is_eligible(
    call: InProcess, counts: list[int], entries: list[tuple[int, int]], limit: int
) -> None:
    topics: list[bytes] = []
    stored: list[list[int]] = []
    for count in counts:
        group_id, topic = fresh_group()
        topics.append(topic)
        stored.append(ids(publish(call, *[group_message(group_id, bytes([n])) for n in range(count)])))
    cursors: dict[int, int] = {}
    queries = []
    for place, step in entries:
        which = place % len(topics)
        cursor = 0 if step < 0 else stored[which][step] if step < len(stored[which]) else 2**63 - 1
        cursors[which] = min(cursor, cursors.get(which, cursor))
        queries.append(pb.TopicQuery(topic=pb.Topic(topic=topics[which])))
        if step >= 0:
            queries[-1].cursor.sequence_id = cursor
    request = pb.QueryRequest(queries=queries, limit=limit).SerializeToString()
    response = pb.QueryResponse.FromString(call(QUERY, request))
    eligible = {topics[w]: [i for i in stored[w] if i > cursor] for w, cursor in cursors.items()}
    found: dict[bytes, list[int]] = {}
    for envelope in response.envelopes:
        found.setdefault(envelope.meta.topic.topic, []).append(envelope.meta.cursor.sequence_id)
    for topic, sequence_ids in found.items():
        assert sequence_ids == eligible[topic][: len(sequence_ids)]
    total = sum(map(len, eligible.values()))
    assert len(response.envelopes) == min(limit, total)
    assert response.continuation.has_more == (total > limit)


def test_the_limit_defaults_and_is_cut_to_its_ceiling(tmp_path: Path) -> None:
    with running(tmp_path, limits={"default_query_limit": 3, "max_query_limit": 7}) as backend:
        call = InProcess(backend)
        group_id, topic = fresh_group()
        stored = ids(publish(call, *[group_message(group_id, bytes([n])) for n in range(8)]))
        for limit, expected in ((0, 3), (1, 1), (6, 6), (7, 7), (8, 7), (2**32 - 1, 7)):
            page = query(call, topic, limit=limit)
            assert page_ids(page) == stored[:expected]
            assert page.continuation.has_more
        rest = query(call, topic, cursor=stored[0], limit=7)
        assert page_ids(rest) == stored[1:]
        assert not rest.continuation.has_more
        assert rest.HasField("continuation")


GROUP = b"\0" + bytes(16)
MALFORMED = [b"", b"\0", b"\0" * 16, b"\0" * 18, b"\0" * 33, b"\1" * 17, b"\5" + bytes(32), b"\xff" + bytes(16)]


@pytest.mark.parametrize("topic", MALFORMED, ids=bytes.hex)
@pytest.mark.parametrize("path", [QUERY, NEWEST])
def test_a_malformed_topic_fails_any_read(call: InProcess, path: str, topic: bytes) -> None:
    request = query_request(GROUP, topic) if path == QUERY else newest_request(GROUP, topic)
    with pytest.raises(Failure) as caught:
        call(path, request)
    assert caught.value.code == Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "request_bytes",
    [
        query_request(GROUP, b"\3" + bytes(32)),
        query_request(GROUP, cursor=TOO_HIGH),
        query_request(GROUP, cursor=2**64 - 1),
        pb.QueryRequest(queries=[pb.TopicQuery()]).SerializeToString(),
        b"\x0a\xff",
    ],
    ids=["key package topic", "cursor 2^63", "cursor 2^64-1", "topic absent", "not a request"],
)
def test_query_refuses_what_it_does_not_page(call: InProcess, request_bytes: bytes) -> None:
    with pytest.raises(Failure) as caught:
        call(QUERY, request_bytes)
    assert caught.value.code == Code.INVALID_ARGUMENT


def test_newest_gives_the_highest_of_each_topic_once(call: InProcess) -> None:
    group_id, topic = fresh_group()
    key = os.urandom(32)
    last_of_group = publish(call, *[group_message(group_id, bytes([n])) for n in range(3)])[-1]
    (log_entry,) = publish(call, commit_log(group_id))
    (sealed,) = publish(call, welcome(key))
    topics = [topic, b"\3" + key, b"\1" + key, topic, b"\4" + group_id, b"\2" + key]
    for full in (False, True):
        results = {result.topic.topic: result for result in newest(call, *topics, full=full)}
        assert {name: result.meta for name, result in results.items()} == {
            topic: last_of_group,
            b"\1" + key: sealed,
            b"\4" + group_id: log_entry,
        }
        assert len(newest(call, *topics, full=full)) == len(results)
        assert all(result.HasField("envelope") == full for result in results.values())
    assert results[b"\1" + key].envelope == welcome(key)


def test_the_bounds_of_reads_count_entries_as_sent(tmp_path: Path) -> None:
    limits = {"max_query_topics": 3, "max_newest_metadata_topics": 4, "max_newest_full_topics": 2}
    with running(tmp_path, limits=limits) as backend:
        call = InProcess(backend)
        for path, within, past in (
            (QUERY, query_request(*[GROUP] * 3), query_request(*[GROUP] * 4)),
            (NEWEST, newest_request(*[GROUP] * 4), newest_request(*[GROUP] * 5)),
            (NEWEST, newest_request(*[GROUP] * 2, full=True), newest_request(*[GROUP] * 3, full=True)),
        ):
            call(path, within)
            with pytest.raises(Failure) as caught:
                call(path, past)
            assert caught.value.code == Code.INVALID_ARGUMENT


def test_empty_reads_are_answered_empty(call: InProcess) -> None:
    assert query(call) == pb.QueryResponse(continuation=pb.Continuation(has_more=False))
    assert newest(call) == []
