"""API-297: names that are too short or reserved cannot be claimed, by nobody and at no time."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.identity.handles import HandlesProfile
from conformance.oracle.publish import at
from conformance.suite import covers
from conformance.suite.api.s3_publish.claiming import (
    HANDLE_NOT_ALLOWED,
    HANDLE_TAKEN,
    Calendar,
    Claims,
    allow_no_longer,
    min_name_length,
    stricter_later,
    wide_handles,
)
from conformance.suite.api.s3_publish.identity import joining
from conformance.suite.api.s3_publish.judging import admitted, refused
from conformance.target.configurations import RESERVED_NAME
from conformance.target.errors import Missing, Undecided
from conformance.target.node import Node
from conformance.target.pool import Pool

# so many short names are tried, because others can have claimed them and a list nobody publishes can hold them
TRIES = 12


@covers("API-297.a")
def test_a_name_one_character_too_short_is_refused(node: Node, draw: Draw, handles: HandlesProfile) -> None:
    """API-297.a: a name of min_name_length less one is not allowed; the same inbox can claim a longer one."""
    claims = Claims(node, draw, handles)
    inbox, length = claims.inbox(), min_name_length(node, handles) - 1
    if not handles.shortest_name <= length <= handles.longest_name:
        raise Missing("handles", f"by the handles profile no handle has a name of {length} characters")
    for _ in range(TRIES):
        handle = handles.drawn(draw, length=length)
        short = claims.encoded(inbox, handle)
        answer = node.publish(short)
        # one that somebody claimed when it was long enough may as well be called taken
        if answer.failure is None or answer.failure.reason != HANDLE_TAKEN or claims.found(handle) is None:
            break
    else:
        raise Undecided(f"All of {TRIES} handles of {length} characters that were tried are taken.")
    refused(answer, at(0, HANDLE_NOT_ALLOWED))
    claims.never_stored(short)
    claims.take(inbox, claims.name())


@covers("API-297.a")
def test_a_name_just_long_enough_is_taken(node: Node, draw: Draw, handles: HandlesProfile) -> None:
    """API-297.a: of several names of exactly min_name_length one at least is neither taken nor reserved."""
    claims = Claims(node, draw, handles)
    inbox, length = claims.inbox(), min_name_length(node, handles)
    if not handles.shortest_name <= length <= handles.longest_name:
        raise Missing("handles", f"by the handles profile no handle has a name of {length} characters")
    answers = []
    for _ in range(TRIES):
        answers.append(node.publish(claims.encoded(inbox, handles.drawn(draw, length=length))))
        failure = answers[-1].failure
        if failure is None or failure.reason not in {HANDLE_TAKEN, HANDLE_NOT_ALLOWED}:
            break
    else:
        if any(answer.failure is not None and answer.failure.reason == HANDLE_TAKEN for answer in answers):
            raise Undecided(f"All of {TRIES} handles of {length} characters that were tried are taken or reserved.")
    admitted(answers[-1])


@covers("API-297.b")
def test_a_reserved_name_is_refused(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-297.b: a name on the operator's list is not allowed; the same inbox can claim another one."""
    handle = handles.handle(RESERVED_NAME)
    if handles.name_of(handle) != RESERVED_NAME:
        raise Missing("handles", f"by the handles profile {RESERVED_NAME} is no name")
    claims = Claims(pool.deployment("handle-rules").node(), draw, handles)
    inbox = claims.inbox()
    claims.refuse(inbox, handle, HANDLE_NOT_ALLOWED)
    claims.take(inbox, claims.name())


@covers("API-297.c")
def test_an_own_handle_that_is_too_short_by_now_is_refused(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-297.c: who holds a handle from before cannot claim it anew, and is found under it all the same."""
    if "clock" not in pool.subject().controls:
        raise Missing("clock", "between two claims of an inbox lie seven days")
    with stricter_later(pool) as deployment:
        clock = Calendar(deployment, draw)
        claims = Claims(deployment.node(), draw, handles)
        handle, inbox = claims.name(), claims.inbox()
        receipt = claims.take(inbox, handle)
        allow_no_longer(deployment, handle, handles)
        clock.a_week_after(receipt)
        claims.refuse(inbox, handle, HANDLE_NOT_ALLOWED)
        claims.resolves(handle, inbox)


@covers("API-297.d")
def test_a_name_is_as_long_as_it_has_characters(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-297.d: a name whose bytes are enough and whose characters are not is too short; one letter more is enough."""
    node, wide = pool.deployment("wide-handles").node(), wide_handles(handles)
    claims = Claims(node, draw, wide)
    inbox, length = claims.inbox(), min_name_length(node, wide)
    claims.refuse(inbox, wide.drawn(draw, length=length - 1), HANDLE_NOT_ALLOWED)
    claims.take(inbox, wide.drawn(draw, length=length))


@covers("API-297.e")
def test_an_inbox_with_a_handle_too_short_by_now_goes_on(pool: Pool, draw: Draw, handles: HandlesProfile) -> None:
    """API-297.e: an update that claims nothing is taken, though the inbox's handle could not be claimed any more."""
    with stricter_later(pool) as deployment:
        claims = Claims(deployment.node(), draw, handles)
        handle = claims.name()
        inbox = claims.inbox(handle)
        allow_no_longer(deployment, handle, handles)
        admitted(claims.node.publish(joining(inbox, draw)))
        claims.refuse(claims.inbox(), claims.name(), HANDLE_NOT_ALLOWED)
