"""Backends that mind who hands an identity update in (API-230.m): clients are told apart by their connections."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.admission import Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.store import Stored

if TYPE_CHECKING:
    import grpc

    from conformance.reference.backend.server import Handler, Server


class _Caller(threading.local):
    """The client whose call this thread serves."""

    name: str = ""


_CALLER = _Caller()


class MindsClients(Publisher):
    """Takes an update only from a client that may hand it in."""

    owners: dict[bytes, str]
    own: dict[str, bytes]

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Look who it is."""
        self.owners = getattr(self, "owners", {})
        self.own = getattr(self, "own", {})
        known = self.duplicates(candidates)
        new = [each for each in candidates if each.parsed.update is not None and each.key not in known]
        for each in new:
            if not self.may(_CALLER.name, each.topic):
                reason = PublishError.REASON_INVALID_IDENTITY_UPDATE
                raise PublishFailure(reason, "this client may not change the inbox", index=each.index)
        stored = super().publish(candidates, deadline)
        self.note(_CALLER.name, [each.topic for each in new])
        return stored

    def may(self, client: str, topic: bytes) -> bool:
        """Tell whether a client may change an inbox."""
        return self.owners.get(topic, client) == client

    def note(self, client: str, inboxes: Collection[bytes]) -> None:
        """Remember who has changed which inbox."""
        for topic in inboxes:
            self.owners.setdefault(topic, client)
            self.own.setdefault(client, topic)


class OwnClientOnly(MindsClients):
    """Lets an inbox be continued only by the client that opened it."""


class OwnInboxOnly(MindsClients):
    """Lets a client change only the inbox that it changed first."""

    def may(self, client: str, topic: bytes) -> bool:
        """Compare the inbox."""
        return self.own.get(client, topic) == topic


def told_clients(part: type[Publisher]) -> type[Backend]:
    """Make a backend whose publisher knows the client."""

    class Made(Backend):
        publisher_class = part

        def server(self) -> Server:
            """Return a server that notes the client of each call."""
            return _naming(self)

    return Made


def _naming(backend: Backend) -> Server:
    import grpc  # noqa: PLC0415 - the adapter program needs none

    from conformance.reference.backend.server import Server  # noqa: PLC0415 - as above

    class Naming(Server):
        def handler(self, path: str) -> Handler | None:
            found = super().handler(path)
            if found is None or found.unary_unary is None:
                return found
            serve = found.unary_unary

            def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
                _CALLER.name = context.peer()
                return serve(request, context)

            return grpc.unary_unary_rpc_method_handler(handle)

    return Naming(backend)
