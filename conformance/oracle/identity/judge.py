"""Whether an identity update must be admitted to the log it is meant for, told from both alone (API-230, IDENT-005)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conformance.oracle.identity.association import NotApplicable, Proven, apply
from conformance.oracle.identity.chain import Chain, no_chain, said_yes
from conformance.oracle.identity.handles import HandleRules
from conformance.oracle.identity.reading import Reading, read
from conformance.oracle.identity.signatures import OUTSIDE_RULE, Checked, Proof, check
from conformance.oracle.identity.signed_text import signed_text
from conformance.oracle.identity.state import AssociationState
from conformance.oracle.identity.verdict import (
    INVALID_IDENTITY_UPDATE,
    TOO_LARGE,
    Admitted,
    Fault,
    Refused,
    Verdict,
    reasons_of,
)
from conformance.oracle.violation import Violation
from conformance.pb import association_pb2

IdentityUpdate = association_pb2.IdentityUpdate


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The published bounds on identity updates; None leaves one out."""

    max_identity_entries: int | None = None
    max_scw_signatures: int | None = None


UNBOUNDED = Bounds()


def judge_update(
    state: AssociationState | None,
    update: IdentityUpdate,
    *,
    chain: Chain = no_chain,
    handles: HandleRules | None = None,
    bounds: Bounds = UNBOUNDED,
) -> Verdict:
    """Judge a new update for the inbox in `state`, None for one without a log.

    `chain` is asked about contract wallets' signatures. Without `handles` the deployment knows no claims. What needs
    other inboxes or a clock is judged by `Directory.judge`. Raises ValueError when the state is of another inbox.
    """
    if state is not None and state.inbox_id != update.inbox_id.lower():
        raise ValueError(f"an update of {update.inbox_id} cannot be judged by the state of {state.inbox_id}")
    reading = read(update, handles)
    if not reading.on_topic:
        return Refused(faults=reading.faults, reasons=reasons_of(reading.faults))
    beside = tuple(_over_bounds(state, reading, bounds)) + reading.faults
    return _judged(state, reading, beside, chain, handles)


def _judged(
    state: AssociationState | None,
    reading: Reading,
    beside: tuple[Fault, ...],
    chain: Chain,
    handles: HandleRules | None,
) -> Verdict:
    """Judge an update that has these faults of its form and size."""
    if reading.actions is None:
        return _refused(beside)
    text = signed_text(reading.inbox_id, reading.client_timestamp_ns, reading.actions, handles)
    checked = [
        [Checked() if signature is None else check(signature, text, chain) for signature in action.signatures]
        for action in reading.actions
    ]
    every = [one for slots in checked for one in slots]
    faults = (*beside, *(fault for one in every for fault in one.faults))
    outside = any(fault.rule == OUTSIDE_RULE for fault in faults)
    unreachable = any(one.unreachable for one in every)
    try:
        applied = apply(
            state,
            reading.inbox_id,
            reading.client_timestamp_ns,
            [
                Proven(action=action, proofs=tuple(one.proof or Proof() for one in slots))
                for action, slots in zip(reading.actions, checked, strict=True)
            ],
            handles,
        )
    except NotApplicable as problem:
        # a backend may find this first, whatever else is wrong: the contract sets no order
        return _refused((*faults, problem.fault), unavailable=unreachable or outside)
    faults = (*faults, *applied.open)
    if unreachable or any(not fault.may_be_taken for fault in faults):
        return _refused(faults, unavailable=unreachable or outside)
    return Admitted(state=applied.state, open=faults, unavailable=outside)


def _refused(faults: tuple[Fault, ...], *, unavailable: bool = False) -> Refused:
    return Refused(faults=faults, reasons=reasons_of(faults), unavailable=unavailable)


def _over_bounds(state: AssociationState | None, reading: Reading, bounds: Bounds) -> Iterable[Fault]:
    entries = 0 if state is None else state.updates
    if bounds.max_identity_entries is not None and entries >= bounds.max_identity_entries:
        says = f"the log holds {entries} entries already"
        yield Fault(rule="API-234", says=says, reasons=frozenset({INVALID_IDENTITY_UPDATE}))
    wallets = contract_signatures(reading)
    if bounds.max_scw_signatures is not None and wallets > bounds.max_scw_signatures:
        says = f"the update holds {wallets} contract wallets' signatures"
        yield Fault(rule="API-223", says=says, reasons=frozenset({TOO_LARGE}))


def contract_signatures(reading: Reading) -> int:
    """Count the slots of an update that hold a contract wallet's signature, equal ones each time."""
    return sum(
        signature is not None and signature.WhichOneof("signature") == "erc_6492"
        for action in reading.actions or ()
        for signature in action.signatures
    )


def replay(
    updates: Sequence[IdentityUpdate], *, handles: HandleRules | None = None, chain: Chain = said_yes
) -> AssociationState | None:
    """Apply a stored log from its start (API-232): the state of the inbox, None for an empty log.

    The chain is taken to have accepted what is stored. Raises Violation `does-not-apply` for the first update that no
    reading of the rules lets into the log.
    """
    state: AssociationState | None = None
    for index, update in enumerate(updates):
        verdict = judge_update(state, update, chain=chain, handles=handles)
        if isinstance(verdict, Refused):
            raise Violation(
                "does-not-apply",
                f"The identity log of inbox {update.inbox_id} holds at place {index} an update that the log before it "
                "forbids.",
                witness={"why": [str(fault) for fault in verdict.faults], "update": update.SerializeToString()},
            )
        state = verdict.state
    return state
