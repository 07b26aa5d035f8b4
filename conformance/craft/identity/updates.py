"""The catalogues of identity updates: those that must be refused, those left open, and odd ones that must be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from conformance.craft.identity.entry import OddUpdate, WrongUpdate
from conformance.craft.identity.odd_updates import ODD_UPDATES as _ODD
from conformance.craft.identity.open_updates import OPEN_UPDATES as _OPEN
from conformance.craft.identity.wrong_contract import WRONG_CONTRACT
from conformance.craft.identity.wrong_form import WRONG_FORM
from conformance.craft.identity.wrong_replay import WRONG_REPLAY
from conformance.craft.identity.wrong_signature import WRONG_SIGNATURE
from conformance.craft.identity.wrong_state import WRONG_STATE

_Entry = TypeVar("_Entry", WrongUpdate, OddUpdate)


def _by_name(*entries: _Entry) -> Mapping[str, _Entry]:
    index = {entry.name: entry for entry in entries}
    if len(index) != len(entries):
        raise ValueError("two entries of a catalogue share a name")
    return index


WRONG_UPDATES: Mapping[str, WrongUpdate] = _by_name(
    *WRONG_FORM, *WRONG_SIGNATURE, *WRONG_STATE, *WRONG_REPLAY, *WRONG_CONTRACT
)
OPEN_UPDATES: Mapping[str, WrongUpdate] = _by_name(*_OPEN)
ODD_UPDATES: Mapping[str, OddUpdate] = _by_name(*_ODD)
