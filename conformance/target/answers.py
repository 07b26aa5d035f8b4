"""What a node answered: the recorded call, and on demand the facts in it.

Reading the facts implies success: it raises Undecided, UnexpectedStatus or UnexpectedAnswer (see `refusals`) otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeVar

from google.protobuf.message import DecodeError, Message

from conformance.pb import backend_pb2
from conformance.target.limits import Limits
from conformance.target.refusals import UnexpectedAnswer, demand_ok
from conformance.wire.errors import details_problem, inner_code, publish_error_bytes, publish_failure
from conformance.wire.transcript import Call, Meta, PublishFailure, Seen, Status
from conformance.wire.walk import WireError, submessages

_Kind = TypeVar("_Kind", bound=Message)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The outcome of one call."""

    call: Call

    @property
    def status(self) -> Status:
        """How the call ended."""
        return self.call.status

    def ok(self) -> Self:
        """Return this answer if the call ended OK. Raises Undecided or UnexpectedStatus otherwise."""
        demand_ok(self.call)
        return self

    def _read(self, kind: type[_Kind]) -> tuple[_Kind, bytes]:
        self.ok()
        name = kind.DESCRIPTOR.name
        if self.call.response is None:
            raise UnexpectedAnswer(self.call, f"{self.call.rpc} was answered OK, but no {name} came with it.")
        try:
            return kind.FromString(self.call.response), self.call.response
        except DecodeError:
            size = _counted(len(self.call.response), "byte")
            raise UnexpectedAnswer(self.call, f"{self.call.rpc} was answered with {size} of no {name}.") from None

    def _parts(self, data: bytes, number: int) -> list[bytes]:
        try:
            return submessages(data, number)
        except WireError as error:
            sentence = f"{self.call.rpc} was answered with bytes that are no lawful protobuf message: {error}."
            raise UnexpectedAnswer(self.call, sentence) from None

    def _slice(self, data: bytes, number: int) -> bytes | None:
        # A submessage split over several fields is, by the encoding rules, the concatenation of its parts.
        parts = self._parts(data, number)
        return b"".join(parts) if parts else None


@dataclass(frozen=True, kw_only=True)
class Published(Answer):
    """The answer to Publish. `sent` is the number of envelopes in the request, None if the request is no message."""

    sent: int | None = None

    @cached_property
    def metas(self) -> tuple[Meta, ...]:
        """One Meta per envelope sent, at the same index (API-221)."""
        response, _ = self._read(backend_pb2.PublishResponse)
        count = len(response.envelope_metas)
        if self.sent is not None and count != self.sent:
            raise UnexpectedAnswer(
                self.call,
                f"Publish of {_counted(self.sent, 'envelope')} was answered with {_counted(count, 'meta')}.",
            )
        return tuple(meta_of(meta) for meta in response.envelope_metas)

    def confirmed(self) -> Self:
        """Return this answer if the publish succeeded and every envelope has its Meta. Raises what `metas` raises."""
        _ = self.metas
        return self

    @property
    def meta(self) -> Meta:
        """The Meta of a publish of one envelope. Raises ValueError when another number was sent."""
        if self.sent != 1:
            raise ValueError(f"`meta` is for a publish of one envelope; this one sent {self.sent}")
        return self.metas[0]

    @property
    def failure(self) -> PublishFailure | None:
        """The PublishError detail of a failed publish, None when there is none that can be read."""
        return publish_failure(self.status)

    @property
    def error_bytes(self) -> bytes | None:
        """The PublishError detail of a failed publish as it stands on the wire, None when there is none."""
        return publish_error_bytes(self.status)

    @property
    def details_problem(self) -> str | None:
        """Why no PublishError detail can be read, in one sentence; None when one can."""
        return details_problem(self.status)

    @property
    def inner_code(self) -> int | None:
        """The code inside the google.rpc.Status that carries the detail; None when there is no such Status."""
        return inner_code(self.status)


@dataclass(frozen=True, kw_only=True)
class Page(Answer):
    """The answer to Query."""

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """The envelopes in the order received, each with its payload bytes as they stand in the response."""
        response, raw = self._read(backend_pb2.QueryResponse)
        entries = zip(response.envelopes, self._parts(raw, 1), strict=True)
        return tuple(self._entry(index, entry, data) for index, (entry, data) in enumerate(entries))

    def _entry(self, index: int, entry: backend_pb2.ServerEnvelope, data: bytes) -> Seen:
        if not entry.HasField("meta"):
            raise UnexpectedAnswer(self.call, f"Query answered an envelope without a meta (entry {index}).")
        return Seen(source="Query", meta=meta_of(entry.meta), envelope=self._slice(data, 2))

    @property
    def metas(self) -> tuple[Meta, ...]:
        """The metadata of the envelopes in the order received."""
        return tuple(seen.meta for seen in self.seen)

    @cached_property
    def has_more(self) -> bool:
        """Whether the target says that more envelopes follow this page (API-240)."""
        response, _ = self._read(backend_pb2.QueryResponse)
        return response.continuation.has_more

    @property
    def has_continuation(self) -> bool:
        """Whether the answer says anything about more envelopes; without it `has_more` is False."""
        response, _ = self._read(backend_pb2.QueryResponse)
        return response.HasField("continuation")

    def of(self, topic: bytes) -> tuple[Seen, ...]:
        """Return the envelopes of this page on `topic`."""
        return tuple(seen for seen in self.seen if seen.meta.topic == topic)


@dataclass(frozen=True, kw_only=True)
class Newest(Answer):
    """The answer to QueryNewest."""

    @cached_property
    def results(self) -> tuple[Seen, ...]:
        """The results in the order received; `result_topic` is the topic a result names, None when it names none."""
        response, raw = self._read(backend_pb2.QueryNewestResponse)
        entries = zip(response.results, self._parts(raw, 1), strict=True)
        return tuple(self._entry(index, entry, data) for index, (entry, data) in enumerate(entries))

    def _entry(self, index: int, entry: backend_pb2.QueryNewestResponse.Result, data: bytes) -> Seen:
        if not entry.HasField("meta"):
            raise UnexpectedAnswer(self.call, f"QueryNewest answered a result without a meta (result {index}).")
        return Seen(
            source="QueryNewest",
            meta=meta_of(entry.meta),
            envelope=self._slice(data, 3),
            result_topic=entry.topic.topic if entry.HasField("topic") else None,
        )

    def of(self, topic: bytes) -> Seen | None:
        """Return the result that names `topic`, taken by its name and never by position (API-245), or None."""
        found = [seen for seen in self.results if seen.result_topic == topic]
        if len(found) > 1:
            raise UnexpectedAnswer(self.call, f"QueryNewest answered {len(found)} results for topic {topic.hex()}.")
        return found[0] if found else None


@dataclass(frozen=True, kw_only=True)
class Resolved(Answer):
    """The answer to GetInboxIds."""

    @cached_property
    def response(self) -> backend_pb2.GetInboxIdsResponse:
        """The inbox ids as decoded, one message per entry, in the order received."""
        response, _ = self._read(backend_pb2.GetInboxIdsResponse)
        return response


@dataclass(frozen=True, kw_only=True)
class Verified(Answer):
    """The answer to VerifySmartContractWalletSignatures."""

    @cached_property
    def response(self) -> backend_pb2.VerifySmartContractWalletSignaturesResponse:
        """The verdicts as decoded, one message per entry, in the order received."""
        response, _ = self._read(backend_pb2.VerifySmartContractWalletSignaturesResponse)
        return response


@dataclass(frozen=True, kw_only=True)
class Configured(Answer):
    """The answer to GetConfiguration."""

    @cached_property
    def response(self) -> backend_pb2.GetConfigurationResponse:
        """The configuration as decoded."""
        response, _ = self._read(backend_pb2.GetConfigurationResponse)
        return response

    @property
    def limits(self) -> Limits:
        """The limits published in it."""
        return Limits.published(self.response)


def meta_of(meta: backend_pb2.EnvelopeMeta) -> Meta:
    """Turn a decoded EnvelopeMeta into the recorded fact."""
    return Meta(
        sequence_id=meta.cursor.sequence_id,
        server_ns=meta.server_ns,
        message_hash=meta.message_hash.sha256,
        topic=meta.topic.topic,
        expiry_ns=meta.expiry_ns,
        is_commit_or_proposal=meta.is_commit_or_proposal,
        absent=frozenset(
            name
            for name, present in (
                ("cursor", meta.HasField("cursor")),
                ("message_hash", meta.HasField("message_hash")),
                ("topic", meta.HasField("topic")),
            )
            if not present
        ),
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
