"""API-244: QueryNewest serves topics of every kind, and is the one way to read key packages."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.craft.any_kind import KINDS, new_envelope
from conformance.craft.draw import Draw
from conformance.craft.key_package import DAY_S, new_key_package
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.newest import lawful_newest
from conformance.oracle.reads import agree_everywhere
from conformance.suite import covers
from conformance.suite.api.s3_publish.judging import wire
from conformance.target.node import Node
from conformance.target.patience import until
from conformance.target.settled import settled_newest

both_forms = pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])


@covers("API-244.e")
@both_forms
def test_topics_of_every_kind_are_answered_in_one_request(node: Node, draw: Draw, full: bool) -> None:
    """API-244.e: one request may name topics of all kinds, and each that holds an envelope has its result."""
    sent = [new_envelope(draw, kind) for kind in KINDS if kind is not Kind.KEY_PACKAGE]
    sent.append(new_key_package(draw, draw.installation_key()))
    sent = sent[-node.limits.max_newest_full_topics :]
    topics = [topic_of(envelope) for envelope in sent]
    ids = {meta.topic: (meta.sequence_id,) for meta in node.publish(*sent).metas}
    answer = settled_newest(node, *topics, full=full)
    lawful_newest(answer.results, requested=topics, stored=ids, full=full, may_lag=False)


@covers("API-244.e")
@both_forms
def test_a_key_package_is_shown_as_it_came(node: Node, draw: Draw, full: bool) -> None:
    """API-244.e: the result for a key package topic carries the metadata of the receipt and the package itself."""
    package = new_key_package(draw, draw.installation_key())
    receipt = node.publish(package).meta
    shown = settled_newest(node, topic_of(package), full=full).results
    lawful_newest(
        shown, requested=[receipt.topic], stored={receipt.topic: (receipt.sequence_id,)}, full=full, may_lag=False
    )
    agree_everywhere(receipt, shown, sent=wire(package))


@covers("API-244.e")
@both_forms
@pytest.mark.parametrize("days", [(90, 60, 30), (30, 60, 90), (60, 90, 30)], ids=lambda days: "-".join(map(str, days)))
def test_the_newest_key_package_is_the_one_published_last(
    node: Node, draw: Draw, days: tuple[int, int, int], full: bool
) -> None:
    """API-244.e: of several key packages the last upload is shown, however long each of them lives."""
    key = draw.installation_key()
    sent = [new_key_package(draw, key, not_after=draw.now_s() + each * DAY_S) for each in days]
    topic, ids = topic_of(sent[0]), tuple(node.publish(package).meta.sequence_id for package in sent)
    answer = until(
        partial(node.newest, topic, full=full),
        lambda shown: [seen.meta.sequence_id for seen in shown.results] == [ids[-1]],
    )
    lawful_newest(answer.results, requested=[topic], stored={topic: ids}, full=full, may_lag=False)


@covers("API-244.e")
@both_forms
def test_an_installation_without_a_key_package_has_no_result(node: Node, draw: Draw, full: bool) -> None:
    """API-244.e: a key package topic that holds nothing is left out, beside one that holds something."""
    here, elsewhere = (new_key_package(draw, draw.installation_key()) for _ in range(2))
    ids = {topic_of(here): (node.publish(here).meta.sequence_id,)}
    topics = [topic_of(elsewhere), topic_of(here)]
    answer = until(partial(node.newest, *topics, full=full), lambda shown: len(shown.results) > 0)
    lawful_newest(answer.results, requested=topics, stored=ids, full=full, may_lag=False)
