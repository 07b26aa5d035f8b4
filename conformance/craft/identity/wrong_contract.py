"""Updates wrong about a contract wallet: rejected by its chain, misnamed, or on another chain (IDENT-046, 060)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import Action, AddMember, ChangeRecovery, RevokeMember
from conformance.craft.identity.contract_wallet import LOCAL_CHAIN, wallet_signatures
from conformance.craft.identity.entry import (
    BACKEND,
    IDENT,
    INVALID_IDENTITY_UPDATE,
    INVALID_SIGNATURE,
    MALFORMED_PAYLOAD,
    Situation,
    WrongUpdate,
    situation,
)
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.stage import Owner, Stage, Updates, acted, nothing, opening, then, usual
from conformance.craft.identity.update import IdentityUpdate

OTHER_CHAIN = 31338
SIGNATURE = frozenset({INVALID_SIGNATURE})
UPDATE = frozenset({INVALID_IDENTITY_UPDATE})
ANY_OF_THREE = frozenset({INVALID_IDENTITY_UPDATE, INVALID_SIGNATURE, MALFORMED_PAYLOAD})

# of the chain number and the address
_ACCOUNTS: dict[str, Callable[[int, str], str]] = {
    "of-another-namespace": lambda chain, address: f"cosmos:{chain}:{address}",
    "in-capitals": lambda chain, address: f"EIP155:{chain}:{address}",
    "without-namespace": lambda chain, address: f"{chain}:{address}",
    "without-chain": lambda _, address: f"eip155::{address}",
    "with-leading-zero": lambda chain, address: f"eip155:0{chain}:{address}",
    "with-plus": lambda chain, address: f"eip155:+{chain}:{address}",
    "with-hex-chain": lambda chain, address: f"eip155:{chain:#x}:{address}",
    "past-64-bits": lambda _, address: f"eip155:{1 << 64}:{address}",
    "address-only": lambda _, address: address,
    "of-39-digits": lambda chain, address: f"eip155:{chain}:{address[:-1]}",
    "of-41-digits": lambda chain, address: f"eip155:{chain}:{address}0",
    "without-prefix": lambda chain, address: f"eip155:{chain}:{address[2:]}",
    "with-a-g": lambda chain, address: f"eip155:{chain}:{address[:-1]}g",
    "of-four-parts": lambda chain, address: f"eip155:{chain}:{address}:0",
    "with-a-space": lambda chain, address: f"eip155:{chain}: {address}",
    "empty": lambda _, __: "",
}


def _rejected(name: str, owner: Owner, update: Callable[[Stage], IdentityUpdate], before: Updates) -> WrongUpdate:
    """Describe a signature that the chain rejects; the twin says the same a second later."""

    def make(draw: Draw) -> Situation:
        stage = Stage(draw, owner)
        earlier, broken, twin = before(stage), update(stage), update(stage)
        return situation(broken, twin, before=earlier, rejected=wallet_signatures(broken))

    return WrongUpdate(
        name=f"contract-rejected-{name}",
        clause=BACKEND,
        rule="IDENT-060",
        reasons=SIGNATURE,
        make=make,
        chains=(LOCAL_CHAIN,),
    )


def _misnamed(name: str, account: Callable[[int, str], str]) -> WrongUpdate:
    """Describe a contract wallet whose account is none; no chain may be asked and no failure of one be reported."""

    def broken(stage: Stage) -> Sequence[Action]:
        contract = stage.contract
        misnamed = replace(contract, account=account(contract.chain_id, contract.wallet.address))
        return (AddMember(member=contract.identifier, by=stage.owner, new=misnamed),)

    return WrongUpdate(
        name=f"contract-account-{name}",
        clause=IDENT,
        rule="IDENT-060",
        reasons=ANY_OF_THREE,
        make=lambda draw: acted(Stage(draw), broken, lambda stage: (stage.inbox.addition(stage.contract),), usual),
        chains=(LOCAL_CHAIN,),
    )


_DEEDS: dict[str, Callable[[Stage, Signer], Action]] = {
    "adding": lambda stage, by: stage.inbox.addition(stage.stranger, by=by),
    "revoking": lambda stage, by: RevokeMember(member=stage.key.identifier, by=by),
    "changing-recovery": lambda stage, by: ChangeRecovery(to=stage.stranger.identifier, by=by),
}


def _elsewhere(
    name: str,
    owner: Owner,
    wrongly_by: Callable[[Stage], Signer],
    *,
    rightly_by: Callable[[Stage], Signer] = lambda stage: stage.owner,
    before: Updates = usual,
    deeds: Sequence[str] = tuple(_DEEDS),
    chains: tuple[int, ...] = (LOCAL_CHAIN,),
) -> list[WrongUpdate]:
    """Describe someone known from one chain, or from none, who signs as of another."""

    def wrong(deed: str, action: Callable[[Stage, Signer], Action]) -> WrongUpdate:
        return WrongUpdate(
            name=f"chain-{name}-{deed}",
            clause=IDENT,
            rule="IDENT-046",
            reasons=UPDATE,
            make=lambda draw: acted(
                Stage(draw, owner),
                lambda stage: (action(stage, wrongly_by(stage)),),
                lambda stage: (action(stage, rightly_by(stage)),),
                before,
            ),
            chains=chains,
        )

    return [wrong(deed, _DEEDS[deed]) for deed in deeds]


def _replayed(draw: Draw) -> Situation:
    stage = Stage(draw, Owner.CONTRACT)
    before = [*usual(stage), stage.inbox.revoke(stage.stranger)]
    broken = IdentityUpdate()
    broken.CopyFrom(before[-1])
    broken.client_timestamp_ns += 1
    return situation(broken, stage.inbox.revoke(stage.stranger), before=before)


WRONG_CONTRACT: tuple[WrongUpdate, ...] = (
    _rejected("owner", Owner.CONTRACT, lambda stage: stage.inbox.update(*opening(stage)), nothing),
    _rejected("new-member", Owner.WALLET, lambda stage: stage.inbox.add(stage.contract), usual),
    _rejected(
        "adder",
        Owner.WALLET,
        lambda stage: stage.inbox.add(stage.stranger, by=stage.contract),
        then(lambda stage: stage.inbox.add(stage.contract)),
    ),
    _rejected("recovery", Owner.CONTRACT, lambda stage: stage.inbox.revoke(stage.key), usual),
    *(_misnamed(name, account) for name, account in _ACCOUNTS.items()),
    *_elsewhere("of-a-contract-left", Owner.CONTRACT, lambda stage: stage.own_wallet),
    *_elsewhere("of-no-contract-entered", Owner.WALLET, lambda stage: stage.own_contract),
    *_elsewhere(
        "changed",
        Owner.CONTRACT,
        lambda stage: replace(stage.own_contract, chain_id=OTHER_CHAIN),
        chains=(LOCAL_CHAIN, OTHER_CHAIN),
    ),
    *_elsewhere(
        "of-a-member-left",
        Owner.WALLET,
        lambda stage: stage.contract.wallet,
        rightly_by=lambda stage: stage.contract,
        before=then(lambda stage: stage.inbox.add(stage.contract)),
        deeds=("adding",),
    ),
    *_elsewhere(
        "of-a-recovery-identifier-that-has-none",
        Owner.WALLET,
        lambda stage: stage.contract,
        rightly_by=lambda stage: stage.contract.wallet,
        before=then(lambda stage: stage.inbox.change_recovery(stage.contract.identifier)),
    ),
    WrongUpdate(
        name="replay-of-a-contract-s-signature",
        clause=IDENT,
        rule="IDENT-050",
        reasons=UPDATE,
        make=_replayed,
        chains=(LOCAL_CHAIN,),
    ),
)
