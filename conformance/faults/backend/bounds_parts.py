"""What faults of bounds and codes are made of: every call served with another code, and other measures of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope
from conformance.reference.backend.backend import Backend, Build, Unary
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.failure import Code, Failure, PublishFailure
from conformance.reference.backend.identity.lookups import InboxIds
from conformance.reference.backend.identity.verification import WalletVerification
from conformance.reference.backend.settings import Settings

# an enum of -1 takes ten bytes where it can be written in five
LONG_ENUM_GROWTH = 5


def coded(change: Callable[[Code], Code]) -> type[Backend]:
    """Make a backend whose calls fail with the code that `change` makes of the right one."""

    class Coded(Backend):
        def serve(self, method: Unary, request: bytes) -> bytes:
            try:
                return super().serve(method, request)
            except PublishFailure as failure:
                failure.code = change(failure.code)
                raise
            except Failure as failure:
                raise Failure(change(failure.code), failure.message) from failure

    return Coded


def instead(wrong: Code, *right: Code) -> Callable[[Code], Code]:
    """Put a wrong code in the place of the right ones."""
    return lambda code: wrong if code in right else code


def bounded(bounds: type[Bounds]) -> type[Backend]:
    """Make a backend with other bounds."""

    class Bounded(Backend):
        bounds_class = bounds

    return Bounded


def measuring(method_name: str, *, wire: bool = True, response: bool = True) -> type[Backend]:
    """Make a backend that does not measure the requests, or the responses, of the calls whose path ends so."""

    class Measuring(Backend):
        def serve(self, method: Unary, request: bytes) -> bytes:
            unmeasured = [each.answer for path, each in self.methods().items() if path.endswith(method_name)]
            if method.answer not in unmeasured:
                return super().serve(method, request)
            if wire:
                self.bounds.wire(request)
            answer = method.answer(request)
            if response and method.bounded:
                self.bounds.response(answer)
            return answer

    return Measuring


def looking_up(lookups: type[InboxIds]) -> Build:
    """Make a backend with another GetInboxIds."""
    return with_identity(inbox_ids_class=lookups)


def verifying(verification: type[WalletVerification]) -> Build:
    """Make a backend with another VerifySmartContractWalletSignatures."""
    return with_identity(verification_class=verification)


def growth(envelope: ClientEnvelope) -> int:
    """Count the bytes that a Welcome grows by when it is encoded again."""
    return LONG_ENUM_GROWTH if envelope.welcome_message.v1.wrapper_algorithm < 0 else 0


def faults(*rows: tuple[str, str, str, Callable[[Settings, Path], Backend]]) -> Iterator[Variant]:
    """Make a fault of each row: its id, what it says, its clauses without the contract's name, its backend."""
    for name, says, numbers, build in rows:
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)
