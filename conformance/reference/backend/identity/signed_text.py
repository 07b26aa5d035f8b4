"""The text that all signatures of an update are made over (IDENT section 3), rebuilt from the update."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from conformance.reference.backend.identity.handles_wire import HandlesTable
from conformance.reference.backend.identity.identifiers import MemberKind
from conformance.reference.backend.identity.update import (
    Action,
    AddMember,
    ChangeRecovery,
    ClaimHandle,
    CreateInbox,
    RevokeMember,
    Update,
)

_ADDED = {
    MemberKind.ETHEREUM: ("Link address to inbox", "Address"),
    MemberKind.PASSKEY: ("Link passkey to inbox", "Passkey"),
    MemberKind.INSTALLATION: ("Grant messaging access to app", "ID"),
}
_REVOKED = {
    MemberKind.ETHEREUM: ("Unlink address from inbox", "Address"),
    MemberKind.PASSKEY: ("Unlink passkey from inbox", "Passkey"),
    MemberKind.INSTALLATION: ("Revoke messaging access from app", "ID"),
}
_SIGN_BIT = 1 << 63
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SignedText:
    """Writes the text; UTF-8, lines ended by LF but for the last."""

    def __init__(self, table: HandlesTable) -> None:
        self.table = table

    def of(self, update: Update) -> bytes:
        """Write the text of an update."""
        text = "XMTP : Authenticate to inbox\n\n"
        text += f"Inbox ID: {update.inbox_id}\n"
        text += f"Current time: {self.time(update.client_timestamp_ns)}\n\n"
        for action in update.actions:
            phrase, label, subject = self.words(action)
            text += f"- {phrase}\n  ({label}: {subject})\n"
        return (text + "\nFor more info: https://xmtp.org/signatures").encode()

    def time(self, unsigned_ns: int) -> str:
        """Write a time given in nanoseconds, read as a signed number, without its fraction of a second."""
        nanoseconds = unsigned_ns if unsigned_ns < _SIGN_BIT else unsigned_ns - 2 * _SIGN_BIT
        return f"{(_EPOCH + timedelta(seconds=nanoseconds // 10**9)).replace(tzinfo=None).isoformat()}Z"

    def words(self, action: Action) -> tuple[str, str, str]:
        """Return what an action does, the label of its subject, and its subject."""
        match action:
            case CreateInbox():
                return "Create inbox", "Owner", action.owner.text
            case AddMember():
                return *_ADDED[action.member.kind], action.member.text
            case RevokeMember():
                return *_REVOKED[action.member.kind], action.member.text
            case ChangeRecovery():
                return "Change inbox recovery address", "Address", action.to.text
            case ClaimHandle():
                return self.table.phrase, self.table.label, action.handle
