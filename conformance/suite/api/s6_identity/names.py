"""Handles for lookups: in capitals, with look-alike letters, of no grammar, and such as nobody could claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.craft.topics import Kind, topic
from conformance.oracle.identity.handles import published_min_name_length
from conformance.oracle.identity.lookups import claimed_there, echoed
from conformance.oracle.status import succeeded
from conformance.suite.api.s6_identity.inboxes import asked
from conformance.target.errors import Missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.craft.identity.handles import HandlesProfile
    from conformance.suite.api.s6_identity.inboxes import Inboxes

# letters from elsewhere, with the ASCII letter that some folding of Unicode makes of them
LOOK_ALIKES = {"\u212a": "k", "\u017f": "s", "\u0131": "i", "\uff41": "a"}
NO_HANDLES = {
    "empty": "",
    "space-before": " {handle}",
    "newline-behind": "{handle}\n",
    "zero-behind": "{handle}\0",
    "two": "{handle}{handle}",
    "question-mark": "?",
}
RESERVED = ("admin", "support")  # the examples that the contract gives
_UNLIKELY_TAKEN = 8


def claimed_with(inboxes: Inboxes, letter: str, look_alike: str) -> tuple[str, str]:
    """Claim a new handle whose name ends with a letter; give it, and the same with the look-alike for that letter.

    Raises Missing when the profile has no such names, or allows the look-alike.
    """
    profile = _profile(inboxes)
    drawn = profile.drawn(inboxes.draw, length=profile.longest_name - 1)
    name = profile.name_of(drawn) or ""
    plain, other = profile.handle(name + letter), profile.handle(name + look_alike)
    if profile.name_of(plain) is None or profile.name_of(other) is not None:
        raise Missing("handles-profile", f"its names need to know {letter} and not U+{ord(look_alike):04X}")
    inboxes.publish(inboxes.open().claim(plain, profile))
    return plain, other


def needs_no_handle(profile: HandlesProfile, text: str) -> str:
    """Return a text that is no handle. Raises Missing when the grammar of the profile takes it."""
    if profile.name_of(text) is not None:
        raise Missing("handles-profile", "its grammar takes a text that this case needs to be no handle")
    return text


def unclaimable(inboxes: Inboxes, why: str) -> Sequence[str]:
    """Give handles that the grammar takes and admission would refuse, for a `short` or a `reserved` name (API-297).

    Raises Missing when there are none, or the deployment does not publish how short a name may be.
    """
    profile = _profile(inboxes)
    if why == "reserved":
        found = [profile.handle(name) for name in RESERVED]
    else:
        configuration = inboxes.node.configuration().ok().call.response or b""
        least = published_min_name_length(configuration, profile) or 0
        if least <= profile.shortest_name:
            raise Missing("handles-profile", "no name that the grammar takes is shorter than the deployment allows")
        lengths = range(profile.shortest_name, min(least, profile.longest_name + 1))
        found = [profile.drawn(inboxes.draw, length=length) for length in lengths for _ in range(_UNLIKELY_TAKEN)]
    handles = [handle for handle in found if profile.name_of(handle) is not None]
    if not handles:
        raise Missing("handles-profile", "its grammar takes no such name")
    return handles[: inboxes.node.limits.max_lookup_identifiers]


def unclaimed_or_proven(inboxes: Inboxes, handles: Sequence[str]) -> None:
    """Judge a lookup of handles: each is absent, or claimed by the log of the inbox it resolves to.

    Somebody may have claimed one before it became too short or reserved.
    """
    profile = _profile(inboxes)
    request = asked(*((handle, profile.identifier_kind) for handle in handles))
    answer = inboxes.node.inbox_ids(request)
    succeeded(answer.call)
    echoed(request, answer.response)
    topics = {_identity_topic(entry.inbox_id) for entry in answer.response.responses if entry.HasField("inbox_id")}
    stored = inboxes.node.envelopes_on(*(name for name in topics if name is not None))
    claimed_there(request, answer.response, stored, profile)


def _identity_topic(inbox_id: str) -> bytes | None:
    try:
        return topic(Kind.IDENTITY_UPDATE, bytes.fromhex(inbox_id))
    except ValueError:
        return None


def _profile(inboxes: Inboxes) -> HandlesProfile:
    if inboxes.handles is None:
        raise ValueError("these inboxes know no handles")
    return inboxes.handles
