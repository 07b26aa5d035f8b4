"""The actions of an update as the model reads them, each with its signatures in the order of their slots."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.oracle.identity.identifiers import Identifier
from conformance.pb import signature_pb2


@dataclass(frozen=True, kw_only=True)
class Signed:
    """What all actions have: the filled signature slots. One that is not filled is None."""

    signatures: tuple[signature_pb2.Signature | None, ...]


@dataclass(frozen=True, kw_only=True)
class Create(Signed):
    """Opens the inbox; signed by the owner."""

    owner: Identifier
    nonce: int


@dataclass(frozen=True, kw_only=True)
class Add(Signed):
    """Adds a member; signed by someone who may, and by the member."""

    member: Identifier


@dataclass(frozen=True, kw_only=True)
class Revoke(Signed):
    """Revokes a member; signed by the recovery identifier."""

    member: Identifier


@dataclass(frozen=True, kw_only=True)
class ChangeRecovery(Signed):
    """Changes the recovery identifier; signed by the one before."""

    to: Identifier


@dataclass(frozen=True, kw_only=True)
class Claim(Signed):
    """Claims a handle; with no slot where claims carry no signature."""

    handle: str


Action = Create | Add | Revoke | ChangeRecovery | Claim
