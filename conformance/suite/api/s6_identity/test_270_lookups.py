"""API-270: GetInboxIds finds the inbox that an identifier joined last and has not been revoked from.

An answer may lag (API section 1), so each lookup is asked for again until it has caught up with what was published.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.craft.draw import Draw
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.wallet import Wallet, checksummed
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.lookups import resolved
from conformance.suite import Notes, covers
from conformance.suite.api.s6_identity.inboxes import (
    ETHEREUM,
    PASSKEY,
    UNSPECIFIED,
    Entry,
    Inboxes,
    asked,
    entry,
    in_capitals,
)
from conformance.suite.api.s6_identity.lives import interleaved, lives_of_four
from conformance.target.node import Node
from conformance.wire.transcript import Code

each_kind = pytest.mark.parametrize("drawn", [Wallet.drawn, Passkey.drawn], ids=["wallet", "passkey"])
Drawn = Callable[[Draw], Signer]


@pytest.fixture
def inboxes(node: Node, draw: Draw) -> Inboxes:
    """Inboxes of this case alone."""
    return Inboxes(node, draw)


@pytest.fixture
def known(inboxes: Inboxes, draw: Draw) -> list[Entry]:
    """Two wallets and a passkey that are members, then a wallet and a passkey that are not."""
    key = Passkey.drawn(draw)
    inbox, other = inboxes.open(), inboxes.open()
    inboxes.publish(inbox.add(key))
    members = [entry(inbox.owner), entry(other.owner), entry(key)]
    return [*members, entry(Wallet.drawn(draw)), entry(Passkey.drawn(draw, compressed=True))]


@covers("API-270.a")
def test_every_entry_is_answered_in_its_place(inboxes: Inboxes, known: list[Entry], notes: Notes) -> None:
    """API-270.a: known, unknown and repeated identifiers, one of no stated kind, are answered in their order."""
    one, other, key, nobody, no_key = known
    unstated = (other[0], UNSPECIFIED)
    inboxes.resolve_and_echo(nobody, one, one, no_key, unstated, key, nobody, nobody, other, key, one)
    # nothing says that a lookup of nothing is malformed, nor that it is not (V29)
    if inboxes.resolve_or_refuse().status.code is not Code.OK:
        notes.add("A lookup without entries is refused.")


@covers("API-270.a")
@given(picks=st.lists(st.tuples(st.integers(0, 4), st.integers(0)), min_size=1, max_size=8))
def test_identifiers_come_back_letter_for_letter(
    inboxes: Inboxes, known: list[Entry], picks: list[tuple[int, int]]
) -> None:
    """API-270.a: whichever letters of an address or a key are capitals, the answer repeats them as they were sent."""
    inboxes.echo(*((in_capitals(known[which][0], mask), known[which][1]) for which, mask in picks))


@covers("API-270.b")
@each_kind
def test_the_newest_association_wins_until_it_is_revoked(inboxes: Inboxes, draw: Draw, drawn: Drawn) -> None:
    """API-270.b: a member of three inboxes is found in the last; each revocation shows the one before, then none."""
    member = drawn(draw)
    joined = [inboxes.open() for _ in range(3)]
    for inbox in joined:
        inboxes.publish(inbox.add(member))
        inboxes.resolve(entry(member))
    for inbox in reversed(joined):
        inboxes.publish(inbox.revoke(member))
        inboxes.resolve(entry(member))


@covers("API-270.b")
def test_an_older_association_may_be_revoked_unseen(inboxes: Inboxes, draw: Draw) -> None:
    """API-270.b: to revoke an association that is not the newest changes no answer, until the newest goes too."""
    member, (one, other) = Wallet.drawn(draw), (inboxes.open(), inboxes.open())
    for inbox in (one, other):
        inboxes.publish(inbox.add(member))
    for inbox in (one, other):
        inboxes.publish(inbox.revoke(member))
        inboxes.resolve(entry(member))


@covers("API-270.b")
def test_who_only_recovers_an_inbox_is_not_found(inboxes: Inboxes, draw: Draw) -> None:
    """API-270.b: to be the recovery identifier of an inbox is no association with it."""
    inbox, heir = inboxes.open(), Wallet.drawn(draw)
    inboxes.publish(inbox.change_recovery(heir))
    inboxes.resolve(entry(heir), entry(inbox.owner))


@covers("API-270.c")
@each_kind
def test_an_association_made_again_is_the_newest(inboxes: Inboxes, draw: Draw, drawn: Drawn) -> None:
    """API-270.c: a member that leaves the first of two inboxes and joins it again is found there."""
    member, (one, other) = drawn(draw), (inboxes.open(), inboxes.open())
    for update in (one.add(member), other.add(member), one.revoke(member), one.add(member)):
        inboxes.publish(update)
    inboxes.resolve(entry(member))


@covers("API-270.c")
@each_kind
def test_an_association_made_again_at_once_is_the_newest(inboxes: Inboxes, draw: Draw, drawn: Drawn) -> None:
    """API-270.c: so it is when one update revokes the member and adds it again."""
    member, (one, other) = drawn(draw), (inboxes.open(), inboxes.open())
    again = one.update(*one.revocations([member]), one.addition(member))
    for update in (one.add(member), other.add(member), again):
        inboxes.publish(update)
    inboxes.resolve(entry(member))


@covers("API-270.d")
def test_equal_text_of_another_kind_is_not_found(inboxes: Inboxes, draw: Draw) -> None:
    """API-270.d: a wallet is no passkey and a passkey no wallet; such a lookup may also be refused."""
    inbox, key = inboxes.open(), Passkey.drawn(draw)
    inboxes.publish(inbox.add(key))
    (address, _), (point, _) = members = entry(inbox.owner), entry(key)
    inboxes.resolve(*members)
    for other in ((address, PASSKEY), (address.removeprefix("0x"), PASSKEY), (point, ETHEREUM)):
        inboxes.resolve_or_refuse(other)


@covers("API-270.d")
@pytest.mark.parametrize("kind", [UNSPECIFIED, ETHEREUM, PASSKEY])
def test_an_installation_is_never_found(inboxes: Inboxes, draw: Draw, kind: int) -> None:
    """API-270.d: the key of an installation resolves under no kind; such a lookup may also be refused."""
    inbox, device = inboxes.open(), Installation.drawn(draw)
    inboxes.publish(inbox.add(device))
    inboxes.resolve(entry(inbox.owner))
    for text in (device.identifier.text, f"0x{device.identifier.text}"):
        inboxes.resolve_or_refuse((text, kind))


@covers("API-270.e")
def test_an_address_is_found_in_any_case(inboxes: Inboxes) -> None:
    """API-270.e: an address is found in lower case, in capitals, with its checksum and in any other mixture."""
    address, kind = entry(inboxes.open().owner)
    capitals = "0x" + address[2:].upper()
    mixed = [in_capitals(address, inboxes.draw.random.getrandbits(42)) for _ in range(8)]
    inboxes.resolve(*((text, kind) for text in (address, capitals, checksummed(address), *mixed)))


@covers("API-270.e")
def test_an_address_with_a_capital_prefix_may_be_found(inboxes: Inboxes, notes: Notes) -> None:
    """API-270.e: whether an address that begins with 0X is found, not found or refused is only noted."""
    address, kind = entry(inboxes.open().owner)
    inboxes.resolve((address, kind))
    answer = inboxes.resolve_or_refuse((address.upper(), kind))
    if answer.status.code is not Code.OK:
        notes.add("An address with a capital prefix, 0X, is refused in a lookup.")
    elif not answer.response.responses[0].HasField("inbox_id"):
        notes.add("An address with a capital prefix, 0X, is not found by a lookup.")


@covers("API-270.f")
@pytest.mark.parametrize("compressed", [False, True], ids=["whole", "compressed"])
def test_a_passkey_is_found_by_its_bytes(inboxes: Inboxes, draw: Draw, compressed: bool) -> None:
    """API-270.f: the hex text of a passkey is found in lower case, in capitals and in any mixture."""
    inbox, key = inboxes.open(), Passkey.drawn(draw, compressed=compressed)
    inboxes.publish(inbox.add(key))
    text, kind = entry(key)
    mixed = [in_capitals(text, draw.random.getrandbits(len(text))) for _ in range(8)]
    inboxes.resolve(*((form, kind) for form in (text, text.upper(), *mixed)))


@covers("API-270.g")
def test_lookups_agree_with_the_stored_topics(inboxes: Inboxes, node: Node, draw: Draw) -> None:
    """API-270.g: whatever members did in several inboxes meanwhile, they are found where a replay leaves them."""
    lives = lives_of_four(draw)
    for updates in interleaved(draw, lives, most=node.limits.max_publish_topics):
        inboxes.publish(*updates)
    entries = [entry(person) for person in lives.people]
    answer = inboxes.resolve(*entries)
    stored = Directory.of(node.envelopes_on(*lives.topics))
    resolved(stored, asked(*entries), answer.response)
