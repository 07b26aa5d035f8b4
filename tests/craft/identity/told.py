"""Actions of golden vectors, told by words, as the actions of the suite."""

from __future__ import annotations

from typing import Any

from conformance.craft.identity.actions import Action, AddMember, ChangeRecovery, CreateInbox, RevokeMember
from conformance.craft.identity.identifier import MemberId, MemberKind
from conformance.craft.identity.signed_text import signed_text
from conformance.craft.identity.wallet import Wallet

ANYBODY = Wallet(b"\x11" * 32)


def action_of(told: list[str]) -> Action:
    deed, kind, text = told
    member = MemberId(kind=MemberKind(kind), text=text)
    match deed:
        case "create":
            return CreateInbox(owner=member, by=ANYBODY)
        case "add":
            return AddMember(member=member, by=ANYBODY, new=ANYBODY)
        case "revoke":
            return RevokeMember(member=member, by=ANYBODY)
        case _:
            return ChangeRecovery(to=member, by=ANYBODY)


def text_of_vector(vector: dict[str, Any]) -> str:
    actions = [action_of(told) for told in vector["actions"]]
    return signed_text(vector["inbox_id"], vector["client_timestamp_ns"], (action.lines() for action in actions))
