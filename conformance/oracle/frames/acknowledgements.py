"""Applied: one for each accepted Update, in order, with the topics it newly registered (API-251 to 253)."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.frames.facts import Finding
from conformance.oracle.frames.reading import Reading
from conformance.oracle.frames.registrations import Acknowledged, Walked


def acknowledgements(reading: Reading, walked: Walked) -> Iterator[Finding]:
    """Find Applied frames that answer no Update, an invalid one, one too early, or with other topics than it added.

    Reasons: `applied-unasked`, `applied-twice`, `applied-missing`, `invalid-accepted`, `wrong-targets`. An Applied
    that has not come is no contradiction: it may still be on its way.
    """
    for each in walked.acknowledged:
        yield from _order(each)
        yield from _validity(reading, walked, each)
        yield from _targets(each)


def _order(each: Acknowledged) -> Iterator[Finding]:
    if each.update is None or each.repeated:
        reason = "applied-twice" if each.repeated else "applied-unasked"
        said = "was acknowledged before" if each.repeated else "had not been sent"
        yield Finding(
            about=("API-252.a",),
            reason=reason,
            sentence=f"An Applied carries the id {each.applied.id}, but an Update of that id {said}.",
            places=(*([each.update.place] if each.update else ()), each.applied.place),
        )
    elif each.skipped:
        yield Finding(
            about=("API-252.a",),
            reason="applied-missing",
            sentence=f"The Applied {each.applied.id} came although an Update sent before it had none.",
            places=(each.skipped[0], each.update.place, each.applied.place),
        )


def _validity(reading: Reading, walked: Walked, each: Acknowledged) -> Iterator[Finding]:
    """An Update behind an invalid frame is never applied either: that frame has failed the stream."""
    if each.update is None or each.repeated:
        return
    for place, problem in walked.problems.items():
        if place <= each.update.place:
            own = place == each.update.place
            yield Finding(
                about=(*problem.about, "API-251.h") if own else problem.about,
                reason="invalid-accepted",
                sentence=(
                    f"A request frame must fail the stream when {problem.why}, but "
                    + ("it got" if own else "a later Update got")
                    + f" the Applied {each.applied.id}."
                ),
                places=tuple(dict.fromkeys((place, each.update.place, each.applied.place))),
            )
            return


def _targets(each: Acknowledged) -> Iterator[Finding]:
    if each.update is None or each.repeated or each.problem or each.skipped:
        return
    listed = tuple(target.topic for target in each.applied.targets)
    if listed != each.new:
        added = {add.topic for add in each.update.adds}
        kept = any(topic in added and topic not in each.new for topic in listed)
        yield Finding(
            about=("API-252.b", "API-253.a") if kept else ("API-252.b",),
            reason="wrong-targets",
            sentence="added_targets lists the topics that an Update newly registered, in its order; this does not.",
            places=(each.update.place, each.applied.place),
            facts={"newly registered": each.new, "listed": listed},
        )
