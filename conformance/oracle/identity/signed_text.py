"""The text that the signatures of an update are made over, rebuilt from the update (IDENT section 3)."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.identity.actions import Action, Add, ChangeRecovery, Claim, Create, Revoke
from conformance.oracle.identity.handles import HandleRules
from conformance.oracle.identity.identifiers import Kind

_HEAD = "XMTP : Authenticate to inbox\n\nInbox ID: {inbox}\nCurrent time: {time}\n\n"
_FOOT = "\n\nFor more info: https://xmtp.org/signatures"

_BILLION = 1_000_000_000
_DAY_S = 86_400
_ERA_DAYS = 146_097  # of 400 years
_TO_MARCH_OF_YEAR_0 = 719_468

_WORDS = {
    (Add, Kind.INSTALLATION): "- Grant messaging access to app\n  (ID: ",
    (Add, Kind.ETHEREUM): "- Link address to inbox\n  (Address: ",
    (Add, Kind.PASSKEY): "- Link passkey to inbox\n  (Passkey: ",
    (Revoke, Kind.INSTALLATION): "- Revoke messaging access from app\n  (ID: ",
    (Revoke, Kind.ETHEREUM): "- Unlink address from inbox\n  (Address: ",
    (Revoke, Kind.PASSKEY): "- Unlink passkey from inbox\n  (Passkey: ",
}


def signed_text(
    inbox_id: str, client_timestamp_ns: int, actions: Sequence[Action], handles: HandleRules | None = None
) -> str:
    """Write the text. `inbox_id` and identifiers stand as carried. `handles` is needed for a claim."""
    head = _HEAD.format(inbox=inbox_id, time=_time(client_timestamp_ns))
    return head + "\n".join(_lines(action, handles) for action in actions) + _FOOT


def _lines(action: Action, handles: HandleRules | None) -> str:
    match action:
        case Create(owner=owner):
            return f"- Create inbox\n  (Owner: {owner.text})"
        case Add(member=member) | Revoke(member=member):
            return f"{_WORDS[type(action), member.kind]}{member.text})"
        case ChangeRecovery(to=to):
            return f"- Change inbox recovery address\n  (Address: {to.text})"
        case Claim(handle=handle):
            if handles is None:
                raise ValueError("the words of a claim are not known")
            return f"- {handles.phrase}\n  ({handles.label}: {handle})"


def _time(client_timestamp_ns: int) -> str:
    """Write a time whose 64 bits are read as signed, to the second below (proleptic Gregorian calendar, UTC)."""
    signed = (client_timestamp_ns + (1 << 63)) % (1 << 64) - (1 << 63)
    days, second = divmod(signed // _BILLION, _DAY_S)
    era, day = divmod(days + _TO_MARCH_OF_YEAR_0, _ERA_DAYS)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    year += 400 * era + (month > 9)  # noqa: PLR2004 - the tenth month from March is January
    month = (month + 2) % 12 + 1
    hour, minute = divmod(second // 60, 60)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second % 60:02}Z"
