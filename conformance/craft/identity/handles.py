"""Handles on the wire: the numbers, words and grammar that no public text fixes, all taken from one profile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from conformance.craft.draw import Draw
from conformance.craft.wire_format import field_bytes
from conformance.pb import association_pb2, signature_pb2

_NAME = "name"
_DRAWN_BYTES = 16


class HandlesProfileError(Exception):
    """A profile that cannot be used; one sentence that names the key and the fix."""


@dataclass(frozen=True, kw_only=True)
class HandlesProfile:
    """Everything about handles that is an assumption. `handles_profile.toml` explains each field.

    `signature_field` is 0 for a claim that carries no signature of its own.
    """

    action_field: int
    handle_field: int
    signature_field: int
    phrase: str
    label: str
    identifier_kind: int
    handles_field: int
    min_name_length_field: int
    grammar: str
    form: str
    letters: str
    shortest_name: int
    longest_name: int

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.grammar)

    def name_of(self, handle: str) -> str | None:
        """Give the name part of a handle in lower case; None for a text that is no handle by the grammar."""
        match = self._pattern.fullmatch(handle)
        return None if match is None else match[_NAME]

    def handle(self, name: str) -> str:
        """Make the handle of a name; it need not fit the grammar."""
        return self.form.replace("{name}", name)

    def drawn(self, draw: Draw, *, length: int | None = None) -> str:
        """Make a handle that no other case has claimed, with a name of `length` characters, by default the longest.

        Names are drawn from the identifiers of the case; a short name can only be as unique as its length allows.
        Raises ValueError for a length that the grammar does not allow.
        """
        size = self.longest_name if length is None else length
        if not self.shortest_name <= size <= self.longest_name:
            raise ValueError(f"a name has {self.shortest_name} to {self.longest_name} characters, not {size}")
        return self.handle(self._name(draw, size))

    def _name(self, draw: Draw, size: int) -> str:
        name = ""
        while len(name) < size:
            number = int.from_bytes(draw.identifier(_DRAWN_BYTES), "big")
            while number and len(name) < size:
                number, index = divmod(number, len(self.letters))
                name += self.letters[index]
        return name


def claim_action(
    profile: HandlesProfile, handle: str, signature: signature_pb2.Signature | None
) -> association_pb2.IdentityAction:
    """Write the action that claims a handle; None leaves the signature out, as does a profile without its field."""
    body = field_bytes(profile.handle_field, handle.encode())
    if signature is not None and profile.signature_field:
        body += field_bytes(profile.signature_field, signature.SerializeToString(deterministic=True))
    return association_pb2.IdentityAction.FromString(field_bytes(profile.action_field, body))
