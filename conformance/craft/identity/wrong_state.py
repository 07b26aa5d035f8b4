"""Well-signed updates that the state of the inbox forbids: who opened it, who is a member, who recovers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import Action, AddMember, ChangeRecovery, RevokeMember
from conformance.craft.identity.entry import BACKEND, IDENT, INVALID_IDENTITY_UPDATE, Situation, WrongUpdate, situation
from conformance.craft.identity.identifier import inbox_id
from conformance.craft.identity.signer import Signer, over_text, posing_as
from conformance.craft.identity.stage import (
    Actions,
    Owner,
    Stage,
    Updates,
    acted,
    joining,
    nothing,
    opening,
    then,
    usual,
)
from conformance.craft.identity.update import signed_update
from conformance.craft.identity.wallet import Wallet

UPDATE = frozenset({INVALID_IDENTITY_UPDATE})

Who = Callable[[Stage], Signer]


def _wrong(
    name: str,
    rule: str,
    broken: Actions,
    twin: Actions = joining,
    before: Updates = usual,
    *,
    clause: str = IDENT,
    owner: Owner = Owner.WALLET,
) -> WrongUpdate:
    return WrongUpdate(
        name=name,
        clause=clause,
        rule=rule,
        reasons=UPDATE,
        make=lambda draw: acted(Stage(draw, owner), broken, twin, before),
    )


def _created_by(name: str, by: Who, *, owner: Owner = Owner.WALLET) -> WrongUpdate:
    """Describe an inbox whose opening somebody else signed."""
    return _wrong(
        f"created-by-{name}",
        "IDENT-012",
        lambda stage: (
            replace(stage.inbox.creation(), by=posing_as(stage.owner.identifier, by(stage))),
            stage.inbox.addition(stage.device),
        ),
        opening,
        nothing,
        owner=owner,
    )


def _opened_under(name: str, inbox_of: Callable[[Stage], str]) -> WrongUpdate:
    """Describe an inbox opened under an id that does not follow from its owner and nonce."""

    def make(draw: Draw) -> Situation:
        stage = Stage(draw)
        time_ns = stage.inbox.at_next_second()
        return situation(
            signed_update(inbox_of(stage), time_ns, *opening(stage)),
            stage.inbox.update(*opening(stage), client_timestamp_ns=time_ns),
        )

    return WrongUpdate(name=f"inbox-id-of-{name}", clause=IDENT, rule="IDENT-003", reasons=UPDATE, make=make)


def _adds(name: str, by: Who, *, before: Updates = usual, clause: str = IDENT) -> WrongUpdate:
    """Describe a wallet added by somebody who may not."""
    return _wrong(
        f"added-by-{name}",
        "IDENT-040",
        lambda stage: (stage.inbox.addition(stage.stranger, by=by(stage)),),
        lambda stage: (stage.inbox.addition(stage.stranger),),
        before,
        clause=clause,
    )


def _confirmed(name: str, member: Who, new: Who) -> WrongUpdate:
    """Describe a new member whose own signature is somebody else's."""
    return _wrong(
        f"new-{name}",
        "IDENT-040",
        lambda stage: (AddMember(member=member(stage).identifier, by=stage.owner, new=new(stage)),),
        lambda stage: (stage.inbox.addition(member(stage)),),
    )


def _added_again(name: str, who: Who) -> WrongUpdate:
    return _wrong(f"{name}-added-again", "IDENT-040", lambda stage: (stage.inbox.addition(who(stage)),), joining)


def _recovers(
    name: str, by: Who, *, before: Updates = usual, rightly_by: Who = lambda stage: stage.owner, clause: str = IDENT
) -> list[WrongUpdate]:
    """Describe what only the recovery identifier may do, done by another."""

    def revoked(who: Who) -> Actions:
        return lambda stage: (RevokeMember(member=stage.key.identifier, by=who(stage)),)

    def changed(who: Who) -> Actions:
        return lambda stage: (ChangeRecovery(to=stage.stranger.identifier, by=who(stage)),)

    return [
        _wrong(f"revoked-by-{name}", "IDENT-043", revoked(by), revoked(rightly_by), before, clause=clause),
        _wrong(f"recovery-changed-by-{name}", "IDENT-045", changed(by), changed(rightly_by), before),
    ]


def _first(name: str, *actions: Callable[[Stage], Action]) -> WrongUpdate:
    """Describe an empty log that starts otherwise than by opening the inbox."""
    return _wrong(
        f"first-action-{name}", "IDENT-011", lambda stage: [action(stage) for action in actions], opening, nothing
    )


def _creation(stage: Stage) -> Action:
    return stage.inbox.creation()


def _joining(stage: Stage) -> Action:
    return stage.inbox.addition(stage.device)


def _friend_recovers(stage: Stage) -> ChangeRecovery:
    return ChangeRecovery(to=stage.friend.identifier, by=stage.owner)


WRONG_STATE: tuple[WrongUpdate, ...] = (
    _first("adds", _joining),
    _first("adds-before-it-creates", _joining, _creation),
    _first("revokes", lambda stage: RevokeMember(member=stage.friend.identifier, by=stage.owner)),
    _first("changes-recovery", _friend_recovers),
    _wrong("created-again", "IDENT-011", lambda stage: (stage.inbox.creation(),)),
    _wrong("created-again-with-a-device", "IDENT-011", lambda stage: (stage.inbox.creation(), *joining(stage))),
    _wrong(
        "created-twice-at-once",
        "IDENT-011",
        lambda stage: (stage.inbox.creation(), stage.inbox.creation()),
        opening,
        nothing,
    ),
    _created_by("another-wallet", lambda stage: stage.stranger),
    _created_by("an-installation", lambda stage: stage.other_device),
    _created_by("a-passkey", lambda stage: stage.other_key),
    _created_by("the-owner-over-another-text", lambda stage: over_text(stage.owner, str.upper)),
    _created_by("a-wallet-for-a-passkey", lambda stage: stage.stranger, owner=Owner.PASSKEY),
    _created_by("another-passkey-for-a-passkey", lambda stage: stage.other_key, owner=Owner.PASSKEY),
    _opened_under("another-nonce", lambda stage: inbox_id(stage.owner.identifier, 1)),
    _opened_under("another-wallet", lambda stage: inbox_id(stage.stranger.identifier)),
    _opened_under("nobody", lambda stage: stage.draw.identifier(32).hex()),
    _confirmed("wallet-signed-for-by-another", lambda stage: stage.stranger, lambda stage: stage.friend),
    _confirmed("wallet-signed-for-by-the-owner", lambda stage: stage.stranger, lambda stage: stage.owner),
    _confirmed("wallet-signed-for-by-an-installation", lambda stage: stage.stranger, lambda stage: stage.other_device),
    _confirmed("wallet-signed-for-by-a-passkey", lambda stage: stage.stranger, lambda stage: stage.other_key),
    _confirmed("installation-signed-for-by-another", lambda stage: stage.other_device, lambda stage: stage.device),
    _confirmed("installation-signed-for-by-a-wallet", lambda stage: stage.other_device, lambda stage: stage.stranger),
    _confirmed("passkey-signed-for-by-another", lambda stage: stage.other_key, lambda stage: stage.key),
    _confirmed("passkey-signed-for-by-a-wallet", lambda stage: stage.other_key, lambda stage: stage.stranger),
    _confirmed(
        "passkey-in-the-other-form",
        lambda stage: stage.other_key,
        lambda stage: stage.other_key.compressed(),
    ),
    _adds("a-strange-wallet", lambda stage: Wallet.drawn(stage.draw), clause=BACKEND),
    _adds("a-strange-installation", lambda stage: stage.other_device, clause=BACKEND),
    _adds("a-strange-passkey", lambda stage: stage.other_key),
    _adds("the-owner-over-another-text", lambda stage: over_text(stage.owner, str.upper)),
    _adds(
        "a-revoked-wallet",
        lambda stage: stage.friend,
        before=then(lambda stage: stage.inbox.revoke(stage.friend)),
    ),
    _adds(
        "a-revoked-installation",
        lambda stage: stage.device,
        before=then(lambda stage: stage.inbox.revoke(stage.device)),
    ),
    _adds(
        "an-installation-whose-adder-was-revoked",
        lambda stage: stage.other_device,
        before=then(
            lambda stage: stage.inbox.add(stage.other_device, by=stage.friend),
            lambda stage: stage.inbox.revoke(stage.friend),
        ),
    ),
    _wrong(
        "added-by-a-former-recovery-identifier",
        "IDENT-040",
        lambda stage: (stage.inbox.addition(stage.stranger),),
        lambda stage: (stage.inbox.addition(stage.stranger, by=stage.friend),),
        then(
            lambda stage: stage.inbox.revoke(stage.owner.identifier),
            lambda stage: stage.inbox.change_recovery(stage.friend),
        ),
    ),
    _wrong(
        "added-by-itself",
        "IDENT-040",
        lambda stage: (stage.inbox.addition(stage.owner),),
        lambda stage: (stage.inbox.addition(stage.owner, by=stage.friend),),
        then(lambda stage: stage.inbox.revoke(stage.owner.identifier)),
    ),
    _added_again("wallet", lambda stage: stage.friend),
    _added_again("installation", lambda stage: stage.device),
    _added_again("passkey", lambda stage: stage.key),
    _wrong(
        "added-twice-at-once",
        "IDENT-040",
        lambda stage: (*joining(stage), *joining(stage)),
    ),
    _wrong(
        "installation-added-by-an-installation",
        "IDENT-041",
        lambda stage: (stage.inbox.addition(stage.other_device, by=stage.device),),
    ),
    *_recovers("another-wallet", lambda stage: stage.friend, clause=BACKEND),
    *_recovers("an-installation", lambda stage: stage.device),
    *_recovers("another-passkey", lambda stage: stage.key),
    *_recovers("a-stranger", lambda stage: stage.stranger),
    *_recovers("the-owner-over-another-text", lambda stage: over_text(stage.owner, str.upper)),
    *_recovers(
        "a-former-recovery-identifier",
        lambda stage: stage.owner,
        before=then(lambda stage: stage.inbox.change_recovery(stage.friend)),
        rightly_by=lambda stage: stage.friend,
    ),
    _wrong(
        "last-of-several-actions-forbidden",
        "IDENT-043",
        lambda stage: (*joining(stage), RevokeMember(member=stage.key.identifier, by=stage.friend)),
        lambda stage: (*joining(stage), RevokeMember(member=stage.key.identifier, by=stage.owner)),
    ),
)
