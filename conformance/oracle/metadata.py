"""The six fields of an envelope's metadata (API-212): complete, of the right value, and the same wherever seen.

All instants are nanoseconds since the Unix epoch, all durations end in their unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from conformance.oracle.violation import Violation
from conformance.wire.transcript import Meta

FIRST_SEQUENCE_ID = 1
LAST_SEQUENCE_ID = (1 << 63) - 1
HASH_BYTES = 32
NS_PER_SECOND = 1_000_000_000
TEN_YEARS_NS = 10 * 365 * 86_400 * NS_PER_SECOND
_FIELDS = ("sequence_id", "server_ns", "message_hash", "topic", "expiry_ns", "is_commit_or_proposal")
# other units a clock is commonly read in -> nanoseconds in one of them
_UNITS = {"microseconds": 1_000, "milliseconds": 1_000_000, "seconds": NS_PER_SECOND}


class TopicKind(IntEnum):
    """The first byte of a topic (TOPIC-001)."""

    GROUP_MESSAGE = 0
    WELCOME = 1
    IDENTITY_UPDATE = 2
    KEY_PACKAGE = 3
    COMMIT_LOG = 4


_TOPIC_BYTES = {
    TopicKind.GROUP_MESSAGE: 17,
    TopicKind.WELCOME: 33,
    TopicKind.IDENTITY_UPDATE: 33,
    TopicKind.KEY_PACKAGE: 33,
    TopicKind.COMMIT_LOG: 17,
}
_COMMIT_OR_PROPOSAL = (2, 3)  # content types of RFC 9420 section 6: proposal, commit


@dataclass(frozen=True, kw_only=True)
class Retention:
    """The published retention of each kind that expires, in seconds."""

    group_message_seconds: int
    welcome_seconds: int
    key_package_seconds: int


def complete(meta: Meta, *, where: str) -> None:
    """Judge that all six fields are set to something possible (API-212, 286.a, 211.b, TOPIC-001).

    `where` names the answer, such as `Query`. Any id from 1 to 2^63-1 will do (V01), and any hash of 32 bytes: it is
    opaque (V11). Reasons: `unset`, `id-range`, `hash-length`, `wrong-topic`, `expiry-before-storing`.
    """
    if meta.absent:
        raise _about("unset", f"{where} returned metadata without {' and '.join(sorted(meta.absent))}.", meta)
    if not FIRST_SEQUENCE_ID <= meta.sequence_id <= LAST_SEQUENCE_ID:
        raise _about("id-range", f"{where} returned sequence id {meta.sequence_id}, outside 1 to 2^63-1.", meta)
    if meta.server_ns == 0:
        raise _about("unset", f"{where} returned metadata without server_ns.", meta)
    if len(meta.message_hash) != HASH_BYTES:
        raise _about(
            "hash-length", f"{where} returned a message hash of {len(meta.message_hash)} bytes; SHA-256 has 32.", meta
        )
    kind = meta.topic[0] if meta.topic else None
    if kind not in list(TopicKind) or len(meta.topic) != _TOPIC_BYTES[TopicKind(kind)]:
        raise _about("wrong-topic", f"{where} returned a topic of impossible layout.", meta)
    if meta.expiry_ns and meta.expiry_ns < meta.server_ns:
        raise _about("expiry-before-storing", f"{where} returned an expiry_ns before server_ns.", meta)


def same_receipt(first: Meta, second: Meta, *, where: str) -> None:
    """Judge that two sightings of one envelope carry the same six fields (API-288, 222, 212; invariant H2).

    `where` names the second sighting. Reason: `metadata-differs`.
    """
    for name in _FIELDS:
        before, after = getattr(first, name), getattr(second, name)
        if before != after:
            raise Violation(
                "metadata-differs",
                f"{where} shows another {name} for an envelope than was shown before.",
                witness={"before": before, "after": after, "envelope": first},
            )


def expiry(meta: Meta, *, content_type: int | None, retention: Retention) -> None:
    """Judge expiry_ns by the kind of the envelope (API-212.e, OPS-001).

    `content_type` is that of a group message (1 application, 2 proposal, 3 commit), None for every other kind. A
    group message that is neither proposal nor commit, a Welcome and a key package expire `server_ns` plus the
    published retention; all others never do. Reason: `wrong-expiry`.
    """
    kind = TopicKind(meta.topic[0])
    seconds = {
        TopicKind.GROUP_MESSAGE: 0 if content_type in _COMMIT_OR_PROPOSAL else retention.group_message_seconds,
        TopicKind.WELCOME: retention.welcome_seconds,
        TopicKind.KEY_PACKAGE: retention.key_package_seconds,
    }.get(kind, 0)
    expected = meta.server_ns + seconds * NS_PER_SECOND if seconds else 0
    if meta.expiry_ns != expected:
        raise Violation(
            "wrong-expiry",
            f"An envelope of kind {kind.name} carries expiry_ns {meta.expiry_ns}, but "
            + (f"server_ns plus {seconds} s is {expected}." if seconds else "it must never expire (0)."),
            witness={"envelope": meta, "server_ns": meta.server_ns, "content type": content_type},
        )


def flag(meta: Meta, *, content_type: int | None) -> None:
    """Judge is_commit_or_proposal: true for a group message of content type 2 or 3, false for all else (API-212.f).

    `content_type` as in `expiry`. Reason: `wrong-flag`.
    """
    expected = meta.topic[:1] == bytes([TopicKind.GROUP_MESSAGE]) and content_type in _COMMIT_OR_PROPOSAL
    if meta.is_commit_or_proposal != expected:
        raise Violation(
            "wrong-flag",
            f"is_commit_or_proposal is {meta.is_commit_or_proposal} but must be {expected}.",
            witness={"envelope": meta, "content type": content_type},
        )


def one_server_ns(new: Sequence[Meta]) -> None:
    """Judge that the envelopes one publish stored carry one server_ns (API-212.c).

    Pass the new ones only: a duplicate keeps that of its first publish. Two publishes may share a value, and it need
    not rise with the ids (V10). Reason: `several-server-times`.
    """
    for meta in new[1:]:
        if meta.server_ns != new[0].server_ns:
            raise Violation(
                "several-server-times",
                "Two envelopes stored by one publish carry different server_ns.",
                witness={"first": new[0].server_ns, "other": meta.server_ns, "envelope": meta},
            )


def server_ns_unit(meta: Meta, *, now_ns: int) -> None:
    """Judge that server_ns is counted in nanoseconds (API-212.c): within ten years of `now_ns`, this side's clock.

    A clock that is wrong by less is a matter of the deployment; steps of any size are lawful (V10). Reason:
    `wrong-unit`.
    """
    if abs(meta.server_ns - now_ns) <= TEN_YEARS_NS:
        return
    unit = next((u for u, ns in _UNITS.items() if abs(meta.server_ns * ns - now_ns) <= TEN_YEARS_NS), None)
    raise Violation(
        "wrong-unit",
        f"server_ns {meta.server_ns} is no time of these years in nanoseconds"
        + (f"; it would be one in {unit}." if unit else "."),
        witness={"envelope": meta, "clock of the suite": now_ns},
    )


def server_ns_window(meta: Meta, *, invoked_ns: int, completed_ns: int, skew_ns: int) -> None:
    """Judge that server_ns lies between the invocation and the completion of the publish that stored it (API-212.c).

    Both instants by this side's wall clock; `skew_ns` is how far the clocks of the two sides may be apart plus the
    step of the target's clock (V10), to be measured or agreed, not assumed. With the instant a verifier answered as
    `invoked_ns` it judges that the clock was read after admission (API-212.d). Not for a duplicate. Reason:
    `server-time-outside`.
    """
    if not invoked_ns - skew_ns <= meta.server_ns <= completed_ns + skew_ns:
        raise Violation(
            "server-time-outside",
            f"server_ns lies outside the publish that stored the envelope, skew of {skew_ns} ns allowed.",
            witness={"server_ns": meta.server_ns, "invoked": invoked_ns, "completed": completed_ns, "envelope": meta},
        )


def _about(reason: str, sentence: str, meta: Meta) -> Violation:
    return Violation(reason, sentence, witness={"envelope": meta})
