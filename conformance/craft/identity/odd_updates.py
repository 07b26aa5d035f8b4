"""Odd updates that admission must take: each stands where a rule too many is easily made (API-230, IDENT)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from conformance.craft.draw import Draw
from conformance.craft.identity import passkey as passkeys
from conformance.craft.identity.actions import ChangeRecovery, RevokeMember
from conformance.craft.identity.contract_wallet import LOCAL_CHAIN, ContractWallet, wrapped
from conformance.craft.identity.entry import IDENT, Log, OddUpdate, log
from conformance.craft.identity.installation import Installation
from conformance.craft.identity.passkey import Passkey, client_data
from conformance.craft.identity.signer import Posing, Signature, Signer, altered
from conformance.craft.identity.slots import as_it_is
from conformance.craft.identity.stage import Owner, Stage
from conformance.craft.identity.update import IdentityUpdate, Inbox
from conformance.craft.identity.wallet import erc_191, with_other_s, with_small_v
from conformance.pb import association_pb2

_LAST = (1 << 64) - 1
_MANY = 12


def _odd(
    name: str,
    rule: str,
    *updates: Callable[[Stage], IdentityUpdate],
    owner: Owner = Owner.WALLET,
    chains: tuple[int, ...] = (),
) -> OddUpdate:
    """Describe updates that follow the usual log."""

    def make(draw: Draw) -> Log:
        stage = Stage(draw, owner)
        return log(stage.before(), *(update(stage) for update in updates))

    return OddUpdate(name=name, clause=IDENT, rule=rule, make=make, chains=chains)


def _opened(
    name: str,
    rule: str,
    *,
    wrap: Callable[[Signer], Signer] = as_it_is,
    time_ns: int | None = None,
    nonce: int = 0,
    owner: Owner = Owner.WALLET,
    chains: tuple[int, ...] = (),
    **changes: Any,  # noqa: ANN401 - any field of the action that opens the inbox
) -> OddUpdate:
    """Describe an inbox opened oddly, by an owner whose signature there is wrapped."""

    def make(draw: Draw) -> Log:
        stage = Stage(draw, owner)
        inbox = Inbox(stage.owner, nonce=nonce)
        creation = replace(inbox.creation(), by=wrap(stage.owner), **changes)
        return log(inbox.update(creation, inbox.addition(stage.device), client_timestamp_ns=time_ns))

    return OddUpdate(name=name, clause=IDENT, rule=rule, make=make, chains=chains)


def _by_passkey(name: str, signs: Callable[[Passkey, str], Signature], *, compressed: bool = False) -> OddUpdate:
    """Describe an inbox opened by an odd assertion of its passkey."""

    def make(draw: Draw) -> Log:
        passkey = Passkey.drawn(draw, compressed=compressed)
        inbox = Inbox(passkey)
        signer = Posing(identifier=passkey.identifier, signs=lambda text: signs(passkey, text))
        return log(inbox.update(replace(inbox.creation(), by=signer)))

    return OddUpdate(name=f"passkey-{name}", clause=IDENT, rule="IDENT-030", make=make)


def _client_data(changes: Mapping[str, object], **style: Any) -> Callable[[Passkey, str], Signature]:  # noqa: ANN401 - of json.dumps
    """Sign client data with changed or added values, written in another style."""
    return lambda passkey, text: passkey.assertion(
        json.dumps({**json.loads(client_data(text)), **changes}, **style).encode()
    )


def _in_other_form(change: Callable[[bytes], bytes]) -> Callable[[Signer], Signer]:
    return lambda signer: altered(signer, lambda signature: erc_191(change(signature.erc_191.bytes)))


def _contract(name: str, change: Callable[[ContractWallet], ContractWallet]) -> OddUpdate:
    """Describe a contract wallet that joins with an oddly written signature."""
    return _odd(
        f"contract-{name}",
        "IDENT-060",
        lambda stage: stage.inbox.add(change(stage.contract)),
        chains=(LOCAL_CHAIN,),
    )


def _mixed_case(contract: ContractWallet) -> ContractWallet:
    digits = contract.wallet.address[2:]
    mixed = "".join(char.upper() if index % 2 else char for index, char in enumerate(digits))
    return replace(contract, account=f"eip155:{contract.chain_id}:0x{mixed}")


def _everything_at_once(draw: Draw) -> Log:
    stage = Stage(draw)
    return log(
        stage.inbox.update(
            stage.inbox.creation(),
            stage.inbox.addition(stage.device),
            stage.inbox.addition(stage.friend, by=stage.device),
            RevokeMember(member=stage.device.identifier, by=stage.owner),
            ChangeRecovery(to=stage.friend.identifier, by=stage.owner),
            RevokeMember(member=stage.owner.identifier, by=stage.friend),
            stage.inbox.addition(stage.other_device, by=stage.friend),
        )
    )


def _many_installations(draw: Draw) -> Log:
    stage = Stage(draw)
    return log(stage.inbox.create(*(Installation.drawn(draw) for _ in range(_MANY))))


def _time_running_backwards(draw: Draw) -> Log:
    stage = Stage(draw)
    creation = stage.inbox.create(stage.device)
    joining = stage.inbox.addition(stage.other_device)
    return log(creation, stage.inbox.update(joining, client_timestamp_ns=creation.client_timestamp_ns // 2))


def _two_inboxes(draw: Draw) -> Log:
    """Open two inboxes with one wallet, and have a device of the first join the second as well."""
    stage = Stage(draw)
    other = Inbox(stage.owner, nonce=1)
    return log(stage.inbox.create(stage.device), other.create(stage.device))


def _adds(name: str, by: Callable[[Stage], Signer], new: Callable[[Stage], Signer]) -> OddUpdate:
    return _odd(f"adds-{name}", "IDENT-041", lambda stage: stage.inbox.add(new(stage), by=by(stage)))


ODD_UPDATES: tuple[OddUpdate, ...] = (
    OddUpdate(name="everything-at-once", clause=IDENT, rule="IDENT-005", make=_everything_at_once),
    OddUpdate(name="twelve-installations", clause=IDENT, rule="IDENT-040", make=_many_installations),
    OddUpdate(name="time-running-backwards", clause=IDENT, rule="IDENT-005", make=_time_running_backwards),
    OddUpdate(name="one-wallet-in-two-inboxes", clause=IDENT, rule="IDENT-010", make=_two_inboxes),
    _opened("nonce-1", "IDENT-010", nonce=1),
    _opened("last-nonce", "IDENT-010", nonce=_LAST),
    _opened("last-nonce-of-a-passkey", "IDENT-010", nonce=_LAST, owner=Owner.PASSKEY),
    _opened("owner-of-no-stated-kind", "IDENT-012", kind=association_pb2.IDENTIFIER_KIND_UNSPECIFIED),
    _opened("relying-party-of-a-wallet", "IDENT-012", relying_party="a display name \u00fc"),
    _opened("relying-party-that-is-another", "IDENT-012", owner=Owner.PASSKEY, relying_party="elsewhere.example"),
    *(
        _opened(f"time-{name}", "IDENT-005", time_ns=time_ns)
        for name, time_ns in (("0", 0), ("last-signed", (1 << 63) - 1), ("past-signed", 1 << 63), ("last", _LAST))
    ),
    _opened("small-v", "IDENT-030", wrap=_in_other_form(with_small_v)),
    _opened("high-s", "IDENT-030", wrap=_in_other_form(with_other_s)),
    _opened("high-s-and-small-v", "IDENT-030", wrap=_in_other_form(lambda data: with_small_v(with_other_s(data)))),
    _by_passkey("compressed", Passkey.sign, compressed=True),
    _by_passkey("high-s", lambda passkey, text: passkeys.with_other_s(passkey.sign(text))),
    _by_passkey(
        "without-authenticator-data",
        lambda passkey, text: passkey.assertion(client_data(text), authenticator_data=b""),
    ),
    _by_passkey(
        "with-no-flags",
        lambda passkey, text: passkey.assertion(
            client_data(text), authenticator_data=passkeys.usual_authenticator_data(flags=0, counter=_MANY)
        ),
    ),
    _by_passkey("of-another-type", _client_data({"type": "webauthn.create"})),
    _by_passkey("of-another-origin", _client_data({"origin": "app://elsewhere"})),
    _by_passkey("with-more-in-its-client-data", _client_data({"crossOrigin": True, "more": {"a": [1, None]}})),
    _by_passkey("with-spread-client-data", _client_data({}, indent=2, sort_keys=True)),
    _adds("passkey-by-wallet", lambda stage: stage.friend, lambda stage: stage.other_key),
    _adds("installation-by-passkey", lambda stage: stage.key, lambda stage: stage.other_device),
    _adds("passkey-by-passkey", lambda stage: stage.key, lambda stage: stage.other_key),
    _adds("wallet-by-installation", lambda stage: stage.device, lambda stage: stage.stranger),
    _adds("passkey-by-installation", lambda stage: stage.device, lambda stage: stage.other_key),
    _odd(
        "recovery-identifier-that-is-no-member-adds",
        "IDENT-040",
        lambda stage: stage.inbox.change_recovery(stage.stranger),
        lambda stage: stage.inbox.add(stage.other_device, by=stage.stranger),
    ),
    _odd(
        "member-revoked-and-added-again",
        "IDENT-040",
        lambda stage: stage.inbox.revoke(stage.friend),
        lambda stage: stage.inbox.add(stage.friend),
        lambda stage: stage.inbox.add(stage.stranger, by=stage.friend),
    ),
    _odd(
        "member-revoked-and-added-again-at-once",
        "IDENT-040",
        lambda stage: stage.inbox.update(
            RevokeMember(member=stage.friend.identifier, by=stage.owner), stage.inbox.addition(stage.friend)
        ),
    ),
    _odd("stranger-revoked", "IDENT-043", lambda stage: stage.inbox.revoke(stage.stranger)),
    _odd("member-revoked-twice", "IDENT-043", *(lambda stage: stage.inbox.revoke(stage.friend) for _ in range(2))),
    _odd(
        "former-adder-revoked",
        "IDENT-043",
        lambda stage: stage.inbox.add(stage.other_device, by=stage.friend),
        lambda stage: stage.inbox.revoke(stage.friend, stage.friend),
        lambda stage: stage.inbox.add(stage.other_device),
    ),
    _odd(
        "child-of-a-revoked-wallet-acts",
        "IDENT-043",
        lambda stage: stage.inbox.add(stage.stranger, by=stage.friend),
        lambda stage: stage.inbox.revoke(stage.friend),
        lambda stage: stage.inbox.add(stage.other_device, by=stage.stranger),
    ),
    _odd(
        "owner-revokes-itself-and-recovers",
        "IDENT-043",
        lambda stage: stage.inbox.revoke(stage.owner.identifier),
        lambda stage: stage.inbox.revoke(stage.friend),
        lambda stage: stage.inbox.add(stage.other_device),
    ),
    _odd("recovery-unchanged", "IDENT-045", lambda stage: stage.inbox.change_recovery(stage.owner)),
    _odd(
        "recovery-to-a-strange-passkey",
        "IDENT-045",
        lambda stage: stage.inbox.change_recovery(stage.other_key),
        lambda stage: stage.inbox.revoke(stage.friend, by=stage.other_key),
    ),
    _odd(
        "recovery-to-a-wallet-of-no-stated-kind",
        "IDENT-045",
        lambda stage: stage.inbox.update(
            ChangeRecovery(
                to=stage.stranger.identifier,
                by=stage.owner,
                kind=association_pb2.IDENTIFIER_KIND_UNSPECIFIED,
            )
        ),
        lambda stage: stage.inbox.revoke(stage.friend, by=stage.stranger),
    ),
    _opened("contract-owner", "IDENT-060", owner=Owner.CONTRACT, chains=(LOCAL_CHAIN,)),
    _odd(
        "contract-owner-acts",
        "IDENT-046",
        lambda stage: stage.inbox.add(stage.other_device),
        lambda stage: stage.inbox.revoke(stage.friend),
        lambda stage: stage.inbox.change_recovery(stage.key),
        owner=Owner.CONTRACT,
        chains=(LOCAL_CHAIN,),
    ),
    _odd(
        "contract-member-recovers",
        "IDENT-046",
        lambda stage: stage.inbox.add(stage.contract),
        lambda stage: stage.inbox.change_recovery(stage.contract),
        lambda stage: stage.inbox.revoke(stage.friend, by=stage.contract),
        chains=(LOCAL_CHAIN,),
    ),
    _contract("signature-wrapped", lambda contract: replace(contract, form=wrapped)),
    _contract("account-in-mixed-case", _mixed_case),
    _contract("signature-of-no-known-form", lambda contract: replace(contract, form=lambda data: data * 20 + b"\x01")),
)
