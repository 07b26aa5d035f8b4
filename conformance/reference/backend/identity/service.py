"""Identity, put together from its parts.

A variant subclasses a part, names it in a subclass of `Identity`, and that one in a subclass of `Backend`.
"""

from __future__ import annotations

from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.identity.admission import IdentityAdmission
from conformance.reference.backend.identity.association import Association
from conformance.reference.backend.identity.chain import Chains
from conformance.reference.backend.identity.contract_wallets import ContractWallets
from conformance.reference.backend.identity.handles import HandlePolicy
from conformance.reference.backend.identity.handles_wire import HandlesWire
from conformance.reference.backend.identity.identifiers import Identifiers
from conformance.reference.backend.identity.index import IdentityIndex
from conformance.reference.backend.identity.lookups import InboxIds
from conformance.reference.backend.identity.signatures import Signatures
from conformance.reference.backend.identity.signed_text import SignedText
from conformance.reference.backend.identity.update import UpdateReader
from conformance.reference.backend.identity.validator import Validator
from conformance.reference.backend.identity.verification import WalletVerification
from conformance.reference.backend.settings import Settings
from conformance.reference.backend.store import Store


class Identity:
    """The admission of identity updates, and what is read of them."""

    identifiers_class = Identifiers
    reader_class = UpdateReader
    text_class = SignedText
    signatures_class = Signatures
    chains_class = Chains
    wallets_class = ContractWallets
    association_class = Association
    validator_class = Validator
    policy_class = HandlePolicy
    index_class = IdentityIndex
    admission_class = IdentityAdmission
    inbox_ids_class = InboxIds
    verification_class = WalletVerification

    def __init__(self, *, settings: Settings, store: Store, bounds: Bounds, clock: Clock, wire: HandlesWire) -> None:
        publish_ms = settings.timers.publish_ms
        self.chains = self.chains_class(settings.chains)
        self.wallets = self.wallets_class(self.chains)
        self.policy = self.policy_class(wire.table, settings.handles)
        self.index = self.index_class()
        self.validator = self.validator_class(
            text=self.text_class(wire.table),
            signatures=self.signatures_class(),
            wallets=self.wallets,
            association=self.association_class(),
        )
        self.admission = self.admission_class(
            store=store,
            reader=self.reader_class(identifiers=self.identifiers_class(), wire=wire),
            validator=self.validator,
            policy=self.policy,
            index=self.index,
            clock=clock,
            limits=settings.limits,
            publish_ms=publish_ms,
        )
        self.inbox_ids = self.inbox_ids_class(
            store=store, index=self.index, policy=self.policy, bounds=bounds, table=wire.table
        )
        self.verification = self.verification_class(wallets=self.wallets, bounds=bounds, publish_ms=publish_ms)
