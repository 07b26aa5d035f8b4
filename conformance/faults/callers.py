"""A server that lets the parts of a backend ask whether the client of the call they serve is still there."""

from __future__ import annotations

import grpc

from conformance.faults.backend.abandoned import CALLER
from conformance.reference.backend.server import Handler, Server


class Watching(Server):
    """Notes whose call a thread serves."""

    def handler(self, path: str) -> Handler | None:
        """Return the handler of a path, with a note of the caller put before it."""
        found = super().handler(path)
        if found is None or found.unary_unary is None:
            return found
        serve = found.unary_unary

        def handle(request: bytes, context: grpc.ServicerContext) -> bytes:
            CALLER.is_there = context.is_active
            return serve(request, context)

        return grpc.unary_unary_rpc_method_handler(handle)
