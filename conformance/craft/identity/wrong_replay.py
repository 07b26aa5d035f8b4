"""Updates that use a signature of an earlier update again, as it was or in another form (IDENT-050)."""

from __future__ import annotations

from collections.abc import Callable

from conformance.craft.draw import Draw
from conformance.craft.identity import passkey as passkeys
from conformance.craft.identity import wallet as wallets
from conformance.craft.identity.actions import AddMember
from conformance.craft.identity.entry import BACKEND, IDENT, INVALID_IDENTITY_UPDATE, Situation, WrongUpdate, situation
from conformance.craft.identity.passkey import client_data, usual_authenticator_data
from conformance.craft.identity.signer import Posing, Signature
from conformance.craft.identity.stage import Owner, Stage, usual
from conformance.craft.identity.update import IdentityUpdate

UPDATE = frozenset({INVALID_IDENTITY_UPDATE})


def _replay(
    name: str,
    owner: Owner,
    change: Callable[[IdentityUpdate], object],
    *,
    clause: str = IDENT,
) -> WrongUpdate:
    """Describe the revocation of a stranger, which changes nothing, published again with a change nobody signed."""

    def make(draw: Draw) -> Situation:
        stage = Stage(draw, owner)
        before = [*usual(stage), stage.inbox.revoke(stage.stranger)]
        broken = IdentityUpdate()
        broken.CopyFrom(before[-1])
        change(broken)
        return situation(broken, stage.inbox.revoke(stage.stranger), before=before)

    return WrongUpdate(name=f"replay-{name}", clause=clause, rule="IDENT-050", reasons=UPDATE, make=make)


def _in_the_same_second(update: IdentityUpdate) -> None:
    update.client_timestamp_ns += 1


def _signature(update: IdentityUpdate) -> Signature:
    return update.actions[0].revoke.recovery_identifier_signature


def _rewritten(*changes: Callable[[bytes], bytes]) -> Callable[[IdentityUpdate], None]:
    """Change the bytes of a wallet's signature."""

    def change(update: IdentityUpdate) -> None:
        for rewrite in changes:
            _signature(update).erc_191.bytes = rewrite(_signature(update).erc_191.bytes)

    return change


def _device_again(draw: Draw) -> Situation:
    """Let an installation link a passkey that has been unlinked since, by its signature of the first time.

    The passkey's own signature is a new one over the same text, so that the installation's alone comes again.
    """
    stage = Stage(draw)
    key = stage.other_key
    anew = Posing(
        identifier=key.identifier,
        signs=lambda text: key.assertion(client_data(text), authenticator_data=usual_authenticator_data(counter=1)),
    )
    first = stage.inbox.add(key, by=stage.device)
    before = [*usual(stage), first, stage.inbox.revoke(key)]
    again = AddMember(member=key.identifier, by=stage.device, new=anew)
    broken = stage.inbox.update(again, client_timestamp_ns=first.client_timestamp_ns)
    return situation(broken, stage.inbox.update(again), before=before)


WRONG_REPLAY: tuple[WrongUpdate, ...] = (
    _replay("in-the-same-second", Owner.WALLET, _in_the_same_second, clause=BACKEND),
    _replay("in-the-same-second-by-a-passkey", Owner.PASSKEY, _in_the_same_second),
    _replay("with-small-v", Owner.WALLET, _rewritten(wallets.with_small_v)),
    _replay("with-other-s", Owner.WALLET, _rewritten(wallets.with_other_s)),
    _replay("with-other-s-and-small-v", Owner.WALLET, _rewritten(wallets.with_other_s, wallets.with_small_v)),
    _replay(
        "with-other-s-of-a-passkey",
        Owner.PASSKEY,
        lambda update: passkeys.with_other_s(_signature(update)),
    ),
    WrongUpdate(
        name="replay-of-an-installation-s-signature",
        clause=BACKEND,
        rule="IDENT-050",
        reasons=UPDATE,
        make=_device_again,
    ),
)
