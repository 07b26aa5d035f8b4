"""A fresh ordinary envelope of any kind, for tests that hold for every kind: a new kind is one more entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.craft.commit_log import new_entry
from conformance.craft.draw import Draw
from conformance.craft.group_message import new_message
from conformance.craft.key_package import new_key_package
from conformance.craft.topics import Kind
from conformance.craft.welcome import new_welcome
from conformance.pb import backend_pb2

Envelope = backend_pb2.ClientEnvelope

_MAKERS: Mapping[Kind, Callable[[Draw, bytes], Envelope]] = {
    Kind.GROUP_MESSAGE: new_message,
    Kind.WELCOME: new_welcome,
    Kind.KEY_PACKAGE: new_key_package,
    Kind.COMMIT_LOG: new_entry,
}
KINDS: tuple[Kind, ...] = tuple(_MAKERS)


def new_identifier(draw: Draw, kind: Kind) -> bytes:
    """Make the identifier of a topic of this kind: an installation key where that decides the topic, or a group id.

    Of an identifier made elsewhere nobody has the private key that a key package is signed with.
    """
    return draw.installation_key() if kind in (Kind.WELCOME, Kind.KEY_PACKAGE) else draw.group_id()


def new_envelope(draw: Draw, kind: Kind, identifier: bytes | None = None) -> Envelope:
    """Make an envelope that admission takes, on the topic of `identifier` or, without one, on a topic of its own.

    No two calls give the same envelope. Raises KeyError for a kind that is not in `KINDS`, and for a key package of an
    identifier that `draw` has not made with `new_identifier`.
    """
    return _MAKERS[kind](draw, new_identifier(draw, kind) if identifier is None else identifier)


def one_of_each_kind(draw: Draw) -> list[Envelope]:
    """Make one envelope of each kind of `KINDS`, each on a topic of its own."""
    return [new_envelope(draw, kind) for kind in KINDS]
