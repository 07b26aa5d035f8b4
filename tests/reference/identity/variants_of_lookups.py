"""A wrong lookup that no fault of the suite is made of: it shows only once the deployment's own list has changed."""

from __future__ import annotations

from conformance.reference.backend.identity.lookups import InboxIds
from conformance.reference.backend.store import View


class HidesReserved(InboxIds):
    def holder(self, view: View, handle: str) -> bytes | None:
        return None if self.policy.is_reserved(self.policy.name(handle) or "") else super().holder(view, handle)
