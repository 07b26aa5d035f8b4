"""The model and the catalogues agree about every entry, and a rule that the model forgets is noticed."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.entry import OddUpdate, Situation, WrongUpdate
from conformance.craft.identity.updates import ODD_UPDATES, OPEN_UPDATES, WRONG_UPDATES
from conformance.oracle.identity import association, chain, reading, signatures
from conformance.oracle.identity.association import NotApplicable
from conformance.oracle.identity.chain import ChainVerdict
from conformance.oracle.identity.judge import judge_update
from conformance.oracle.identity.state import AssociationState
from conformance.oracle.identity.verdict import Admitted, Refused, Verdict
from tests.oracle.identity.people import admitted, after, chain_that, update_of


@cache
def made_by(name: str) -> Situation:
    """Make the situation of an entry once: signing takes longer than judging."""
    return {**WRONG_UPDATES, **OPEN_UPDATES}[name].build(Draw(1, name.encode()))


def judged(entry: WrongUpdate) -> tuple[Verdict, Verdict]:
    """Judge the broken update of an entry and its twin, each at the end of the log."""
    made = made_by(entry.name)
    says = chain_that(ChainVerdict.VALID, rejecting=made.rejected)
    state = after(map(update_of, made.before), chain=says)
    broken, twin = update_of(made.broken), update_of(made.twin)
    own = state if state is None or state.inbox_id == broken.inbox_id.lower() else None
    return judge_update(own, broken, chain=says), judge_update(state, twin, chain=says)


@pytest.mark.parametrize("wrong", WRONG_UPDATES.values(), ids=str)
def test_a_wrong_update_is_refused_for_the_rule_it_names_and_its_twin_is_not(wrong: WrongUpdate) -> None:
    broken, twin = judged(wrong)
    admitted(twin)
    assert isinstance(broken, Refused), broken
    assert broken.reasons == wrong.reasons
    assert {fault.rule for fault in broken.faults} >= {wrong.rule}
    assert not broken.unavailable
    assert not broken.allows(None)


@pytest.mark.parametrize("wrong", OPEN_UPDATES.values(), ids=str)
def test_an_update_left_open_may_be_taken_and_may_be_refused(wrong: WrongUpdate) -> None:
    broken, twin = judged(wrong)
    admitted(twin)
    assert isinstance(broken, Admitted), broken
    assert broken.reasons == wrong.reasons
    assert {fault.rule for fault in broken.open} == {wrong.rule}
    assert all(broken.allows(reason) for reason in (None, *wrong.reasons))


@pytest.mark.parametrize("odd", ODD_UPDATES.values(), ids=str)
def test_an_odd_update_must_be_taken(odd: OddUpdate) -> None:
    states: dict[str, AssociationState] = {}
    for envelope in odd.build(Draw(1, odd.name.encode())).envelopes:
        update = update_of(envelope)
        verdict = judge_update(states.get(update.inbox_id), update, chain=chain_that(ChainVerdict.VALID))
        states[update.inbox_id] = admitted(verdict).state


def forgetful_of(rule: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Turn a step of the model into one that does nothing where it would object by a rule."""

    def wrap(step: Callable[..., Any]) -> Callable[..., Any]:
        def forgetful(self: object, state: Any, *args: Any) -> Any:  # noqa: ANN401 - stands for any step
            try:
                return step(self, state, *args)
            except NotApplicable as problem:
                if problem.fault.rule != rule or not isinstance(state, AssociationState):
                    raise
                return state

        return forgetful

    return wrap


@pytest.mark.parametrize(
    ("step", "rule"),
    [
        ("step", "IDENT-011"),
        ("step", "IDENT-050"),
        ("add", "IDENT-040"),
        ("add", "IDENT-041"),
        ("add", "IDENT-046"),
        ("revoke", "IDENT-043"),
        ("revoke", "IDENT-046"),
        ("change_recovery", "IDENT-045"),
        ("change_recovery", "IDENT-046"),
    ],
)
def test_a_rule_of_the_state_that_the_model_forgets_is_noticed(
    monkeypatch: pytest.MonkeyPatch, step: str, rule: str
) -> None:
    update = association._Update
    monkeypatch.setattr(update, step, forgetful_of(rule)(getattr(update, step)))
    assert noticed() >= {rule}


class Whatever(str):
    """A text that no other differs from."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, str)


@pytest.mark.parametrize(
    ("module", "name", "lax", "rule"),
    [
        (association, "inbox_id_of", lambda *_: Whatever(), "IDENT-003"),
        (reading, "is_address", lambda _: True, "IDENT-013"),
        (reading, "is_hex", lambda _: True, "TOPIC-002"),
        (signatures, "_PARITY_OF_V", {v: v % 2 for v in range(256)}, "IDENT-030"),
        (signatures, "_CONTEXT", b"", "IDENT-030"),
        (chain, "_ACCOUNT", re.compile(r"\w*:0?\+?(?:0x)?(\d+): ?(.*?)(?::0)?"), "IDENT-060"),
    ],
    ids=["derived-id", "address", "hex", "v", "context", "account"],
)
def test_a_form_that_the_model_lets_pass_is_noticed(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, lax: object, rule: str
) -> None:
    monkeypatch.setattr(module, name, lax)
    assert rule in noticed()


def noticed() -> set[str]:
    """Give the rules of the entries that the model judges otherwise than the catalogues."""
    rules = set()
    for wrong in WRONG_UPDATES.values():
        try:
            broken, twin = judged(wrong)
            admitted(twin)
            agrees = isinstance(broken, Refused) and broken.reasons == wrong.reasons
        except (AssertionError, ValueError):
            agrees = False
        rules |= set() if agrees else {wrong.rule}
    return rules
