"""API-251: what makes an Update invalid, and that an invalid one fails its stream and changes nothing."""

from __future__ import annotations

import pytest

from conformance.craft.draw import Draw
from conformance.suite import covers
from conformance.suite.api.s5_subscribe.reading import Traffic
from conformance.suite.api.s5_subscribe.wrong_updates import (
    LAST_ID,
    WRONG_FRAMES,
    WrongFrame,
    fails_unlike_its_twin,
    refuse_all,
    wrong_by,
)
from conformance.target.node import Node


@covers("API-251.a")
@pytest.mark.parametrize("wrong", wrong_by("API-251.a"), ids=str)
def test_an_id_of_0_fails_the_stream(node: Node, draw: Draw, wrong: WrongFrame) -> None:
    """API-251.a: an Update with the id 0 ends the stream; with the next id it is accepted."""
    fails_unlike_its_twin(Traffic(node, draw), wrong)


@covers("API-251.b")
@pytest.mark.parametrize("wrong", wrong_by("API-251.b"), ids=str)
def test_an_id_that_does_not_rise_fails_the_stream(node: Node, draw: Draw, wrong: WrongFrame) -> None:
    """API-251.b: an Update whose id is that of the one before, or lower, ends the stream."""
    fails_unlike_its_twin(Traffic(node, draw), wrong)


@covers("API-251.c")
@pytest.mark.parametrize("wrong", wrong_by("API-251.c"), ids=str)
def test_a_topic_named_twice_fails_the_stream(node: Node, draw: Draw, wrong: WrongFrame) -> None:
    """API-251.c: an Update that names a topic twice, in one list or in both, ends the stream."""
    fails_unlike_its_twin(Traffic(node, draw), wrong)


@covers("API-251.d")
@pytest.mark.parametrize("verb", ["adds", "removes"])
def test_a_malformed_topic_fails_the_stream(node: Node, draw: Draw, verb: str) -> None:
    """API-251.d: an Update that adds or removes a topic of a kind or length there is not ends the stream."""
    frames = [wrong for wrong in wrong_by("API-251.d") if wrong.name.startswith(verb)]
    fails_unlike_its_twin(Traffic(node, draw), frames[0])
    refuse_all(Traffic(node, draw), frames[1:], "API-251.d")


@covers("API-251.e")
@pytest.mark.parametrize("wrong", wrong_by("API-251.e"), ids=str)
def test_an_entry_without_a_topic_fails_the_stream(node: Node, draw: Draw, wrong: WrongFrame) -> None:
    """API-251.e: an Update of which an entry names no topic at all ends the stream, wherever the entry stands."""
    fails_unlike_its_twin(Traffic(node, draw), wrong)


@covers("API-251.f")
@pytest.mark.parametrize("wrong", wrong_by("API-251.f"), ids=str)
def test_a_cursor_above_every_id_fails_the_stream(node: Node, draw: Draw, wrong: WrongFrame) -> None:
    """API-251.f: an Update with a cursor above 2^63-1 ends the stream."""
    fails_unlike_its_twin(Traffic(node, draw), wrong)


@covers("API-251.g")
@pytest.mark.parametrize("wrong", wrong_by("API-251.g"), ids=str)
def test_an_unset_request_fails_the_stream(node: Node, draw: Draw, wrong: WrongFrame) -> None:
    """API-251.g: a request frame that is neither an Update nor a Ping nor a Pong ends the stream."""
    fails_unlike_its_twin(Traffic(node, draw), wrong)


@covers("API-251.h")
def test_nothing_of_an_invalid_update_is_carried_out(node: Node, draw: Draw) -> None:
    """API-251.h: topics that only an invalid Update adds are not delivered, neither their history nor what comes."""
    frames = [wrong for wrong in WRONG_FRAMES if wrong.clause not in ("API-251.d", "API-251.g")]
    refuse_all(Traffic(node, draw), frames, "API-251.h")


@covers("API-251.i")
def test_ids_may_leave_gaps_of_any_width(node: Node, draw: Draw) -> None:
    """API-251.i: ids that rise by one, by some and by most of the range, up to 2^64-1, are all accepted."""
    traffic = Traffic(node, draw)
    ids = (1, 2, 5, 1 << 31, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, LAST_ID)
    with node.subscribe() as stream:
        for number in ids[: node.limits.max_update_burst]:
            stream.update(adds=[traffic.topic()], id=number)
            stream.applied(number)
        traffic.judge(stream, "API-251.i", "API-252.a")


@covers("API-251.j")
def test_ids_belong_to_their_stream(node: Node, draw: Draw) -> None:
    """API-251.j: two streams of one connection both begin with the id 1, the second one behind higher ids."""
    traffic = Traffic(node, draw)
    with node.subscribe() as stream, node.subscribe() as other:
        for number in (1, 9):
            stream.update(adds=[traffic.topic()], id=number)
            stream.applied(number)
        for number in (1, 2):
            other.update(adds=[traffic.topic()], id=number)
            other.applied(number)
        for each in (stream, other):
            traffic.judge(each, "API-251.j", "API-252.a")
