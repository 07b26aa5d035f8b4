"""API-270: the people of a real client's inboxes are found where its updates have left them."""

from __future__ import annotations

from conformance.craft.real_client_lookups import real_client_lookups
from conformance.craft.topics import Kind
from conformance.oracle.identity.known_lookups import as_known
from conformance.oracle.violation import Violation
from conformance.suite import covers
from conformance.suite.api.played import lines_of, played
from conformance.suite.api.s6_identity.inboxes import asked
from conformance.target.answers import Resolved
from conformance.target.patience import until
from conformance.target.pool import Pool
from conformance.target.with_chain import with_chain


@covers("API-270.b")
def test_the_people_of_a_real_client_are_found(pool: Pool) -> None:
    """API-270.b: after the updates of eight inboxes each wallet and passkey is found in the inbox it joined last."""
    known = real_client_lookups()
    request = asked(*((lookup.identifier, lookup.kind) for lookup in known))
    inbox_ids = [lookup.inbox_id for lookup in known]
    with with_chain(pool, alone=True) as fresh:
        played(fresh.node, lines_of(Kind.IDENTITY_UPDATE))
        answer = until(lambda: fresh.node.inbox_ids(request), lambda told: _is_as_known(inbox_ids, told))
    as_known(inbox_ids, answer.response)


def _is_as_known(inbox_ids: list[str | None], answer: Resolved) -> bool:
    """Tell whether a copy that answers lookups has caught up."""
    try:
        as_known(inbox_ids, answer.response)
    except Violation:
        return False
    return True
