"""What faults of publishing are made of: a store and bounds that let more pass, and a look at part of a request."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from conformance.reference.backend.admission import Admission, Candidate, Encoder
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import PublishFailure
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.responses import ErrorDetails
from conformance.reference.backend.store import Store, Stored
from conformance.reference.backend.topics import Topics


class LaxStore(Store):
    """A store that does not enforce that an idempotency key is unique."""

    @staticmethod
    def schema(first_sequence_id: int) -> tuple[str, ...]:
        """Return the schema with a plain index in place of the unique one."""
        unique, plain = (f"CREATE {kind} IF NOT EXISTS envelope_key" for kind in ("UNIQUE INDEX", "INDEX"))
        return tuple(statement.replace(unique, plain) for statement in Store.schema(first_sequence_id))


class LateBounds(Bounds):
    """Leaves two bounds of a publish to a later step."""

    def envelope(self, index: int, length: int) -> None:
        """Let every envelope pass."""

    def publish_topics(self, count: int) -> None:
        """Let any number of topics pass."""


class PartByPart(Publisher):
    """Can look at the good envelopes of a failing request."""

    def good(self, request: bytes) -> list[Candidate]:
        """Examine every envelope on its own and leave out those that fail."""
        found = []
        for index, envelope in enumerate(self.admission.decode(request).envelopes):
            with suppress(PublishFailure):
                found.append(self.admission.examine(index, envelope))
        return found

    def soon(self) -> Deadline:
        """Return the deadline of a publish that begins now."""
        return Deadline(self.publish_ms / 1000, "the publish")

    def answered(self, stored: Sequence[Stored]) -> bytes:
        """Encode the response."""
        return self.responses.published(stored).SerializeToString()


def backend(
    *,
    admission: type[Admission] = Admission,
    bounds: type[Bounds] = Bounds,
    details: type[ErrorDetails] = ErrorDetails,
    encoder: type[Encoder] = Encoder,
    publisher: type[Publisher] = Publisher,
    store: type[Store] = Store,
    topics: type[Topics] = Topics,
) -> type[Backend]:
    """Make a backend of the given parts and, for the rest, of those it should have."""

    class Made(Backend):
        admission_class = admission
        bounds_class = bounds
        details_class = details
        encoder_class = encoder
        publisher_class = publisher
        store_class = store
        topics_class = topics

    return Made


def clauses(numbers: str) -> tuple[str, ...]:
    """Spell out clause ids: `220.a 221.c` are API-220.a and API-221.c."""
    return tuple(f"API-{number}" for number in numbers.split())
