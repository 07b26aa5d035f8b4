"""What signs an identity update; and signers that do it wrongly, made from one that does it right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from conformance.craft.identity.identifier import MemberId
from conformance.pb import signature_pb2

Signature = signature_pb2.Signature


class Signer(Protocol):
    """Someone who can sign the text of an update. The same text gives the same signature every time."""

    @property
    def identifier(self) -> MemberId:
        """Whom the signature speaks for."""
        ...

    def sign(self, text: str) -> Signature:
        """Sign a text."""
        ...


@dataclass(frozen=True, kw_only=True)
class Posing:
    """A signer under an identifier that need not be its own."""

    identifier: MemberId
    signs: Callable[[str], Signature]

    def sign(self, text: str) -> Signature:
        """Sign a text with whatever it has."""
        return self.signs(text)


def posing_as(identifier: MemberId, signer: Signer) -> Signer:
    """Let `signer` sign in the place of `identifier`."""
    return Posing(identifier=identifier, signs=signer.sign)


def over_text(signer: Signer, change: Callable[[str], str]) -> Signer:
    """Let `signer` sign another text than the update's."""
    return Posing(identifier=signer.identifier, signs=lambda text: signer.sign(change(text)))


def altered(signer: Signer, change: Callable[[Signature], Signature]) -> Signer:
    """Change every signature that `signer` makes."""

    def sign(text: str) -> Signature:
        signature = Signature()
        signature.CopyFrom(signer.sign(text))
        return change(signature)

    return Posing(identifier=signer.identifier, signs=sign)
