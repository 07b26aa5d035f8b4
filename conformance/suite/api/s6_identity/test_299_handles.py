"""API-299: a handle resolves to the inbox that has ever claimed it, whatever its ASCII letter case.

An answer may lag (API section 1), so each lookup is asked for again until it has caught up with what was published.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.identity.handles import HandlesProfile
from conformance.oracle.status import ended, succeeded
from conformance.suite import covers
from conformance.suite.api.s6_identity.inboxes import Inboxes, asked, entry, in_capitals
from conformance.suite.api.s6_identity.names import (
    LOOK_ALIKES,
    NO_HANDLES,
    claimed_with,
    needs_no_handle,
    unclaimable,
    unclaimed_or_proven,
)
from conformance.target.node import Node
from conformance.target.pool import Pool
from conformance.wire.transcript import Code

SEVEN_DAYS_MS = 7 * 86_400_000


@pytest.fixture
def inboxes(node: Node, draw: Draw, handles: HandlesProfile) -> Inboxes:
    """Inboxes of this case alone, which may claim handles."""
    return Inboxes(node, draw, handles=handles)


@pytest.fixture
def claimed(inboxes: Inboxes, draw: Draw, handles: HandlesProfile) -> str:
    """A handle that an inbox has claimed."""
    handle, inbox = handles.drawn(draw), inboxes.open()
    inboxes.publish(inbox.claim(handle, handles))
    return handle


@covers("API-299.a")
def test_a_handle_resolves_to_the_inbox_that_claimed_it(inboxes: Inboxes, draw: Draw, handles: HandlesProfile) -> None:
    """API-299.a: each of three claimed handles is found at its inbox, beside a wallet and in any order."""
    owners = [inboxes.open() for _ in range(3)]
    names = [handles.drawn(draw) for _ in owners]
    for inbox, name in zip(owners, names, strict=True):
        inboxes.publish(inbox.claim(name, handles))
    found = [(name, handles.identifier_kind) for name in reversed(names)]
    inboxes.resolve_and_echo(*found, entry(owners[1].owner), *found)


@covers("API-299.a1")
def test_an_earlier_handle_still_resolves(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-299.a1: eight days and another claim later, both handles of an inbox are found."""
    with pool.exclusive() as deployment:
        inboxes = Inboxes(deployment.node(), draw, handles=handles)
        inbox, names = inboxes.open(), [handles.drawn(draw) for _ in range(2)]
        for days, name in zip((0, 8), names, strict=True):
            deployment.clock_offset(days * SEVEN_DAYS_MS // 7)
            inboxes.publish(inbox.claim(name, handles))
        inboxes.resolve(*((name, handles.identifier_kind) for name in names))


@covers("API-299.b")
@given(masks=st.lists(st.integers(0), min_size=1, max_size=4))
def test_ascii_capitals_are_folded_and_echoed(
    inboxes: Inboxes, claimed: str, handles: HandlesProfile, masks: list[int]
) -> None:
    """API-299.b: with any of its letters as capitals a handle is found, and comes back with them."""
    shown = [claimed, claimed.upper(), *(in_capitals(claimed, mask) for mask in masks)]
    inboxes.resolve_and_echo(*((text, handles.identifier_kind) for text in shown))


@covers("API-299.c")
@pytest.mark.parametrize("letter", LOOK_ALIKES, ids=lambda letter: f"U+{ord(letter):04X}")
def test_a_letter_that_only_looks_the_same_is_no_part_of_a_handle(
    inboxes: Inboxes, handles: HandlesProfile, letter: str
) -> None:
    """API-299.c: a letter that other foldings make an ASCII letter fails the request, though the handle is claimed."""
    plain, other = claimed_with(inboxes, LOOK_ALIKES[letter], letter)
    succeeded(inboxes.node.inbox_ids(asked((plain, handles.identifier_kind))).call)
    answer = inboxes.node.inbox_ids(asked((plain, handles.identifier_kind), (other, handles.identifier_kind)))
    ended(answer.call, (Code.INVALID_ARGUMENT,))


@covers("API-299.d")
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("build", NO_HANDLES.values(), ids=NO_HANDLES)
def test_one_entry_that_is_no_handle_fails_the_request(
    inboxes: Inboxes, claimed: str, handles: HandlesProfile, build: str, place: int
) -> None:
    """API-299.d: among a claimed handle and a wallet, an entry that the grammar does not allow fails them all."""
    broken = needs_no_handle(handles, build.replace("{handle}", claimed))
    entries = [(claimed, handles.identifier_kind), entry(inboxes.open().owner)]
    succeeded(inboxes.node.inbox_ids(asked(*entries)).call)
    entries.insert(place, (broken, handles.identifier_kind))
    ended(inboxes.node.inbox_ids(asked(*entries)).call, (Code.INVALID_ARGUMENT,))


@covers("API-299.e")
def test_a_handle_nobody_claimed_is_absent(inboxes: Inboxes, handles: HandlesProfile) -> None:
    """API-299.e: unclaimed handles around a wallet that is found leave inbox_id absent."""
    one, other = ((handles.drawn(inboxes.draw), handles.identifier_kind) for _ in range(2))
    inboxes.resolve_and_echo(one, entry(inboxes.open().owner), other, one)


@covers("API-299.f")
@pytest.mark.parametrize("why", ["short", "reserved"])
def test_a_handle_that_could_not_be_claimed_is_absent(inboxes: Inboxes, why: str) -> None:
    """API-299.f: a name too short, or one that deployments reserve, is no error; it resolves only if it was claimed."""
    unclaimed_or_proven(inboxes, unclaimable(inboxes, why))
