"""API-201: every read shows a topic from its beginning without a hole, and nothing comes in behind."""

from __future__ import annotations

from functools import partial
from itertools import product

from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.topics import group_topic
from conformance.oracle.paging import ascending
from conformance.oracle.prefix import TopicRead, no_hole
from conformance.suite import covers
from conformance.suite.api.s1_ids.stock import a_topic_of
from conformance.target.holding import held_publish
from conformance.target.node import Node, Position
from conformance.target.patience import until
from conformance.target.pool import Pool
from conformance.target.tail import Tail
from conformance.target.together import meanwhile
from conformance.target.workload import publish_in_turn

WRITERS = 8
EACH = 4
LARGE = 20
LONG_BYTES = 16_384
# How long a publish that must wait is watched for not waiting, in seconds.
PATIENCE_S = 0.2


def reads_of(tail: Tail, node: Node, topic: bytes) -> list[TopicRead]:
    """Give the pages a tail has read, and after them one read of the whole topic."""
    whole = tuple(seen.meta.sequence_id for seen in node.read_all(topic))
    pages = [TopicRead(source="Query", cursor=page.cursor, ids=page.ids) for page in tail.pages]
    return [*pages, TopicRead(source="Query from the start", cursor=0, ids=whole)]


@covers("API-201.a")
def test_nothing_comes_in_behind_what_a_reader_has_seen_while_writers_race(node: Node, draw: Draw) -> None:
    """API-201.a: beside racing writers, quick and slow ones, no page passes an id that is shown later."""
    group_id = draw.group_id()
    long = min(LONG_BYTES, node.limits.max_envelope_bytes // 2)
    work = [
        [[new_message(draw, group_id, size=size) for _ in range(1 + turn % 3)] for turn in range(EACH)]
        for size in (*[32] * (WRITERS - 2), long, long)
    ]
    tail = Tail(node, group_topic(group_id))
    meanwhile(tail, *(partial(publish_in_turn, node, requests) for requests in work))
    no_hole(reads_of(tail, node, group_topic(group_id)))


@covers("API-201.a")
def test_the_envelopes_of_one_publish_come_in_from_the_lowest(node: Node, draw: Draw) -> None:
    """API-201.a: a reader beside large publishes to one topic never meets a higher id of theirs before a lower one."""
    topic, envelopes = a_topic_of(draw, LARGE * EACH)
    tail, requests = Tail(node, topic), [envelopes[start::EACH] for start in range(EACH)]
    meanwhile(tail, partial(publish_in_turn, node, requests))
    no_hole(reads_of(tail, node, topic))


@covers("API-201.a")
def test_nothing_passes_a_publish_that_is_still_unfinished_on_its_topic(pool: Pool, draw: Draw) -> None:
    """API-201.a: while a publish has its id but is not stored yet, no page shows a later one of its topic."""
    topic, envelopes = a_topic_of(draw, 2)
    with pool.exclusive() as deployment:
        node, tail = deployment.node(), Tail(deployment.node(), topic)
        with held_publish(deployment, envelopes[0]) as held:
            later = held.beside(lambda: node.publish(envelopes[1]))
            until(later.done, bool, patience_s=PATIENCE_S)
            tail()
        for answer in (held.answer, later):
            answer.result().confirmed()
        no_hole(reads_of(tail, node, topic))


@covers("API-201.c")
def test_every_page_lists_each_topic_in_rising_order(node: Node, draw: Draw) -> None:
    """API-201.c: pages of one topic and of several, whole and cut, from the start and from between, ascend by topic."""
    stocked = [a_topic_of(draw, 8) for _ in range(3)]
    ids = [
        meta.sequence_id
        for half in (slice(0, 4), slice(4, 8))
        for meta in node.publish(*(envelope for _, envelopes in stocked for envelope in envelopes[half])).metas
    ]
    for cursor, limit in product((None, min(ids), sorted(ids)[len(ids) // 2]), (0, 1, 5, 20)):
        for topics in (stocked, stocked[:1]):
            page = node.query(*(Position(topic, cursor) for topic, _ in topics), limit=limit)
            ascending(page.metas)
