"""Odd but lawful ways to judge an identity update (API-230, V12)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure
from conformance.reference.backend.identity.association import State
from conformance.reference.backend.identity.identifiers import Identifier, Identifiers, refused
from conformance.reference.backend.identity.update import Update, UpdateReader
from conformance.reference.backend.identity.validator import Validator


class StateFirst(Validator):
    """Looks at the state before it verifies signatures."""

    def validate(self, history: Sequence[Update], update: Update, deadline: Deadline) -> State:
        """Change the order."""
        state = self.association.apply(self.replay(history), update, self.signed(update))
        self.verify(update, deadline)
        return state


class FormIsPayload(UpdateReader):
    """Counts the form of an update among what has to parse."""

    def read(self, message: IdentityUpdate) -> Update:
        """Change the reason for all but an update without actions."""
        try:
            return super().read(message)
        except CheckFailure as failure:
            if not message.actions:
                raise
            raise CheckFailure(PublishError.REASON_MALFORMED_PAYLOAD, failure.message) from failure


class AnyKind(Identifiers):
    """Reads a kind without a name as that of a wallet, and wants passkeys in lowercase."""

    def named(self, kind: int, text: str) -> Identifier:
        """Decide what is open."""
        if kind not in (1, 2):
            kind = 0
        if kind == 2 and text != text.lower():  # noqa: PLR2004 - a passkey
            raise refused("a passkey is not in lowercase")
        return super().named(kind, text)


_EVERY = clauses("230.b 230.j 230.j.ident 230.m 231.a 231.c")

VARIANTS: tuple[Variant, ...] = tuple(
    Variant(id=name, says=says, clauses=_EVERY, build=with_identity(**parts), kind="variation")
    for name, says, parts in (
        ("V460", "the state is looked at before signatures", {"validator_class": StateFirst}),
        ("V461", "a form that is wrong does not parse", {"reader_class": FormIsPayload}),
        ("V462", "what is open about kinds is decided the other way", {"identifiers_class": AnyKind}),
    )
)
