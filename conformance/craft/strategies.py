"""Hypothesis strategies for plans. They draw shapes, sizes and orders; identifiers come from a `Draw`, never from here.

A drawn plan names the classes it belongs to (`plan.classes`); the tuples below list what each strategy can reach, so
that a property can tell which of them it never saw.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from conformance.craft.encodings import FORMS
from conformance.craft.mls_framing import ContentType
from conformance.craft.plans import (
    FILLINGS,
    FRAMINGS,
    LIMITS,
    PLACES,
    PLAIN_FORM,
    BatchPlan,
    CursorPlan,
    EnvelopePlan,
    QueryPlan,
    Repeat,
)
from conformance.craft.topics import Kind

UNSIGNED_KINDS = (Kind.GROUP_MESSAGE, Kind.WELCOME, Kind.COMMIT_LOG)
FORM_NAMES = (PLAIN_FORM, *FORMS)
SIZES = (0, 1, 63, 64, 127, 128, 1024, 16383, 16384)
HMAC_SIZES = (0, 1, 31, 32, 33)
TRAILING_SIZES = (0, 0, 0, 1, 1024)

# the smallest arm of each content type that the contract does not leave open
_GROUP_ARMS = tuple(
    (framing, content_type)
    for framing in FRAMINGS
    for content_type in ContentType
    if (framing, content_type) != ("public", ContentType.APPLICATION)
)
ENVELOPE_CLASSES = (
    *(f"kind:{kind.name.lower()}" for kind in UNSIGNED_KINDS),
    *(f"{framing}:{content_type.name.lower()}" for framing, content_type in _GROUP_ARMS),
    *(f"filling:{filling}" for filling in FILLINGS),
    *(f"form:{form}" for form in FORM_NAMES),
    "welcome:inline",
    "welcome:pointer",
    "size:empty",
    "size:long",
    "trailing",
)
BATCH_CLASSES = (*ENVELOPE_CLASSES, "batch:one", "batch:several", "batch:several-topics", "repeat")
QUERY_CLASSES = (
    *(f"cursor:{place}" for place in PLACES),
    *(f"limit:{limit}" for limit in LIMITS),
    "repeated-topic",
)


@st.composite
def envelope_plans(
    draw: st.DrawFn,
    *,
    kinds: Sequence[Kind] = UNSIGNED_KINDS,
    slots: int = 3,
    forms: Sequence[str] = (PLAIN_FORM,),
    largest: int = SIZES[-1],
) -> EnvelopePlan:
    """Draw one envelope on one of `slots` topics of its kind, with a body of up to `largest` bytes."""
    kind = draw(st.sampled_from(kinds))
    size = draw(st.one_of(st.sampled_from([n for n in SIZES if n <= largest]), st.integers(0, min(largest, 300))))
    slot, filling, form = draw(st.integers(0, slots - 1)), draw(st.sampled_from(FILLINGS)), draw(st.sampled_from(forms))
    should_push = draw(st.booleans())
    if kind is Kind.GROUP_MESSAGE:
        arm, content_type = draw(st.sampled_from(_GROUP_ARMS))
        return EnvelopePlan(
            kind=kind,
            slot=slot,
            arm=arm,
            content_type=content_type,
            size=size,
            filling=filling,
            hmac_bytes=draw(st.sampled_from(HMAC_SIZES)),
            should_push=should_push,
            trailing=draw(st.sampled_from(TRAILING_SIZES)),
            form=form,
        )
    arm = draw(st.sampled_from(("inline", "pointer"))) if kind is Kind.WELCOME else ""
    return EnvelopePlan(kind=kind, slot=slot, arm=arm, size=size, filling=filling, should_push=should_push, form=form)


@st.composite
def publish_plans(
    draw: st.DrawFn,
    *,
    kinds: Sequence[Kind] = UNSIGNED_KINDS,
    slots: int = 3,
    forms: Sequence[str] = (PLAIN_FORM,),
    batches: int = 4,
    fewest: int = 1,
    envelopes: int = 5,
    repeats: bool = True,
    largest: int = 1024,
) -> tuple[BatchPlan, ...]:
    """Draw up to `batches` publish requests of `fewest` to `envelopes` envelopes, repeats of earlier ones among them.

    A repeat names an earlier envelope of any of the requests, its own included.
    """
    one = envelope_plans(kinds=kinds, slots=slots, forms=forms, largest=largest)
    planned = 0
    requests = []
    for _ in range(draw(st.integers(1, batches))):
        items: list[EnvelopePlan | Repeat] = []
        for _ in range(draw(st.integers(fewest, envelopes))):
            if repeats and planned and draw(st.integers(0, 5)) == 0:
                items.append(Repeat(of=draw(st.integers(0, planned - 1)), form=draw(st.sampled_from(forms))))
            else:
                items.append(draw(one))
                planned += 1
        requests.append(BatchPlan(items=tuple(items)))
    return tuple(requests)


def cursor_plans() -> st.SearchStrategy[CursorPlan]:
    """Draw a position on a topic; more often one with much above it."""
    return st.builds(
        CursorPlan, place=st.sampled_from(("absent", "start", "before", *PLACES)), index=st.integers(0, 20)
    )


@st.composite
def query_plans(draw: st.DrawFn, *, topics: int, entries: int = 5, repeats: bool = True) -> QueryPlan:
    """Draw a Query of up to `entries` entries over `topics` topics, with `repeats` some of them named twice.

    The limit is more often one around what is eligible: there a page is cut, or just not.
    """
    named = draw(st.lists(st.integers(0, topics - 1), min_size=1, max_size=entries, unique=not repeats))
    return QueryPlan(
        topics=tuple(named),
        cursors=tuple(draw(cursor_plans()) for _ in named),
        limit=draw(st.sampled_from(("one", "fewer", "exact", "one-more", *LIMITS))),
    )
