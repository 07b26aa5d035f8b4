"""The client data of a passkey's assertion: JSON that must hold the challenge (IDENT section 4)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field

_NAMES = ("challenge", "origin")


class NotClientData(ValueError):  # noqa: N818 - named for what the bytes are
    """The bytes hold no challenge."""


@dataclass(kw_only=True)
class ClientData:
    """The challenge, and whether parsers of JSON may differ about the rest."""

    challenge: str = ""
    odd: set[str] = field(default_factory=set)


def read_client_data(data: bytes) -> ClientData:
    """Read client data. Raises NotClientData when it is no JSON object in UTF-8 with a text as its challenge.

    `odd` names what strict parsers refuse and others do not: an origin that is no text or is missing, a name given
    twice, numbers and texts that JSON does not really have.
    """
    read = ClientData()

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len({name for name, _ in pairs}) != len(pairs):
            read.odd.add("a name twice")
        return dict(pairs)

    def number(text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            read.odd.add("a number out of range")
        return value

    try:
        text = data.decode()
        values = json.loads(text, object_pairs_hook=once, parse_constant=number, parse_float=number)
    except RecursionError:
        return ClientData(odd={"a depth without end"})
    except ValueError as error:
        raise NotClientData("no JSON in UTF-8") from error
    challenge = values.get("challenge") if isinstance(values, dict) else None
    if not isinstance(challenge, str):
        raise NotClientData("no text as challenge")
    if not isinstance(values.get("origin"), str):
        read.odd.add("no text as origin")
    if "\\ud" in text.lower():
        read.odd.add("a surrogate")
    read.challenge = challenge
    return read
