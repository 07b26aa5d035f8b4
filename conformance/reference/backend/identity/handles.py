"""Handles: their grammar, and the three checks of a claim that need state or policy (API-296, API-297, API-298)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.pb.backend_pb2 import PublishError
from conformance.reference.backend.failure import CheckFailure
from conformance.reference.backend.identity.handles_wire import HandlesTable
from conformance.reference.backend.identity.identifiers import refused
from conformance.reference.backend.settings import Handles

PAUSE_NS = 604_800_000_000_000
_UPPER, _LOWER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"
_FOLD = str.maketrans(_UPPER, _LOWER)


class HandlePolicy:
    """Raises CheckFailure for a claim that is not admitted."""

    def __init__(self, table: HandlesTable, settings: Handles) -> None:
        self.settings = settings
        self._grammar = re.compile(table.grammar)

    def folded(self, handle: str) -> str:
        """Return a handle with its ASCII letters in lower case, and no other character changed (API-299)."""
        return handle.translate(_FOLD)

    def name(self, handle: str) -> str | None:
        """Return the name part of a handle, None for a text that the grammar does not allow (IDENT-078)."""
        match = self._grammar.fullmatch(handle)
        return None if match is None else match["name"]

    def check_form(self, handle: str) -> None:
        """Refuse a claim of something that is no handle; it is signed text, so it must be in lower case already."""
        if self.name(handle) is None:
            raise refused("it claims a handle that the grammar does not allow")

    def check_free(self, holder: bytes | None, topic: bytes) -> None:
        """Refuse a handle that another inbox holds, now or ever (API-296)."""
        if holder is not None and self.is_other(holder, topic):
            raise CheckFailure(PublishError.REASON_HANDLE_TAKEN, "another inbox has claimed the handle")

    def is_other(self, holder: bytes, topic: bytes) -> bool:
        """Whether the holder of a handle is another inbox than the one that claims it."""
        return holder != topic

    def check_allowed(self, handle: str) -> None:
        """Refuse a name that is reserved or has too few characters, whoever holds it (API-297)."""
        name = self.name(handle) or ""
        if self.is_reserved(name) or self.length(name, handle) < self.settings.min_name_length:
            raise CheckFailure(PublishError.REASON_HANDLE_NOT_ALLOWED, "the name of the handle is not allowed")

    def is_reserved(self, name: str) -> bool:
        """Whether the deployment keeps a name for itself."""
        return name in self.settings.reserved

    def length(self, name: str, handle: str) -> int:
        """Return the length that counts: the characters of the name part."""
        return len(name)

    def check_pause(self, handle: str, claimed_ns: Sequence[int], now_ns: int) -> None:
        """Refuse a claim less than seven days after a stored one of the inbox, be it of this handle (API-298)."""
        if any(self.is_too_soon(stored_ns, now_ns) for stored_ns in claimed_ns):
            raise CheckFailure(
                PublishError.REASON_HANDLE_TOO_SOON, f"the last claim before {handle} is not seven days old"
            )

    def is_too_soon(self, claimed_ns: int, now_ns: int) -> bool:
        """Whether an earlier claim is younger than seven days; exactly seven days is old enough."""
        return claimed_ns > now_ns - PAUSE_NS
