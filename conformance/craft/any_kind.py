"""A fresh ordinary envelope of any kind, for tests that hold for every kind: a new kind is one more entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.craft.commit_log import new_entry
from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.topics import IDENTIFIER_BYTES, Kind
from conformance.craft.welcome import new_welcome
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope

_MAKERS: Mapping[Kind, Callable[[Draw, bytes], Envelope]] = {
    Kind.GROUP_MESSAGE: new_message,
    Kind.WELCOME: new_welcome,
    Kind.COMMIT_LOG: new_entry,
}
KINDS: tuple[Kind, ...] = tuple(_MAKERS)


def new_envelope(draw: Draw, kind: Kind, identifier: bytes | None = None) -> Envelope:
    """Make an envelope that admission takes, on the topic of `identifier` or, without one, on a topic of its own.

    No two calls give the same envelope. Raises KeyError for a kind that is not in `KINDS`.
    """
    return _MAKERS[kind](draw, draw.identifier(IDENTIFIER_BYTES[kind]) if identifier is None else identifier)


def one_of_each_kind(draw: Draw) -> list[Envelope]:
    """Make one envelope of each kind of `KINDS`, each on a topic of its own."""
    return [new_envelope(draw, kind) for kind in KINDS]
