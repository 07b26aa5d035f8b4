"""Messages: only of registered topics, above the cursor, rising, none left out, as stored (API-252 to 254)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.oracle.frames.facts import Finding, Known
from conformance.oracle.frames.registrations import Delivery, Registration, Stray, Walked
from conformance.wire.transcript import Meta


def strays(walked: Walked, *, static: bool) -> Iterator[Finding]:
    """Find envelopes of topics that are not registered where they stand (API-251.h, 252.e, 253.c, 260.c).

    Reasons: `before-applied`, `after-removal`, `not-registered`.
    """
    for stray in walked.strays:
        yield _stray(stray, static=static)


def _stray(stray: Stray, *, static: bool) -> Finding:
    meta, place = stray.delivery.meta, stray.delivery.place
    opened = "Started" if static else "the Applied of its add"
    if stray.awaited is not None:
        about: tuple[str, ...] = ("API-260.c",) if static else ("API-252.e",)
        if stray.removed_at is not None:
            about = (*about, "API-253.c")
        return Finding(
            about=about,
            reason="before-applied",
            sentence=f"Id {meta.sequence_id} was delivered before {opened}.",
            places=(stray.awaited, place),
            facts={"envelope": meta},
        )
    if stray.removed_at is not None:
        return Finding(
            about=("API-253.c",),
            reason="after-removal",
            sentence=f"Id {meta.sequence_id} was delivered behind the Applied of the removal of its topic.",
            places=(stray.removed_at, place),
            facts={"envelope": meta},
        )
    refused = stray.refused is not None
    return Finding(
        about=("API-251.h",) if refused else ("API-260.c",) if static else ("API-252.e",),
        reason="not-registered",
        sentence=f"Id {meta.sequence_id} was delivered, but its topic "
        + ("is named in an invalid request only." if refused else "was never asked for."),
        places=(*([stray.refused] if stray.refused is not None else ()), place),
        facts={"envelope": meta},
    )


def orders(walked: Walked) -> Iterator[Finding]:
    """Find deliveries at or below their cursor, out of order or repeated (API-254, 253.a, d, e).

    Reasons: `at-or-below-cursor`, `not-ascending`, `repeated`.
    """
    for registration in walked.registrations:
        last: Delivery | None = None
        seen: dict[int, Delivery] = {}
        for each in registration.deliveries:
            number = each.meta.sequence_id
            if number <= registration.cursor:
                yield Finding(
                    about=_about(registration),
                    reason="at-or-below-cursor",
                    sentence=f"Id {number} was delivered, which is not above the cursor {registration.cursor}.",
                    places=(registration.requested, registration.place, each.place),
                    facts={"envelope": each.meta},
                )
            elif number in seen or (last is not None and number < last.meta.sequence_id):
                before = seen.get(number, last)
                again = number in seen
                yield Finding(
                    about=_about(registration),
                    reason="repeated" if again else "not-ascending",
                    sentence=f"Id {number} of a topic was delivered "
                    + ("twice." if again else f"behind id {last.meta.sequence_id if last else 0}."),
                    places=(*([before.place] if before else ()), each.place),
                    facts={"envelope": each.meta},
                )
            seen.setdefault(number, each)
            last = each if last is None or number > last.meta.sequence_id else last


def holes(walked: Walked, known: Known) -> Iterator[Finding]:
    """Find ids left out below one that was delivered: what a registration delivered is a prefix (API-254; H6).

    Everything known of the topic counts, whenever it was seen: nothing becomes visible behind what is (API-201).
    Reason: `hole`.
    """
    by_topic = known_ids(walked, known)
    for registration in walked.registrations:
        shown = {each.meta.sequence_id for each in registration.deliveries}
        stored = set(by_topic.get(registration.topic, ()))
        target = registration.target or 0
        if must_exist(registration, known):
            stored.add(target)
        top = max(shown, default=0)
        missing = sorted(i for i in stored if registration.cursor < i < top and i not in shown | known.expired)
        if missing:
            passed = next(each for each in registration.deliveries if each.meta.sequence_id > missing[0])
            yield Finding(
                about=(*_about(registration), "API-252.d"),
                reason="hole",
                sentence=f"Id {passed.meta.sequence_id} of a topic was delivered without id {missing[0]} before it.",
                places=(registration.requested, registration.place, passed.place),
                facts={"topic": registration.topic, "left out": missing, "target": registration.target},
            )


def sightings(walked: Walked, known: Known) -> Iterator[Finding]:
    """Find envelopes shown otherwise than elsewhere, under an id of another topic, or stored by nobody.

    Reasons: `changed-meta` (API-212, 288), `id-reused` (API-287), `incomplete-meta` (API-212), `unknown-envelope`
    (API-220, on closed topics only).
    """
    first: dict[int, Meta] = {meta.sequence_id: meta for meta in reversed(known.metas)}
    elsewhere = frozenset(first)
    deliveries = [
        *(each for registration in walked.registrations for each in registration.deliveries),
        *(stray.delivery for stray in walked.strays),
    ]
    for each in sorted(deliveries, key=lambda delivery: delivery.place):
        meta = each.meta
        before = first.setdefault(meta.sequence_id, meta)
        facts: Mapping[str, object] = {"delivered": meta, "known": before}
        if meta.absent:
            names = ", ".join(sorted(meta.absent))
            yield _meta(each, "incomplete-meta", ("API-212",), f"An envelope was delivered without its {names}.", facts)
        elif before.topic != meta.topic:
            yield _meta(each, "id-reused", ("API-287",), f"Id {meta.sequence_id} belongs to two topics.", facts)
        elif before != meta:
            said = f"Id {meta.sequence_id} was delivered with other metadata than it has elsewhere."
            yield _meta(each, "changed-meta", ("API-212", "API-288"), said, facts)
        elif meta.topic in known.closed and meta.sequence_id not in elsewhere:
            said = f"Id {meta.sequence_id} was delivered, but nobody stored it on its topic."
            yield _meta(each, "unknown-envelope", ("API-220",), said, facts)


def known_ids(walked: Walked, known: Known) -> dict[bytes, set[int]]:
    """Give the ids of every topic that a receipt, another read or this stream itself showed."""
    found: dict[bytes, set[int]] = {}
    for meta in known.metas:
        found.setdefault(meta.topic, set()).add(meta.sequence_id)
    for registration in walked.registrations:
        ids = found.setdefault(registration.topic, set())
        ids.update(each.meta.sequence_id for each in registration.deliveries)
    return found


def must_exist(registration: Registration, known: Known) -> bool:
    """Tell whether the target of a registration adds to what is known: it was visible (API-252)."""
    topic, target = registration.topic, registration.target or 0
    if target <= registration.cursor or known.expired or topic in known.closed:
        return False
    return not any(meta.sequence_id == target and meta.topic != topic for meta in known.metas)


def _meta(each: Delivery, reason: str, about: tuple[str, ...], sentence: str, facts: Mapping[str, object]) -> Finding:
    return Finding(about=about, reason=reason, sentence=sentence, places=(each.place,), facts=facts)


def _about(registration: Registration) -> tuple[str, ...]:
    about: tuple[str, ...] = ("API-254",)
    if registration.again:
        about = (*about, "API-253.d", "API-253.e")
    if registration.readded:
        about = (*about, "API-253.a")
    return about
