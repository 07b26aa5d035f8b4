"""GetConfiguration: the published values, which are the enforced ones (CONF-069)."""

from __future__ import annotations

from dataclasses import asdict

from google.protobuf.message import DecodeError

from conformance import __version__
from conformance.pb.backend_pb2 import (
    AuthConfiguration,
    GetConfigurationRequest,
    GetConfigurationResponse,
    LimitsConfiguration,
    MlsConfiguration,
    RetentionConfiguration,
)
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.identity.handles_wire import handles_wire
from conformance.reference.backend.settings import Settings, chain_name


class Configuration:
    """Serves GetConfiguration with the same bytes for the life of the process (CONF-012)."""

    def __init__(self, settings: Settings) -> None:
        self._response = self.publish(settings).SerializeToString(deterministic=True)

    def answer(self, request: bytes) -> bytes:
        """Serve one request; its answer is not bounded by max_response_bytes (CONF-009)."""
        try:
            GetConfigurationRequest.FromString(request)
        except DecodeError as error:
            raise Failure(Code.INVALID_ARGUMENT, "the request is not a GetConfigurationRequest") from error
        return self._response

    def publish(self, settings: Settings) -> GetConfigurationResponse:
        """Return the message."""
        response = GetConfigurationResponse(
            identifier=settings.identifier,
            server_version=__version__,
            auth=AuthConfiguration(enabled=False),
            retention=RetentionConfiguration(**asdict(settings.retention)),
            limits=LimitsConfiguration(**asdict(settings.limits)),
            mls=MlsConfiguration(**asdict(settings.mls)),
            smart_contract_wallet_chains=[chain_name(number) for number in sorted(settings.chains)],
        )
        # a field that the published message does not name
        wire = handles_wire(settings.handles.wire)
        response.MergeFromString(wire.configuration(settings.handles.min_name_length))
        return response
