"""Plans of what a property test sends and asks: pure data, with no identifier in it, so that shrinking replays them.

A plan says which of its topics is meant by a small number, and a `Cast` gives each number an identifier when the plan
is carried out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.craft.commit_log import commit_log_envelope, entry, signature
from conformance.craft.draw import Draw
from conformance.craft.encodings import FORMS, encoded
from conformance.craft.group_message import group_envelope
from conformance.craft.mls_framing import ContentType, private_message, public_message
from conformance.craft.topics import Kind, topic
from conformance.craft.welcome import pointer_envelope, welcome_envelope
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope
PLAIN_FORM = "plain"
FILLINGS = ("noise", "zeros", "text", "not-utf8")
FRAMINGS = ("private", "public")
PLACES = ("absent", "start", "before", "at", "after", "head", "beyond", "last-possible")
LIMITS = ("default", "one", "fewer", "exact", "one-more", "ceiling", "above-ceiling", "largest")
LAST_SEQUENCE_ID = (1 << 63) - 1
LARGEST_LIMIT = (1 << 32) - 1
_LONG = 1024


@dataclass(frozen=True, kw_only=True)
class EnvelopePlan:
    """One envelope: its kind, which of the plan's topics, what fills it and how it is encoded.

    `arm` is the framing of a group message (`private`, `public`) or the form of a Welcome (`inline`, `pointer`).
    """

    kind: Kind
    slot: int = 0
    arm: str = ""
    content_type: ContentType = ContentType.APPLICATION
    size: int = 0
    filling: str = "noise"
    hmac_bytes: int = 0
    should_push: bool = False
    trailing: int = 0
    form: str = PLAIN_FORM

    @property
    def classes(self) -> frozenset[str]:
        """The named classes this envelope belongs to."""
        named = {f"kind:{self.kind.name.lower()}", f"form:{self.form}", f"filling:{self.filling}"}
        if self.kind is Kind.GROUP_MESSAGE:
            named |= {f"{self.arm}:{self.content_type.name.lower()}"}
        elif self.arm:
            named |= {f"welcome:{self.arm}"}
        named |= {"size:empty"} if self.size == 0 else {"size:long"} if self.size >= _LONG else set()
        return frozenset(named | ({"trailing"} if self.trailing else set()))


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """The same envelope value as an earlier one of the plan, `of` counted from its first; perhaps encoded otherwise."""

    of: int
    form: str = PLAIN_FORM

    @property
    def classes(self) -> frozenset[str]:
        """The named classes this repeat belongs to."""
        return frozenset({"repeat", f"form:{self.form}"})


@dataclass(frozen=True, kw_only=True)
class BatchPlan:
    """The envelopes of one publish request, in order."""

    items: tuple[EnvelopePlan | Repeat, ...]

    @property
    def classes(self) -> frozenset[str]:
        """The named classes this request and its envelopes belong to."""
        slots = {(item.kind, item.slot) for item in self.items if isinstance(item, EnvelopePlan)}
        named = {"batch:one"} if len(self.items) == 1 else {"batch:several"}
        named |= {"batch:several-topics"} if len(slots) > 1 else set()
        return frozenset(named.union(*(item.classes for item in self.items)))


@dataclass(frozen=True, kw_only=True)
class CursorPlan:
    """A position on a topic, relative to what the topic holds: one of `PLACES`, seen from the envelope `index`."""

    place: str
    index: int = 0

    @property
    def classes(self) -> frozenset[str]:
        """The named class of this position."""
        return frozenset({f"cursor:{self.place}"})

    def resolve(self, ids: Sequence[int]) -> int | None:
        """Give the position for a topic that holds these sequence ids, ascending; None leaves the cursor absent.

        Never above 2^63-1, which would be malformed. On an empty topic every relative place is the start.
        """
        pivot = ids[self.index % len(ids)] if ids else 0
        head = ids[-1] if ids else 0
        position = {
            "start": 0,
            "before": pivot - 1,
            "at": pivot,
            "after": pivot + 1,
            "head": head,
            "beyond": head + 1000,
            "last-possible": LAST_SEQUENCE_ID,
        }.get(self.place)
        return None if position is None else min(max(position, 0), LAST_SEQUENCE_ID)


@dataclass(frozen=True, kw_only=True)
class QueryPlan:
    """One Query: which topics, from where, at most how many. A topic may be named more than once."""

    topics: tuple[int, ...]
    cursors: tuple[CursorPlan, ...]
    limit: str = "default"

    @property
    def classes(self) -> frozenset[str]:
        """The named classes this query belongs to."""
        named = {f"limit:{self.limit}"} | ({"repeated-topic"} if len(set(self.topics)) < len(self.topics) else set())
        return frozenset(named.union(*(cursor.classes for cursor in self.cursors)))

    def resolve_limit(self, eligible: int, *, ceiling: int) -> int:
        """Give the limit to ask for when `eligible` envelopes stand above the cursors; 0 asks for the default.

        `ceiling` is the published max_query_limit.
        """
        return {
            "default": 0,
            "one": 1,
            "fewer": max(1, eligible - 1),
            "exact": max(1, eligible),
            "one-more": eligible + 1,
            "ceiling": ceiling,
            "above-ceiling": min(ceiling + 1, LARGEST_LIMIT),
            "largest": LARGEST_LIMIT,
        }[self.limit]


class Cast:
    """Gives the topics of a plan their identifiers and makes its envelopes; one Cast for one carrying out.

    A group and its commit log of the same slot share their identifier (TOPIC-001). Every planned envelope gets a mark
    of its own, so that only a `Repeat` is the same value twice.
    """

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._groups: dict[int, bytes] = {}
        self._installations: dict[int, bytes] = {}
        self.made: list[Envelope] = []

    def identifier(self, kind: Kind, slot: int) -> bytes:
        """Give the identifier of a topic of the plan, the same at every call."""
        if kind is Kind.WELCOME:
            return self._installations.setdefault(slot, self._draw.installation_key())
        return self._groups.setdefault(slot, self._draw.group_id())

    def topic(self, kind: Kind, slot: int) -> bytes:
        """Give the name of a topic of the plan."""
        return topic(kind, self.identifier(kind, slot))

    def envelope(self, plan: EnvelopePlan | Repeat) -> Envelope:
        """Make the next envelope of the plan, or the earlier one again that a `Repeat` names."""
        if isinstance(plan, Repeat):
            return self.made[plan.of]
        identifier = self.identifier(plan.kind, plan.slot)
        mark, body = self._draw.identifier(8), self._filled(plan)
        if plan.kind is Kind.GROUP_MESSAGE:
            framed = (
                private_message(identifier, content_type=plan.content_type, authenticated_data=mark, ciphertext=body)
                if plan.arm == "private"
                else public_message(identifier, content_type=plan.content_type, authenticated_data=mark, signature=body)
            )
            made = group_envelope(
                framed + self._draw.bytes(plan.trailing),
                sender_hmac=self._draw.bytes(plan.hmac_bytes),
                should_push=plan.should_push,
            )
        elif plan.kind is Kind.COMMIT_LOG:
            serialized = entry(identifier, last_epoch_authenticator=body, applied_epoch_authenticator=mark)
            made = commit_log_envelope(serialized, signed=signature() if plan.should_push else None)
        elif plan.arm == "pointer":
            made = pointer_envelope(identifier, welcome_pointer=body, hpke_public_key=mark)
        else:
            made = welcome_envelope(identifier, data=body, welcome_metadata=mark)
        self.made.append(made)
        return made

    def encode(self, plan: EnvelopePlan | Repeat) -> bytes:
        """Make the next envelope of the plan in the encoding it asks for."""
        envelope = self.envelope(plan)
        return encoded(envelope) if plan.form == PLAIN_FORM else encoded(envelope, FORMS[plan.form])

    def _filled(self, plan: EnvelopePlan) -> bytes:
        """Make the body of an envelope: `size` bytes of its filling."""
        if plan.filling == "noise":
            return self._draw.bytes(plan.size)
        pattern = {"zeros": b"\x00", "text": b"lorem ipsum ", "not-utf8": b"\xc3\x28\xff\x00"}[plan.filling]
        return (pattern * (plan.size // len(pattern) + 1))[: plan.size]
