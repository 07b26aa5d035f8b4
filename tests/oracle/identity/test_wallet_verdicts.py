"""Verdicts are judged one by one in their places, with the blocks they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.oracle.identity.wallet_verdicts import Response, blocks, verdicts
from conformance.oracle.violation import Violation

told = st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=5)


def response(entries: list[tuple[bool, int]]) -> Response:
    return Response(responses=[Response.Response(is_valid=valid, block_number=block) for valid, block in entries])


def judge(place: int, answered: list[tuple[bool, int]], wanted: list[tuple[bool, int]]) -> None:
    if place:
        blocks(response(answered), [block for _, block in wanted])
    else:
        verdicts(response(answered), [valid for valid, _ in wanted])


@given(told, told)
def test_an_answer_is_lawful_if_and_only_if_it_says_the_same(
    answered: list[tuple[bool, int]], wanted: list[tuple[bool, int]]
) -> None:
    for place, reason in enumerate(("wrong-verdict", "wrong-block")):
        if [entry[place] for entry in answered] == [entry[place] for entry in wanted]:
            judge(place, answered, wanted)
            continue
        with pytest.raises(Violation) as raised:
            judge(place, answered, wanted)
        assert raised.value.reason == (reason if len(answered) == len(wanted) else "entry-count")


def test_a_verdict_without_its_block_is_told_apart_from_one_at_block_0() -> None:
    blocks(response([(True, 0)]), [0])
    with pytest.raises(Violation, match="names no block") as raised:
        blocks(Response(responses=[Response.Response(is_valid=True)]), [0])
    assert raised.value.reason == "missing-block"
