"""Peers that are no backend at all: one answer to every call, whatever it asks. Nothing may be green on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.backend import PACKAGE, Backend
from conformance.reference.backend.failure import Code, Failure, PublishFailure

if TYPE_CHECKING:
    from conformance.reference.backend.server import Handler, Server

PUBLISH = f"/{PACKAGE}.PublishService/Publish"
HEALTH = "/grpc.health.v1.Health/"


class Peer(Backend):
    """Answers every path there is, those of services that do not exist included."""

    def reply(self, path: str) -> bytes:
        """Return the answer to a call of `path`, or raise the Failure it ends with."""
        raise Failure(Code.UNIMPLEMENTED, f"{path} is not implemented")

    def replies(self, path: str) -> bool:
        """Whether `path` gets this peer's reply, and not that of the backend it is made from."""
        del path
        return True

    def server(self) -> Server:
        """Return a server that replies alike to every path."""
        from conformance.reference.backend.server import Server  # noqa: PLC0415 - the adapter program needs no grpc

        class Alike(Server):
            def handler(self, path: str) -> Handler | None:
                if not peer.replies(path):
                    return super().handler(path)
                return self._unary(lambda _request: peer.reply(path))

        peer = self
        return Alike(self)


class Accepts(Peer):
    """Answers OK with an empty message."""

    def reply(self, path: str) -> bytes:
        """Return an empty message."""
        del path
        return b""


class Refuses(Peer):
    """Answers INVALID_ARGUMENT, to a publish with a detail in good form; its health is real."""

    def reply(self, path: str) -> bytes:
        """Fail as a malformed request does."""
        if path == PUBLISH:
            raise PublishFailure(PublishError.REASON_MALFORMED_PAYLOAD, "the envelope is malformed", index=0)
        raise Failure(Code.INVALID_ARGUMENT, "the request is malformed")

    def replies(self, path: str) -> bool:
        """Leave the health service alone."""
        return not path.startswith(HEALTH)


VARIANTS: tuple[Variant, ...] = (
    Variant(id="PEER-ACCEPTS", says="answers OK with an empty message", clauses=(), build=Accepts, kind="peer"),
    Variant(id="PEER-REFUSES", says="answers INVALID_ARGUMENT", clauses=(), build=Refuses, kind="peer"),
    Variant(id="PEER-UNIMPLEMENTED", says="answers UNIMPLEMENTED", clauses=(), build=Peer, kind="peer"),
)
