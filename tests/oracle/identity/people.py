"""What the tests of the identity model share: chains that answer, and the suite's identifiers as the model has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from conformance.craft.identity.identifier import MemberId
from conformance.oracle.identity.chain import Chain, ChainQuestion, ChainVerdict, said_yes
from conformance.oracle.identity.handles import HandleRules
from conformance.oracle.identity.identifiers import Identifier, Kind
from conformance.oracle.identity.judge import IdentityUpdate, judge_update
from conformance.oracle.identity.state import AssociationState
from conformance.oracle.identity.verdict import Admitted, Verdict
from conformance.pb import backend_pb2
from conformance.target.chain.call_data import Asked, Asks
from conformance.target.chain.honest import honest

KINDS = {"wallet": Kind.ETHEREUM, "passkey": Kind.PASSKEY, "installation": Kind.INSTALLATION}
FAR_BLOCK = 1_000_000


def identifier(member: MemberId) -> Identifier:
    return Identifier(kind=KINDS[member.kind.value], text=member.text)


def update_of(envelope: bytes) -> IdentityUpdate:
    return backend_pb2.ClientEnvelope.FromString(envelope).identity_update


def chain_that(verdict: ChainVerdict, *, rejecting: Collection[bytes] = ()) -> Chain:
    """Give a chain that always says the same, but for signatures it rejects and for blocks far ahead."""

    def judged(question: ChainQuestion) -> ChainVerdict:
        if question.signature in rejecting:
            return ChainVerdict.INVALID
        return ChainVerdict.OUTSIDE if question.block_number > FAR_BLOCK else verdict

    return judged


def after(
    updates: Iterable[IdentityUpdate],
    *,
    chain: Chain = said_yes,
    handles: HandleRules | None = None,
) -> AssociationState | None:
    """Give the state after updates, each of which must be admitted without anything left open."""
    state: AssociationState | None = None
    for update in updates:
        state = admitted(judge_update(state, update, chain=chain, handles=handles)).state
    return state


def admitted(verdict: Verdict) -> Admitted:
    assert isinstance(verdict, Admitted), verdict
    assert not verdict.open
    assert not verdict.unavailable
    return verdict


Broken = Callable[[IdentityUpdate], object]


def edited(update: IdentityUpdate, edit: Broken) -> IdentityUpdate:
    """Give a copy with an edit that nobody signed."""
    copy = IdentityUpdate()
    copy.CopyFrom(update)
    edit(copy)
    return copy


def honest_chain(question: ChainQuestion) -> ChainVerdict:
    """Be a chain on which no account has code: only the key of an address signs for it."""
    asked = Asked(
        account=bytes.fromhex(question.address[2:]),
        hash=question.hash,
        signature=question.signature,
        how=Asks.BYTECODE,
    )
    return ChainVerdict.VALID if honest(asked) else ChainVerdict.INVALID
