"""Validation of an identity update against the history of its inbox (IDENT-005).

Shape first, then every signature, then the state: an update with a broken signature and a broken rule is reported for
its signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, Code, Failure
from conformance.reference.backend.identity.association import Association, SignedAction, State
from conformance.reference.backend.identity.contract_wallets import ContractWallets
from conformance.reference.backend.identity.signatures import Signatures, eip191_hash
from conformance.reference.backend.identity.signed_text import SignedText
from conformance.reference.backend.identity.update import Update, signatures


class Validator:
    """Raises CheckFailure for an update that does not verify or apply, ChainFailure where a chain gives no verdict."""

    def __init__(
        self, *, text: SignedText, signatures: Signatures, wallets: ContractWallets, association: Association
    ) -> None:
        self.text = text
        self.signatures = signatures
        self.wallets = wallets
        self.association = association

    def validate(self, history: Sequence[Update], update: Update, deadline: Deadline) -> State:
        """Return the state that an update leads to, after a history in ascending order of sequence ids."""
        actions = self.signed(update)
        self.verify(update, deadline)
        return self.association.apply(self.replay(history), update, actions)

    def replay(self, history: Sequence[Update]) -> State | None:
        """Return the state after stored updates, None after none; INTERNAL when they do not apply in order.

        Their signatures were verified when they were admitted, and an old block is no reason to doubt one now.
        """
        state = None
        for update in history:
            try:
                state = self.association.apply(state, update, self.signed(update))
            except CheckFailure as failure:
                raise Failure(Code.INTERNAL, "the stored history of an inbox does not apply") from failure
        return state

    def signed(self, update: Update) -> Sequence[SignedAction]:
        """Read the signatures of an update."""
        text = self.text.of(update)
        return [
            SignedAction(action=action, signed=tuple(self.signatures.read(each, text) for each in signatures(action)))
            for action in update.actions
        ]

    def verify(self, update: Update, deadline: Deadline) -> None:
        """Verify the signatures of an update, those that take a chain last."""
        text = self.text.of(update)
        every = [each for action in update.actions for each in signatures(action)]
        for each in every:
            self.signatures.verify(each, text)
        for each in every:
            if each.WhichOneof("signature") == "erc_6492":
                self.wallets.verify(each.erc_6492, eip191_hash(text), deadline)
