"""Envelopes of every unsigned kind and form, for tests that need to know what is inside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.craft.any_kind import Envelope
from conformance.craft.commit_log import new_entry
from conformance.craft.draw import Draw
from conformance.craft.group_message import ContentType, group_envelope, new_message, public_message
from conformance.craft.group_shapes import SHAPES
from conformance.craft.plans import EnvelopePlan
from conformance.craft.topics import Kind
from conformance.craft.welcome import new_welcome, pointer_envelope


def _public(draw: Draw, size: int) -> Envelope:
    data = public_message(draw.group_id(), authenticated_data=draw.identifier(8), signature=draw.bytes(size))
    return group_envelope(data, sender_hmac=draw.bytes(32), should_push=True)


# by form, from the size in bytes of the longest value: a value other than its default stands in every field
FILLED: Mapping[str, Callable[[Draw, int], Envelope]] = {
    "private-message": lambda draw, size: new_message(draw, draw.group_id(), size=size),
    "public-message": _public,
    "welcome": lambda draw, size: new_welcome(draw, draw.installation_key(), size=size),
    "welcome-pointer": lambda draw, size: pointer_envelope(draw.installation_key(), welcome_pointer=draw.bytes(size)),
    "commit-log-entry": lambda draw, size: new_entry(draw, draw.group_id(), size=size),
}

# the forms whose bytes fields a plan can fill
PLANS: Mapping[str, EnvelopePlan] = {
    "private-message": EnvelopePlan(kind=Kind.GROUP_MESSAGE, arm="private", hmac_bytes=32, trailing=7),
    "public-message": EnvelopePlan(
        kind=Kind.GROUP_MESSAGE, arm="public", content_type=ContentType.COMMIT, hmac_bytes=32, trailing=7
    ),
    "welcome": EnvelopePlan(kind=Kind.WELCOME, arm="inline"),
    "welcome-pointer": EnvelopePlan(kind=Kind.WELCOME, arm="pointer"),
    "commit-log-entry": EnvelopePlan(kind=Kind.COMMIT_LOG, should_push=True),
}

# the length of a group message decides nothing about its metadata, and a published limit may forbid the longest
SHAPES_OF_USUAL_LENGTH = [name for name, shape in SHAPES.items() if len(shape.data(bytes(16))) < 1024]
# one for each framing and content type, which is all that their metadata depends on
SHAPES_BY_CONTENT = (
    "private-application",
    "private-proposal",
    "private-commit",
    "public-member-add",
    "public-member-empty-commit",
)
