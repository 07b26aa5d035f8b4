"""API-285: one port serves every service over gRPC and over gRPC-Web, with equal results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from conformance.craft.any_kind import new_envelope
from conformance.craft.draw import Draw
from conformance.craft.malformed import MALFORMED
from conformance.craft.topics import Kind, group_topic, topic_of
from conformance.oracle.absence import nothing_stored
from conformance.oracle.publish import WHOLE_REQUEST, at
from conformance.oracle.status import refused_as_malformed, succeeded
from conformance.oracle.violation import Violation
from conformance.suite import Notes, covers
from conformance.suite.api.each import each_unsigned_kind
from conformance.suite.api.s3_publish.judging import MALFORMED_PAYLOAD, admitted, detailed, refused, stored, topics_of
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.suite.api.s6_identity.inboxes import Inboxes, entry
from conformance.suite.api.s6_identity.questions import question, verified
from conformance.target.node import Node, Position
from conformance.target.settled import settled_newest
from conformance.target.web import WebNode
from conformance.target.with_chain import WithChain


@pytest.fixture
def web(node: Node) -> Iterator[WebNode]:
    """The endpoint of `node` as a page of another origin reaches it."""
    with node.web() as web:
        yield web


@pytest.fixture
def small_web(small: Node) -> Iterator[WebNode]:
    """The endpoint of `small` as a page of another origin reaches it."""
    with small.web() as web:
        yield web


def equal(what: str, over_web: object, native: object) -> None:
    """Judge that both ways in gave the same result. Reason: `unequal`."""
    if over_web != native:
        witness = {"over gRPC-Web": over_web, "over gRPC": native}
        raise Violation("unequal", f"{what} differs between gRPC-Web and gRPC.", witness=witness)


@covers("API-285.a")
def test_the_port_of_grpc_answers_http_of_a_page(node: Node, web: WebNode) -> None:
    """API-285.a: over HTTP/1.1 or HTTP/2 there is some answer to a call of gRPC-Web where gRPC is answered."""
    node.configuration().ok()
    if web.served() is False and web.served() is False:
        node.configuration().ok()
        raise Violation("not-served", "The port takes connections, but answers no call of gRPC-Web.")


@covers("API-285.a")
@each_unsigned_kind
def test_a_publish_over_web_is_one_over_grpc(node: Node, web: WebNode, draw: Draw, kind: Kind) -> None:
    """API-285.a: what a page published is read over gRPC, and is the stored one when published again."""
    envelope = new_envelope(draw, kind)
    stored(node, web.publish(envelope), [envelope])
    equal("The receipt of a publish", web.publish(envelope).metas, node.publish(envelope).metas)


@covers("API-285.a")
def test_both_ways_query_the_same_page(node: Node, web: WebNode, draw: Draw) -> None:
    """API-285.a: a page of several topics is the same, whether it is the last or not, and so is none at all.

    The order of topics in a page is open, and so is which of them a cut page shows: the cut one is of one topic.
    """
    one, other = new_envelope(draw, Kind.GROUP_MESSAGE), new_envelope(draw, Kind.WELCOME)
    several = [one, other, new_envelope(draw, Kind.GROUP_MESSAGE, topic_of(one)[1:])]
    node.publish(*several).ok()
    for topics, limit in ((topics_of(one), 1), (topics_of(one, other), 0)):
        pages = [each.query(*topics, limit=limit) for each in (web, node)]
        equal("A page of Query", *((Counter(page.seen), page.has_more) for page in pages))
    nothing = group_topic(draw.group_id())
    equal("A page without envelopes", web.query(nothing).seen, node.query(nothing).seen)


@covers("API-285.a")
def test_both_ways_refuse_the_same_query(node: Node, web: WebNode) -> None:
    """API-285.a: a malformed Query ends with the code it has over gRPC."""
    for each in (node, web):
        refused_as_malformed(each.query(Position(None)).call)


@covers("API-285.a")
@pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])
def test_both_ways_find_the_same_newest(node: Node, web: WebNode, draw: Draw, full: bool) -> None:
    """API-285.a: QueryNewest answers the same result, with and without its payload."""
    envelope = new_envelope(draw, Kind.KEY_PACKAGE)
    node.publish(envelope).ok()
    newest = [settled_newest(each, topic_of(envelope), full=full) for each in (web, node)]
    equal("The result of QueryNewest", *(each.results for each in newest))


@covers("API-285.a")
def test_both_ways_resolve_the_same_inbox(node: Node, web: WebNode, draw: Draw) -> None:
    """API-285.a: GetInboxIds finds the inbox that was created over gRPC-Web, whichever way it is asked."""
    page, native = Inboxes(web, draw), Inboxes(node, draw)
    native.directory = page.directory
    owner = entry(page.open().owner)
    equal("The answer of GetInboxIds", page.resolve(owner).response, native.resolve(owner).response)


@covers("API-285.a")
def test_both_ways_verify_the_same_signatures(chain: WithChain, draw: Draw) -> None:
    """API-285.a: VerifySmartContractWalletSignatures reaches the same verdicts."""
    asked = [question(draw), question(draw, valid=False)][: chain.node.limits.max_scw_signatures]
    with chain.node.web() as web:
        told = [verified(each, *asked).response for each in (web, chain.node)]
    equal("The verdicts", *([one.is_valid for one in each.responses] for each in told))


@covers("API-285.a")
def test_both_ways_tell_the_same_configuration(node: Node, web: WebNode) -> None:
    """API-285.a: GetConfiguration answers the same message."""
    equal("The configuration", web.configuration().response, node.configuration().response)


@covers("API-285.a")
def test_both_ways_stream_the_same_history(node: Node, web: WebNode, draw: Draw) -> None:
    """API-285.a: SubscribeStatic delivers the same envelopes."""
    traffic = Traffic(node, draw)
    topic = traffic.stocked(5)
    with web.subscribe_static(topic) as page, node.subscribe_static(topic) as native:
        for stream in (page, native):
            stream.until(topic, traffic.last_of(topic))
            traffic.judge(stream)
        equal("The stream of a topic", page.rows_of(topic), native.rows_of(topic))


@covers("API-285.d")
def test_a_page_gets_each_envelope_while_its_stream_goes_on(node: Node, web: WebNode, draw: Draw) -> None:
    """API-285.d: Started comes at once, and each envelope before the next one is published."""
    traffic = Traffic(node, draw)
    topic = traffic.topic()
    with node.subscribe_static(topic) as native, web.subscribe_static(topic) as page:
        page.started()
        for _ in range(3):
            traffic.publish(*traffic.envelopes(topic, 1))
            for stream in (native, page):
                stream.until(topic, traffic.last_of(topic))


@covers("API-285.c")
@pytest.mark.parametrize("defect", ["payload-unset", "welcome-version-unset", "private-group-id-of-15-bytes"])
def test_a_page_learns_which_envelope_is_at_fault(node: Node, web: WebNode, draw: Draw, defect: str) -> None:
    """API-285.c: the PublishError of a publish over gRPC-Web names index and reason, and nothing is stored."""
    good, pair = new_envelope(draw, Kind.GROUP_MESSAGE), MALFORMED[defect].build(draw)
    refused(web.publish(good, pair.broken), at(1, MALFORMED_PAYLOAD))
    nothing_stored((), node.envelopes_on(*topics_of(good, pair.twin)))
    admitted(web.publish(good, pair.twin))


@covers("API-285.c")
def test_a_page_reads_the_same_detail_as_others(node: Node, web: WebNode, draw: Draw, notes: Notes) -> None:
    """API-285.c: a failing publish has the same PublishError over gRPC-Web as over gRPC."""
    broken = MALFORMED["payload-unset"].build(draw).broken
    answers = [each.publish(broken) for each in (web, node)]
    for answer in answers:
        detailed(answer, notes)
    equal("The PublishError", *((each.failure.index, each.failure.reason) for each in answers if each.failure))


@covers("API-285.c")
def test_a_page_learns_that_the_whole_request_is_at_fault(small: Node, small_web: WebNode, draw: Draw) -> None:
    """API-285.c: a publish of too many topics over gRPC-Web has a PublishError without an index."""
    good = [new_envelope(draw, Kind.GROUP_MESSAGE) for _ in range(small.limits.max_publish_topics + 1)]
    refused(small_web.publish(*good), WHOLE_REQUEST)
    nothing_stored((), small.envelopes_on(*topics_of(*good)))
    succeeded(small_web.publish(*good[1:]).call)
