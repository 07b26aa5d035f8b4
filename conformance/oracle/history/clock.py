"""The clock of the store as receipts show it, and the expiry rule: what may be gone decides nothing (V34, OPS-002)."""

from __future__ import annotations

from conformance.wire.transcript import Meta

# Clocks of several machines behind one endpoint, and the steps in which a clock is read (V10).
DEFAULT_SKEW_NS = 5_000_000_000


class StoreClock:
    """An upper estimate of the store's clock at an instant of this side's monotonic clock.

    An envelope's server_ns was read after its first publish was sent; the greatest distance between the two is never
    less than the distance of the clocks.
    """

    def __init__(self, skew_ns: int = DEFAULT_SKEW_NS) -> None:
        self.skew_ns = skew_ns
        self._ahead: int | None = None
        self._shortest_ns: int | None = None

    def learn(self, meta: Meta, first_invoked_ns: int) -> None:
        """Learn from the metadata of an envelope that was first sent at `first_invoked_ns`."""
        if meta.expiry_ns:
            retention = meta.expiry_ns - meta.server_ns
            self._shortest_ns = retention if self._shortest_ns is None else min(retention, self._shortest_ns)
        ahead = meta.server_ns - first_invoked_ns
        if self._ahead is None or ahead > self._ahead:
            self._ahead = ahead

    def may_be_gone(self, meta: Meta, at_ns: int) -> bool:
        """Tell whether an envelope may be past its expiry at an instant; before one is seen nobody knows the clock."""
        if not meta.expiry_ns:
            return False
        return self._ahead is None or meta.expiry_ns <= at_ns + self._ahead + self.skew_ns

    def may_have_come_and_gone(self, stored_with: Meta, at_ns: int) -> bool:
        """Tell whether an envelope nobody saw may be past its expiry: stored with another one, its kind unknown.

        The shortest retention of all that was seen counts; histories belong on a deployment with a long one.
        """
        if self._shortest_ns is None or self._ahead is None:
            return False
        return stored_with.server_ns + self._shortest_ns <= at_ns + self._ahead + self.skew_ns
