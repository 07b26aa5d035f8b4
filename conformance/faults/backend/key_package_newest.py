"""Faults of reading key packages, which QueryNewest alone does (API-244)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, QueryNewestRequest
from conformance.reference.backend import key_package_reader as reader
from conformance.reference.backend import topics
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.failure import Code, Failure
from conformance.reference.backend.readers import NewestReader
from conformance.reference.backend.store import Stored, View

EVERY = 100_000  # more rows than any topic of a test holds


class RefusesKeyPackageTopics(NewestReader):
    """Answers no QueryNewest about key packages, as Query does not."""

    def check(self, query: QueryNewestRequest) -> None:
        """Refuse their topics."""
        super().check(query)
        if any(topic.topic[0] == topics.KEY_PACKAGE for topic in query.topics):
            raise Failure(Code.INVALID_ARGUMENT, "key package topics are not read")


class LeavesKeyPackagesOut(NewestReader):
    """Shows no key packages in QueryNewest."""

    def select(self, view: View, names: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Leave their topics out."""
        return super().select(view, [name for name in names if name[0] != topics.KEY_PACKAGE], full=full)


class LongestLivedKeyPackage(NewestReader):
    """Shows the key package of an installation that lives longest."""

    def select(self, view: View, names: Sequence[bytes], *, full: bool) -> list[Stored]:
        """Compare the lifetimes."""
        rows = super().select(view, names, full=full)
        return [
            row if row.topic[0] != topics.KEY_PACKAGE else max(view.after(row.topic, 0, EVERY), key=self.not_after)
            for row in rows
        ]

    def not_after(self, row: Stored) -> int:
        """Read the end of the lifetime."""
        serialized = ClientEnvelope.FromString(row.payload or b"").key_package.key_package_tls_serialized
        lifetime = reader.whole_key_package(serialized).leaf.lifetime
        return lifetime.not_after if lifetime else 0


def newest(newest_reader: type[NewestReader]) -> type[Backend]:
    """Make a backend whose QueryNewest is served by `newest_reader`."""

    class Newest(Backend):
        newest_class = newest_reader

    return Newest


VARIANTS: tuple[Variant, ...] = tuple(
    Variant(id=name, says=says, clauses=clauses("244.e"), build=newest(newest_reader))
    for name, says, newest_reader in (
        ("B388", "QueryNewest refuses key package topics", RefusesKeyPackageTopics),
        ("B389", "QueryNewest leaves key packages out", LeavesKeyPackagesOut),
        ("B389b", "QueryNewest shows the key package that lives longest", LongestLivedKeyPackage),
    )
)
