"""API-244: QueryNewest does not hide an envelope that has expired while it is still stored."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.craft.any_kind import KINDS, new_envelope
from conformance.craft.draw import Draw
from conformance.craft.topics import Kind, kind_of, topic_of
from conformance.oracle.expired import not_hidden
from conformance.suite import covers
from conformance.target.backend_clock import BackendClock
from conformance.target.lapse import Lapse
from conformance.target.patience import until


@covers("API-244.d")
@pytest.mark.parametrize("full", [False, True], ids=["metadata", "full"])
def test_an_expired_envelope_is_shown_while_it_is_stored(soon_expired: Lapse, draw: Draw, full: bool) -> None:
    """API-244.d: once it has expired QueryNewest omits it only if Query does, and no repeat is answered its id."""
    node = soon_expired.node
    sent = [new_envelope(draw, kind) for kind in KINDS][: node.limits.max_newest_full_topics]
    topics, receipts = [topic_of(each) for each in sent], node.publish(*sent).metas
    soon_expired.let_expire(BackendClock(node.publish(new_envelope(draw, Kind.GROUP_MESSAGE))), receipts)
    newest = until(partial(node.newest, *topics, full=full), lambda shown: len(shown.results) >= len(topics))
    later = node.envelopes_on(*(topic for topic in topics if kind_of(topic) is not Kind.KEY_PACKAGE))
    not_hidden(receipts, newest.results, later, node.publish(*sent).metas)
