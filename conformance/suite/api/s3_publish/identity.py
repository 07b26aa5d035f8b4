"""Identity updates published and judged: the log that comes first, the update in question, and its lawful twin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from conformance.craft.any_kind import new_envelope
from conformance.craft.identity.contract_wallet import LOCAL_CHAIN, ContractWallet
from conformance.craft.identity.entry import INVALID_SIGNATURE, OddUpdate, Situation, WrongUpdate, encoded_update
from conformance.craft.identity.update import Inbox
from conformance.craft.identity.wallet import Wallet, eip191_hash
from conformance.craft.topics import Kind, topic_of
from conformance.oracle.absence import closed_world, nothing_stored
from conformance.oracle.metadata import same_receipt
from conformance.oracle.publish import at
from conformance.oracle.status import ENVIRONMENT, ended
from conformance.pb import backend_pb2
from conformance.suite.api.s3_publish.judging import admitted, refused, stored, wire
from conformance.target.chain.answers import Invalid
from conformance.target.patience import until
from conformance.wire.transcript import Code

if TYPE_CHECKING:
    from conformance.craft.draw import Draw
    from conformance.suite import Notes
    from conformance.suite.api.s3_publish.judging import Envelope
    from conformance.target.answers import Published
    from conformance.target.chain.stub import ChainStub
    from conformance.target.node import Node
    from conformance.wire.transcript import Meta

VerifyRequest = backend_pb2.VerifySmartContractWalletSignaturesRequest


def inbox_of(draw: Draw) -> Inbox:
    """Make an inbox of a wallet that no other case has; it is not published."""
    return Inbox(Wallet.drawn(draw))


def opened(node: Node, draw: Draw) -> Inbox:
    """Open an inbox of a wallet that no other case has."""
    inbox = inbox_of(draw)
    written(node, [encoded_update(inbox.create())])
    return inbox


def joining(inbox: Inbox, draw: Draw) -> bytes:
    """Make an update by which another wallet joins an inbox."""
    return encoded_update(inbox.add(Wallet.drawn(draw)))


def written(node: Node, envelopes: Iterable[bytes]) -> list[Meta]:
    """Publish the updates of a log one after the other, judge that each is taken, and return their receipts."""
    receipts = []
    for envelope in envelopes:
        answer = node.publish(envelope)
        admitted(answer)
        receipts.append(answer.meta)
    return receipts


def repeated(node: Node, updates: Sequence[bytes], receipts: Sequence[Meta]) -> None:
    """Publish stored updates of one inbox again, and judge that each gets its receipt and none is stored twice."""
    before = node.read_all(receipts[0].topic)
    for update, receipt in zip(updates, receipts, strict=True):
        (again,) = written(node, [update])
        same_receipt(receipt, again, where="The receipt of the repeat")
    nothing_stored(before, node.read_all(receipts[0].topic))


def only_these(node: Node, *topics: bytes, sent: Sequence[bytes | Envelope] = ()) -> None:
    """Judge that the topics hold nothing but what was sent to them."""
    allowed: dict[bytes, list[bytes]] = {topic: [] for topic in topics}
    for envelope in sent:
        allowed.setdefault(topic_of(envelope), []).append(wire(envelope))
    closed_world(node.envelopes_on(*allowed), allowed)


def refused_unlike_its_twin(node: Node, draw: Draw, wrong: WrongUpdate) -> None:
    """Judge that a wrong update fails its request, which stores nothing, and that its twin is taken."""
    good, situation = new_envelope(draw, Kind.GROUP_MESSAGE), wrong.build(draw)
    written(node, situation.before)
    refused(node.publish(good, situation.broken), at(1, *wrong.reasons))
    only_these(node, topic_of(good), *topics_in(situation), sent=situation.before)
    taken: list[Envelope | bytes] = [good, situation.twin]
    stored(node, node.publish(*taken), taken)


def topics_in(situation: Situation) -> tuple[bytes, ...]:
    """Name the topics where an update of a situation could come to stand: the twin's, and the broken one's if any."""
    try:
        return topic_of(situation.twin), topic_of(situation.broken)
    except ValueError:
        return (topic_of(situation.twin),)


def refused_though_alone(node: Node, draw: Draw, wrong: WrongUpdate) -> None:
    """Judge as `refused_unlike_its_twin`, with a request of the wrong update alone: fewer calls for a long list."""
    situation = wrong.build(draw)
    written(node, situation.before)
    refused(node.publish(situation.broken), at(0, *wrong.reasons))
    only_these(node, *topics_in(situation), sent=situation.before)
    written(node, [situation.twin])


def taken_or_refused(node: Node, draw: Draw, notes: Notes, open_update: WrongUpdate) -> None:
    """Judge that an update the rules leave open is taken, or refused for a lawful reason; note which."""
    situation = open_update.build(draw)
    written(node, situation.before)
    answer = node.publish(situation.broken)
    ended(answer.call, (Code.OK, Code.INVALID_ARGUMENT))
    notes.add(f"The update {open_update} is {'taken' if answer.status.code is Code.OK else 'refused'}.")
    if answer.status.code is Code.INVALID_ARGUMENT:
        refused(answer, at(0, *open_update.reasons))
        only_these(node, *topics_in(situation), sent=situation.before)
        written(node, [situation.twin])


def taken_whole(node: Node, draw: Draw, odd: OddUpdate) -> None:
    """Judge that each update of an odd but lawful log is taken and shown as it came."""
    log = odd.build(draw).envelopes
    written(node, log[:-1])
    stored(node, node.publish(log[-1]), [log[-1]])


def refused_or_unjudged(node: Node, draw: Draw, wrong: WrongUpdate) -> None:
    """Judge that a wrong update that also needs a chain the deployment may not know is not taken, and its twin is.

    What a publish says of an account on such a chain is only noted elsewhere (API-231.d), so any fault of it will do.
    """
    situation = wrong.build(draw)
    written(node, situation.before)
    answer = node.publish(situation.broken)
    ended(answer.call, (Code.INVALID_ARGUMENT, Code.UNAVAILABLE))
    if answer.status.code is Code.INVALID_ARGUMENT:
        refused(answer, at(0, *wrong.reasons, INVALID_SIGNATURE))
    only_these(node, *topics_in(situation), sent=situation.before)
    written(node, [situation.twin])


def on_chain(entries: Iterable[WrongUpdate]) -> tuple[WrongUpdate, ...]:
    """Pick the entries that need a verdict of a chain, and of the local one alone."""
    return tuple(entry for entry in entries if entry.chains == (LOCAL_CHAIN,))


def rejected_by(stub: ChainStub, situation: Situation, publish: Callable[[], Published]) -> Published:
    """Have the chain reject what a situation wants rejected, publish, and return the answer.

    UNAVAILABLE is an outage where the chain was not asked, and says nothing; where it has rejected the signature and is
    well, the answer to a second try is judged: that is no outage any more.
    """
    for signature in situation.rejected:
        stub.says(False, signature=signature)
    answer = publish()
    if answer.status.code is Code.UNAVAILABLE and _has_rejected(stub, situation):
        answer = publish()
        ended(answer.call, (Code.INVALID_ARGUMENT,), environment=ENVIRONMENT - {Code.UNAVAILABLE})
    return answer


def _has_rejected(stub: ChainStub, situation: Situation) -> bool:
    answered = {call.asked.inner for call in stub.calls if call.asked and isinstance(call.answer, Invalid)}
    return not answered.isdisjoint(situation.rejected)


def in_good_health(node: Node, sent: Sequence[bytes | Envelope]) -> Published:
    """Publish once an outage is over: a backend may need a while to notice that it is."""
    outage = {Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED}
    return until(lambda: node.publish(*sent), lambda answer: answer.status.code not in outage)


def verifying(contract: ContractWallet, *, at_block: bool = True) -> VerifyRequest:
    """Ask for the verdict on a text that a contract wallet has signed, at its block or at the latest."""
    text = f"a text of {contract.account_id}"
    request = VerifyRequest()
    entry = request.signatures.add(
        account_id=contract.account_id, hash=eip191_hash(text), signature=contract.signature_bytes(text)
    )
    if at_block:
        entry.block_number = contract.block_number
    return request


def unknown_chain(node: Node, draw: Draw) -> int:
    """Give the number of a chain that the deployment does not say it can ask."""
    published = node.configuration().response.smart_contract_wallet_chains
    numbers = (int.from_bytes(draw.bytes(7), "big") for _ in range(len(published) + 1))
    return next(number for number in numbers if f"eip155:{number}" not in published)
