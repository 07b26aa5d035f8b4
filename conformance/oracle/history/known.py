"""Everything a history has shown so far, and the findings about it; the rules of the other modules work on this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from conformance.oracle.history.clock import StoreClock
from conformance.oracle.history.events import Operation, Publish
from conformance.oracle.history.finding import Finding
from conformance.oracle.history.records import NOBODY, NOTHING, Envelope, Sighting, Topic, Value

# One broken rule can show thousands of times; of each kind so many findings are kept.
MOST_ALIKE = 20
# What these say of an id holds although another envelope has it, too.
_OWN_CAUSE = frozenset({"H1", "H3", "H8", "H9", "H10"})


class Known:
    """The records by id, digest and topic. `operation` finds an operation again by its number, for a finding.

    `shared` are the ids that two envelopes carry, `lost` those of confirmed envelopes that no read has shown.
    """

    def __init__(self, operation: Callable[[int], Operation], clock: StoreClock) -> None:
        self.operation = operation
        self.clock = clock
        self.envelopes: dict[int, Envelope] = {}
        self.values: dict[bytes, Value] = {}
        self.topics: dict[bytes, Topic] = {}
        self.highest = NOTHING
        self.highest_at: dict[str, Sighting] = {}
        self.shared: set[int] = set()
        self.lost: set[int] = set()
        self._findings: list[Finding] = []
        self._alike: Counter[object] = Counter()

    def topic(self, name: bytes) -> Topic:
        """Return the record of a topic."""
        found = self.topics.get(name)
        if found is None:
            found = self.topics[name] = Topic(name)
        return found

    def publish(self, number: int) -> Publish:
        """Return a publish by its number."""
        found = self.operation(number)
        assert isinstance(found, Publish)  # noqa: S101 - the records name no other operation as an attempt
        return found

    def digest_of(self, envelope: Envelope) -> bytes | None:
        """Return the digest of an envelope's value: as a read showed it, else as a receipt claimed it."""
        return envelope.shown if envelope.shown is not None else envelope.claimed

    def overlap(self, one: int, other: int) -> bool:
        """Tell whether two operations ran at the same time for a moment."""
        a, b = self.operation(one), self.operation(other)
        return a.invoked_ns <= b.completed_ns and b.invoked_ns <= a.completed_ns

    def before(self, one: int, other: int) -> bool:
        """Tell whether an operation had been answered when another was invoked."""
        return self.operation(one).completed_ns < self.operation(other).invoked_ns

    def may_be_gone(self, envelope: Envelope, at_ns: int) -> bool:
        """Tell whether an envelope may be past its expiry: then it may be there or gone (V34)."""
        return bool(envelope.meta.expiry_ns) and self.clock.may_be_gone(envelope.meta, at_ns)

    def report(
        self,
        invariant: str,
        clauses: Iterable[str],
        reason: str,
        sentence: str,
        *,
        by: Iterable[int],
        topic: bytes,
        ids: Iterable[int],
    ) -> None:
        """Keep a finding that the operations `by` prove; `ids` on `topic` are what matters in their answers."""
        named = tuple(dict.fromkeys(clauses))
        self._alike[invariant, reason, named] += 1
        if self._alike[invariant, reason, named] > MOST_ALIKE:
            return
        numbers = sorted({number for number in by if number != NOBODY}, key=self._instant)
        self._findings.append(
            Finding(
                invariant=invariant,
                clauses=named,
                reason=reason,
                sentence=sentence,
                numbers=tuple(numbers),
                operations=tuple(self.operation(number) for number in numbers),
                topic=topic,
                ids=tuple(ids),
            )
        )

    def findings_but_consequences(self) -> list[Finding]:
        """Return the findings, without those that only follow from two envelopes sharing an id."""
        return [
            finding
            for finding in self._findings
            if finding.invariant in _OWN_CAUSE or self.shared.isdisjoint(finding.ids)
        ]

    def _instant(self, number: int) -> tuple[int, int]:
        return self.operation(number).invoked_ns, number
