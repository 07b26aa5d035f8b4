"""Faults of the metadata the backend assigns (API-212)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from google.protobuf.unknown_fields import UnknownFieldSet

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, EnvelopeMeta, PublishRequest
from conformance.reference.backend.admission import Admission, Candidate
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.kinds import KINDS, GroupMessageKind, Parsed
from conformance.reference.backend.metadata import Metadata
from conformance.reference.backend.mls_framing import COMMIT, read_framing
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.ranges import Span
from conformance.reference.backend.readers import NewestReader
from conformance.reference.backend.settings import NANOSECONDS
from conformance.reference.backend.store import Stored, View
from conformance.reference.backend.topics import COMMIT_LOG, GROUP_MESSAGE, Topics

MILLISECOND = 1_000_000
FLAG = 6


class ShownIdIsNoPosition(Backend):
    """B318."""

    class _Metadata(Metadata):
        def show(self, stored: Stored) -> EnvelopeMeta:
            return super().show(replace(stored, sequence_id=stored.sequence_id + 1))

    metadata_class = _Metadata


class CommitLogAmongMessages(Backend):
    """B033."""

    class _Topics(Topics):
        def of(self, kind: int, identifier: bytes) -> bytes:
            return super().of(GROUP_MESSAGE if kind == COMMIT_LOG else kind, identifier)

    topics_class = _Topics


class ClockPerEnvelope(Backend):
    """B034."""

    class _Publisher(Publisher):
        def rows(self, new: Sequence[Candidate], span: Span) -> list[Stored]:
            return [
                self.metadata.assign(candidate, sequence_id, self.clock.now_ns())
                for candidate, sequence_id in zip(new, span.ids, strict=False)
            ]

    publisher_class = _Publisher


class TimeOfTheRepeat(Backend):
    """B319."""

    class _Publisher(Publisher):
        def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
            stored, now = super().publish(candidates, deadline), self.clock.now_ns()
            return [replace(row, server_ns=now) for row in stored]

    publisher_class = _Publisher


class Milliseconds(Backend):
    """B035."""

    class _Clock(Clock):
        def now_ns(self) -> int:
            return super().now_ns() // MILLISECOND

    clock_class = _Clock


class ClockReadNowAndThen(Backend):
    """B307."""

    class _Clock(Clock):
        kept_for_s = 30.0
        read_at = float("-inf")
        kept = 0

        def now_ns(self) -> int:
            if time.monotonic() - self.read_at > self.kept_for_s:
                self.read_at, self.kept = time.monotonic(), super().now_ns()
            return self.kept

    clock_class = _Clock


class OneRetention(Backend):
    """B038."""

    class _Metadata(Metadata):
        def expiry_ns(self, parsed: Parsed, server_ns: int) -> int:
            return super().expiry_ns(replace(parsed, retention=parsed.retention and "group_message_seconds"), server_ns)

    metadata_class = _Metadata


class CommitsExpire(Backend):
    """B039."""

    class _Metadata(Metadata):
        def expiry_ns(self, parsed: Parsed, server_ns: int) -> int:
            if parsed.kind == GROUP_MESSAGE:
                return server_ns + self.retention.group_message_seconds * NANOSECONDS
            return super().expiry_ns(parsed, server_ns)

    metadata_class = _Metadata


class ProposalsNotFlagged(Backend):
    """B040."""

    class _Kind(GroupMessageKind):
        def parse(self, envelope: ClientEnvelope) -> Parsed:
            is_commit = read_framing(envelope.group_message.data).content_type == COMMIT
            return replace(super().parse(envelope), is_commit_or_proposal=is_commit)

    kinds = KINDS | {"group_message": _Kind()}


class PushIsFlag(Backend):
    """B042."""

    class _Kind(GroupMessageKind):
        def parse(self, envelope: ClientEnvelope) -> Parsed:
            parsed = super().parse(envelope)
            flagged = parsed.is_commit_or_proposal or envelope.group_message.should_push
            return replace(parsed, is_commit_or_proposal=flagged)

    kinds = KINDS | {"group_message": _Kind()}


class UnknownFieldIsFlag(Backend):
    """B042b."""

    class _Admission(Admission):
        def decode(self, request: bytes) -> PublishRequest:
            super().decode(request)
            return PublishRequest.FromString(request)

        def parse(self, envelope: ClientEnvelope) -> Parsed:
            parsed = super().parse(envelope)
            unknown = UnknownFieldSet(envelope)
            claimed = any(unknown[place].field_number == FLAG for place in range(len(unknown)))
            return replace(parsed, is_commit_or_proposal=parsed.is_commit_or_proposal or claimed)

    admission_class = _Admission


class NewestRebuildsMetadata(Backend):
    """B008."""

    class _Newest(NewestReader):
        def select(self, view: View, topics: Sequence[bytes], *, full: bool) -> list[Stored]:
            found = super().select(view, topics, full=full)
            return found if full else [replace(row, expiry_ns=0, message_hash=b"") for row in found]

    newest_class = _Newest


VARIANTS = (
    Variant(
        id="B318",
        says="the ids shown are one above the positions that Query reads from",
        clauses=("API-212.a",),
        build=ShownIdIsNoPosition,
    ),
    Variant(
        id="B033",
        says="commit-log entries are filed under the kind byte of group messages",
        clauses=("API-212.b",),
        build=CommitLogAmongMessages,
    ),
    Variant(
        id="B034",
        says="the clock is read for each envelope of a publish",
        clauses=("API-212.c",),
        build=ClockPerEnvelope,
    ),
    Variant(
        id="B319",
        says="the receipt of a repeated publish shows the time of the repeat",
        clauses=("API-212.c",),
        build=TimeOfTheRepeat,
    ),
    Variant(
        id="B035",
        says="server_ns is counted in milliseconds",
        clauses=("API-212.c1",),
        build=Milliseconds,
    ),
    Variant(
        id="B307",
        says="the clock is read every half minute and that reading is used for all publishes between",
        clauses=("API-212.c1",),
        build=ClockReadNowAndThen,
    ),
    Variant(
        id="B038",
        says="all kinds that expire do so by the retention of group messages",
        clauses=("API-212.e",),
        build=OneRetention,
    ),
    Variant(
        id="B039",
        says="commits and proposals expire like application messages",
        clauses=("API-212.e",),
        build=CommitsExpire,
    ),
    Variant(
        id="B040",
        says="proposals are not flagged",
        clauses=("API-212.f",),
        build=ProposalsNotFlagged,
    ),
    Variant(
        id="B042",
        says="should_push sets is_commit_or_proposal",
        clauses=("API-212.g",),
        build=PushIsFlag,
    ),
    Variant(
        id="B042b",
        says="an unknown field of the envelope sets is_commit_or_proposal",
        clauses=("API-212.g",),
        build=UnknownFieldIsFlag,
    ),
    Variant(
        id="B008",
        says="QueryNewest for metadata leaves hash and expiry empty",
        clauses=("API-212.h",),
        build=NewestRebuildsMetadata,
    ),
)
