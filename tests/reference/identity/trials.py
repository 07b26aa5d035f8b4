"""What a wrong backend shows and the clean one does not: each trial tells whether it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.craft.identity.contract_wallet import ContractWallet
from conformance.craft.identity.signer import Signer
from conformance.craft.identity.update import Inbox, identity_envelope
from conformance.craft.identity.wallet import Wallet
from conformance.pb import backend_pb2 as pb
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import Failure, PublishFailure
from conformance.reference.backend.identity.association import State
from conformance.reference.backend.identity.update import Update
from tests.reference.harness import InProcess, publish, read_all, welcome
from tests.reference.identity.calls import ETHEREUM, HANDLE, PROFILE, draw, found, lookup, take, verified

Trial = Callable[[InProcess, Backend], bool]
PAUSE_NS = 7 * 86_400 * 10**9
DIGEST = b"\xd1" * 32


def end(call: InProcess, *updates: IdentityUpdate | pb.ClientEnvelope) -> str:
    """Publish; `OK`, the reason of a refusal, or the code of another failure."""
    try:
        publish(call, *[each if isinstance(each, pb.ClientEnvelope) else identity_envelope(each) for each in updates])
    except PublishFailure as failure:
        return pb.PublishError.Reason.Name(failure.reason).removeprefix("REASON_")
    except Failure as failure:
        return failure.code.name
    return "OK"


def asked(call: InProcess, ask: Callable[[], Any]) -> str:
    """Ask something; `OK` or the code of the failure."""
    try:
        ask()
    except Failure as failure:
        return failure.code.name
    return "OK"


def inbox_of(owner: Signer | None = None) -> Inbox:
    return Inbox(owner or Wallet.drawn(draw()))


def opened(call: InProcess) -> Inbox:
    inbox = inbox_of()
    take(call, inbox.create())
    return inbox


def handle(length: int = 20) -> str:
    return PROFILE.drawn(draw(), length=length)


def meanwhile(backend: Backend, act: Callable[[], object]) -> None:
    """Have something happen while the next update is validated."""
    validator = backend.identity.validator
    validate = validator.validate

    def once(history: Sequence[Update], update: Update, deadline: Deadline) -> State:
        validator.validate = validate  # type: ignore[method-assign]  # back to what it was
        act()
        return validate(history, update, deadline)

    validator.validate = once  # type: ignore[method-assign]  # for one call


def both_of_two(call: InProcess, backend: Backend) -> bool:
    inbox = opened(call)
    one, two = (inbox.change_recovery(Wallet.drawn(draw())) for _ in range(2))
    meanwhile(backend, lambda: take(call, one))
    return end(call, two) == "OK"


def both_of_two_first(call: InProcess, backend: Backend) -> bool:
    inbox = inbox_of()
    one, two = inbox.create(), inbox.create()
    meanwhile(backend, lambda: take(call, one))
    return end(call, two) == "OK"


def half_of_an_aborted(call: InProcess, backend: Backend) -> bool:
    inbox, key = inbox_of(), draw().identifier(32)
    one, two = inbox.create(), inbox.create()
    meanwhile(backend, lambda: take(call, one))
    assert end(call, welcome(key), identity_envelope(two)) == "ABORTED"
    return read_all(call, b"\1" + key) != []


def misses_the_confirmed(call: InProcess, _: Backend) -> bool:
    inbox = opened(call)
    return end(call, inbox.add(Wallet.drawn(draw()))) != "OK"


def two_of_an_inbox(call: InProcess, _: Backend) -> bool:
    inbox = inbox_of()
    return end(call, inbox.create(), inbox.add(Wallet.drawn(draw()))) == "OK"


def refuses_twice_the_same(call: InProcess, _: Backend) -> bool:
    update = inbox_of().create()
    return end(call, update, update) != "OK"


def refuses_two_inboxes(call: InProcess, _: Backend) -> bool:
    return end(call, inbox_of().create(), inbox_of().create()) != "OK"


def ends_of_four(call: InProcess) -> list[str]:
    inbox = inbox_of()
    updates = [inbox.create(Wallet.drawn(draw())), *[inbox.add(Wallet.drawn(draw())) for _ in range(3)]]
    return [end(call, update) for update in updates]


def a_fourth(call: InProcess, _: Backend) -> bool:
    return ends_of_four(call)[3] == "OK"


def no_third(call: InProcess, _: Backend) -> bool:
    return ends_of_four(call)[2] != "OK"


def blames_a_signature(call: InProcess, _: Backend) -> bool:
    return end(call, inbox_of().add(Wallet.drawn(draw()))) == "INVALID_SIGNATURE"


def judges_in_an_outage(call: InProcess, _: Backend) -> bool:
    return end(call, inbox_of(ContractWallet(wallet=Wallet.drawn(draw()), chain_id=9)).create()) != "UNAVAILABLE"


def forged_is_unavailable(call: InProcess, _: Backend) -> bool:
    wallet = Wallet.drawn(draw())
    forged = ContractWallet(wallet=wallet, account=f"eip155:31337:{Wallet.drawn(draw()).address}")
    return end(call, Inbox(forged).create()) == "UNAVAILABLE"


def question(*, chain: int = 31337, digest: bytes = DIGEST) -> tuple[str, None, bytes, bytes]:
    wallet = ContractWallet.drawn(draw(), chain_id=chain)
    return wallet.account_id, None, digest, wallet.wallet.sign_hash(DIGEST)


def answers_in_an_outage(call: InProcess, _: Backend) -> bool:
    return asked(call, lambda: verified(call, question(chain=9))) == "OK"


def hides_the_block(call: InProcess, _: Backend) -> bool:
    return not verified(call, question())[0].HasField("block_number")


def fails_for_one(call: InProcess, _: Backend) -> bool:
    return asked(call, lambda: verified(call, question(), question(digest=b"\2" * 32))) != "OK"


def takes_any_hash(call: InProcess, _: Backend) -> bool:
    return asked(call, lambda: verified(call, question(digest=b"\2" * 31))) == "OK"


def two_holders(call: InProcess, _: Backend) -> bool:
    one, two, name = opened(call), opened(call), handle()
    take(call, one.claim(name, PROFILE))
    return end(call, two.claim(name, PROFILE)) == "OK"


def two_holders_at_once(call: InProcess, backend: Backend) -> bool:
    one, two, name = opened(call), opened(call), handle()
    meanwhile(backend, lambda: take(call, one.claim(name, PROFILE)))
    return end(call, two.claim(name, PROFILE)) == "OK"


def own_is_taken(call: InProcess, backend: Backend) -> bool:
    inbox, name = opened(call), handle()
    take(call, inbox.claim(name, PROFILE))
    backend.clock.move(PAUSE_NS)
    return end(call, inbox.claim(name, PROFILE)) != "OK"


def moved_on(call: InProcess, backend: Backend) -> tuple[Inbox, str]:
    """Claim one handle and a week later another."""
    inbox, name = opened(call), handle()
    take(call, inbox.claim(name, PROFILE))
    backend.clock.move(PAUSE_NS)
    take(call, inbox.claim(handle(), PROFILE))
    return inbox, name


def old_is_free(call: InProcess, backend: Backend) -> bool:
    _, name = moved_on(call, backend)
    return end(call, opened(call).claim(name, PROFILE)) == "OK"


def old_is_forgotten(call: InProcess, backend: Backend) -> bool:
    inbox, name = moved_on(call, backend)
    return found(call, HANDLE, name) != inbox.id


def capitals_are_free(call: InProcess, _: Backend) -> bool:
    name = handle()
    take(call, opened(call).claim(name, PROFILE))
    return end(call, opened(call).claim(name.upper(), PROFILE)) == "OK"


def takes_short(call: InProcess, _: Backend) -> bool:
    return end(call, opened(call).claim(handle(3), PROFILE)) == "OK"


def hides_reserved(call: InProcess, backend: Backend) -> bool:
    inbox, name = opened(call), handle()
    take(call, inbox.claim(name, PROFILE))
    object.__setattr__(backend.identity.policy.settings, "reserved", (name.partition(".")[0],))
    return found(call, HANDLE, name) is None


def again_at_once(call: InProcess, _: Backend) -> bool:
    inbox, name = opened(call), handle()
    take(call, inbox.claim(name, PROFILE))
    return end(call, inbox.claim(name, PROFILE)) == "OK"


def waits_longer(call: InProcess, backend: Backend) -> bool:
    inbox = opened(call)
    (meta,) = take(call, inbox.claim(handle(), PROFILE))
    backend.clock.now_ns = lambda: meta.server_ns + PAUSE_NS  # type: ignore[method-assign]  # a clock that stands
    return end(call, inbox.claim(handle(), PROFILE)) != "OK"


def waits_after_anything(call: InProcess, _: Backend) -> bool:
    return end(call, opened(call).claim(handle(), PROFILE)) != "OK"


def waits_for_others(call: InProcess, _: Backend) -> bool:
    take(call, opened(call).claim(handle(), PROFILE))
    return end(call, opened(call).claim(handle(), PROFILE)) != "OK"


def shifts(call: InProcess, _: Backend) -> bool:
    inbox = opened(call)
    return len(lookup(call, (ETHEREUM, "x"), (ETHEREUM, inbox.owner.identifier.text))) != 2


def echoes_otherwise(call: InProcess, _: Backend) -> bool:
    return lookup(call, (ETHEREUM, "0xAB"))[0].identifier != "0xAB"


def in_two_inboxes(call: InProcess) -> tuple[Wallet, Inbox, Inbox]:
    wallet, one, two = Wallet.drawn(draw()), opened(call), opened(call)
    take(call, one.add(wallet))
    take(call, two.add(wallet))
    return wallet, one, two


def finds_the_older(call: InProcess, _: Backend) -> bool:
    wallet, one, _two = in_two_inboxes(call)
    return found(call, ETHEREUM, wallet.address) == one.id


def finds_the_revoked(call: InProcess, _: Backend) -> bool:
    wallet, _one, two = in_two_inboxes(call)
    take(call, two.revoke(wallet))
    return found(call, ETHEREUM, wallet.address) == two.id


def misses_the_readded(call: InProcess, _: Backend) -> bool:
    wallet, inbox = Wallet.drawn(draw()), inbox_of()
    take(call, inbox.create(wallet))
    take(call, inbox.revoke(wallet))
    take(call, inbox.add(wallet))
    return found(call, ETHEREUM, wallet.address) != inbox.id


def minds_case(call: InProcess, _: Backend) -> bool:
    text = opened(call).owner.identifier.text
    return found(call, ETHEREUM, "0x" + text[2:].upper()) is None


def minds_case_of_handles(call: InProcess, _: Backend) -> bool:
    return asked(call, lambda: lookup(call, (HANDLE, "NAME.test"))) != "OK"


def indexes_the_first(call: InProcess, _: Backend) -> bool:
    one, two = inbox_of(), inbox_of()
    take(call, one.create(), two.create())
    return found(call, ETHEREUM, two.owner.identifier.text) is None


def folds_more_than_ascii(call: InProcess, _: Backend) -> bool:
    return asked(call, lambda: lookup(call, (HANDLE, "\u212aeeper.test"))) == "OK"


def answers_no_handle(call: InProcess, _: Backend) -> bool:
    return asked(call, lambda: lookup(call, (HANDLE, "?"))) == "OK"
