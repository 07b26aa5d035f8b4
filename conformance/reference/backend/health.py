"""grpc.health.v1: one status for the whole server and for each of its services."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator

from google.protobuf.message import DecodeError

from conformance.pb.health_pb2 import HealthCheckRequest, HealthCheckResponse, HealthListResponse
from conformance.reference.backend.failure import Code, Failure

LOOK_AGAIN_S = 1.0


class Health:
    """Serves Check, List and Watch."""

    def __init__(self, services: Collection[str]) -> None:
        self._services = frozenset(("", *services))
        self._stopped = False
        self._changed = threading.Condition()

    def check(self, request: bytes) -> bytes:
        """Return the status now; NOT_FOUND for a service that is not here."""
        service = self._service(request)
        if service not in self._services:
            raise Failure(Code.NOT_FOUND, "the service is not known")
        return HealthCheckResponse(status=self._status(service)).SerializeToString()

    def list(self, _request: bytes) -> bytes:
        """Return the status of every service."""
        response = HealthListResponse()
        for service in self._services:
            response.statuses[service].status = self._status(service)
        return response.SerializeToString(deterministic=True)

    def watch(self, request: bytes, is_active: Callable[[], bool]) -> Iterator[bytes]:
        """Yield the status at once and whenever it changes, until the client goes or the server stops."""
        service = self._service(request)
        shown: int | None = None
        while is_active():
            with self._changed:
                status, stopped = self._status(service), self._stopped
                if status == shown and not stopped:
                    self._changed.wait(LOOK_AGAIN_S)
                    continue
            if status != shown:
                shown = status
                yield HealthCheckResponse(status=status).SerializeToString()
            if stopped:
                raise Failure(Code.UNAVAILABLE, "the backend is shutting down")

    def stop_serving(self) -> None:
        """Report NOT_SERVING from here on and let every watcher end."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def wake(self) -> None:
        """Make the watchers look again, because the client of one may be gone."""
        with self._changed:
            self._changed.notify_all()

    def _status(self, service: str) -> HealthCheckResponse.ServingStatus:
        if service not in self._services:
            return HealthCheckResponse.SERVICE_UNKNOWN
        return HealthCheckResponse.NOT_SERVING if self._stopped else HealthCheckResponse.SERVING

    def _service(self, request: bytes) -> str:
        try:
            return HealthCheckRequest.FromString(request).service
        except DecodeError as error:
            raise Failure(Code.INVALID_ARGUMENT, "the request is not a HealthCheckRequest") from error
