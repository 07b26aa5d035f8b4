"""The backend, put together from its parts.

A variant subclasses a part, names it in a subclass of `Backend`, and hands that subclass to `program.main` as `build`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.reference.backend.admission import Admission, Encoder
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.configuration import Configuration
from conformance.reference.backend.database import Database
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.front.web import Web
from conformance.reference.backend.hold import Hold
from conformance.reference.backend.identity.handles_wire import handles_wire
from conformance.reference.backend.identity.service import Identity
from conformance.reference.backend.kinds import KINDS, on_wire
from conformance.reference.backend.metadata import Metadata
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import IdAllocator, OpenRanges
from conformance.reference.backend.readers import NewestReader, QueryReader
from conformance.reference.backend.responses import ErrorDetails, Responses
from conformance.reference.backend.settings import Settings
from conformance.reference.backend.store import Store
from conformance.reference.backend.streams.service import Streams
from conformance.reference.backend.topics import Topics

if TYPE_CHECKING:
    from conformance.reference.backend.server import Server

START_S = 10.0
PACKAGE = "xmtp.backend.v1"


@dataclass(frozen=True, kw_only=True)
class Unary:
    """One unary method: request bytes to response bytes; `bounded` when max_response_bytes applies to the answer."""

    answer: Callable[[bytes], bytes]
    bounded: bool = True


class Backend:
    """One endpoint's view of a deployment: the shared store in `folder` and everything that serves it."""

    kinds = KINDS
    clock_class = Clock
    bounds_class = Bounds
    topics_class = Topics
    encoder_class = Encoder
    admission_class = Admission
    database_class = Database
    store_class = Store
    hold_class = Hold
    allocator_class = IdAllocator
    ranges_class = OpenRanges
    metadata_class = Metadata
    identity_class = Identity
    responses_class = Responses
    details_class = ErrorDetails
    publisher_class = Publisher
    query_class = QueryReader
    newest_class = NewestReader
    streams_class = Streams
    configuration_class = Configuration
    web_class = Web  # lives in the front process

    def __init__(self, settings: Settings, folder: Path) -> None:
        self.settings = settings
        limits = settings.limits
        self.wire = handles_wire(settings.handles.wire)
        self.clock = self.clock_class(folder)
        self.bounds = self.bounds_class(limits)
        self.topics = self.topics_class()
        self.encoder = self.encoder_class()
        self.database = self.database_class(
            folder,
            schema=(
                *self.store_class.schema(settings.first_sequence_id),
                *self.identity_class.index_class.schema,
            ),
            store_ms=settings.timers.store_ms,
        )
        self.store = self.store_class(self.database)
        self.identity = self.identity_class(
            settings=settings, store=self.store, bounds=self.bounds, clock=self.clock, wire=self.wire
        )
        self.admission = self.admission_class(
            kinds=on_wire(self.kinds, self.wire),
            topics=self.topics,
            encoder=self.encoder,
            bounds=self.bounds,
            clock=self.clock,
            identity=self.identity.admission,
            wire=self.wire,
        )
        self.hold = self.hold_class(self.database, folder)
        self.ranges = self.ranges_class(
            database=self.database, folder=folder, allocator=self.allocator_class(), hold=self.hold
        )
        self.ranges.close_dead(Deadline(START_S, "the start of the backend"))
        self.metadata = self.metadata_class(settings.retention)
        self.responses = self.responses_class(self.metadata)
        self.details = self.details_class()
        self.publisher = self.publisher_class(
            admission=self.admission,
            database=self.database,
            store=self.store,
            ranges=self.ranges,
            hold=self.hold,
            clock=self.clock,
            metadata=self.metadata,
            responses=self.responses,
            identity=self.identity.admission,
            publish_ms=settings.timers.publish_ms,
        )
        self.query = self.query_class(
            store=self.store, bounds=self.bounds, topics=self.topics, responses=self.responses, limits=limits
        )
        self.newest = self.newest_class(
            store=self.store, bounds=self.bounds, topics=self.topics, responses=self.responses
        )
        self.streams = self.streams_class(
            settings=settings,
            store=self.store,
            bounds=self.bounds,
            topics=self.topics,
            responses=self.responses,
        )
        self.configuration = self.configuration_class(settings)

    def methods(self) -> Mapping[str, Unary]:
        """Return the unary methods by full path."""
        return {
            f"/{PACKAGE}.PublishService/Publish": Unary(answer=self.publisher.answer),
            f"/{PACKAGE}.QueryService/Query": Unary(answer=self.query.answer),
            f"/{PACKAGE}.QueryService/QueryNewest": Unary(answer=self.newest.answer),
            f"/{PACKAGE}.IdentityService/GetInboxIds": Unary(answer=self.identity.inbox_ids.answer),
            f"/{PACKAGE}.IdentityService/VerifySmartContractWalletSignatures": Unary(
                answer=self.identity.verification.answer
            ),
            f"/{PACKAGE}.ConfigurationService/GetConfiguration": Unary(answer=self.configuration.answer, bounded=False),
        }

    def serve(self, method: Unary, request: bytes) -> bytes:
        """Answer one request within the wire bounds both ways; a publish whose answer is too long has committed."""
        self.bounds.wire(request)
        response = method.answer(request)
        if method.bounded:
            self.bounds.response(response)
        return response

    def server(self) -> Server:
        """Return the server to put in front of this backend."""
        from conformance.reference.backend.server import Server  # noqa: PLC0415 - the adapter program needs no grpc

        return Server(self)

    def close(self) -> None:
        """Let go of the store."""
        self.database.close()
        self.ranges.shut()


Build = Callable[[Settings, Path], Backend]


def build_backend(settings: Settings, folder: Path) -> Backend:
    """Return the backend as it should be."""
    return Backend(settings, folder)
