"""What lookups need of the stored updates, kept in the transaction that stores them: who is associated, who claimed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.reference.backend.identity.association import State
from conformance.reference.backend.identity.identifiers import Identifier
from conformance.reference.backend.identity.update import Action, AddMember, CreateInbox, RevokeMember, Update


@dataclass(frozen=True, kw_only=True)
class Change:
    """An identifier that an update has touched, and whether it is a member afterwards."""

    identifier: Identifier
    is_member: bool


@dataclass(frozen=True, kw_only=True)
class LiveAssociation:
    """A live association of an identifier: with the inbox of a topic, since the update with a sequence id."""

    topic: bytes
    sequence_id: int


def changes(update: Update, state: State) -> tuple[Change, ...]:
    """List what an update has changed about members, given the state it leads to.

    Installations that fall with a member are left out, because no lookup finds an installation.
    """
    touched = dict.fromkeys(identifier for action in update.actions for identifier in _touched(action))
    return tuple(Change(identifier=identifier, is_member=identifier in state.members) for identifier in touched)


class IdentityIndex:
    """Two tables beside the envelopes."""

    schema = (
        "CREATE TABLE IF NOT EXISTS association (kind INTEGER NOT NULL, identifier TEXT NOT NULL, topic BLOB NOT NULL,"
        " sequence_id INTEGER NOT NULL, PRIMARY KEY (kind, identifier, topic)) WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS claim (handle TEXT PRIMARY KEY, topic BLOB NOT NULL, sequence_id INTEGER NOT NULL)"
        " WITHOUT ROWID",
    )

    def record(
        self,
        connection: sqlite3.Connection,
        topic: bytes,
        sequence_id: int,
        changed: Sequence[Change],
        handles: Sequence[str],
    ) -> None:
        """Inside the storing transaction: bring both tables up to an update that is being stored."""
        for change in changed:
            if change.is_member:
                self.associate(connection, change.identifier, topic, sequence_id)
            else:
                self.revoke(connection, change.identifier, topic)
        for handle in handles:
            self.claim(connection, handle, topic, sequence_id)

    def associate(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes, sequence_id: int) -> None:
        """Note an association; one made anew counts from its new update."""
        connection.execute(
            "INSERT OR REPLACE INTO association VALUES (?, ?, ?, ?)",
            (identifier.kind, identifier.text, topic, sequence_id),
        )

    def revoke(self, connection: sqlite3.Connection, identifier: Identifier, topic: bytes) -> None:
        """Forget an association, if there is one, so that an older one with another inbox shows again."""
        connection.execute(
            "DELETE FROM association WHERE kind = ? AND identifier = ? AND topic = ?",
            (identifier.kind, identifier.text, topic),
        )

    def claim(self, connection: sqlite3.Connection, handle: str, topic: bytes, sequence_id: int) -> None:
        """Note the first claim of a handle by an inbox; the table refuses a second inbox (API-296)."""
        if self.holder(connection, handle) != topic:
            connection.execute("INSERT INTO claim VALUES (?, ?, ?)", (handle, topic, sequence_id))

    def holder(self, connection: sqlite3.Connection, handle: str) -> bytes | None:
        """Return the topic of the inbox that has claimed a handle, whatever it has claimed since."""
        row = connection.execute("SELECT topic FROM claim WHERE handle = ?", (handle,)).fetchone()
        return None if row is None else bytes(row[0])

    def associations(self, connection: sqlite3.Connection, kind: int, text: str) -> list[LiveAssociation]:
        """Return the live associations of an identifier, one for each inbox."""
        rows = connection.execute(
            "SELECT topic, sequence_id FROM association WHERE kind = ? AND identifier = ?", (kind, text)
        )
        return [LiveAssociation(topic=topic, sequence_id=sequence_id) for topic, sequence_id in rows]


def _touched(action: Action) -> tuple[Identifier, ...]:
    match action:
        case CreateInbox():
            return (action.owner,)
        case AddMember() | RevokeMember():
            return (action.member,)
        case _:
            return ()
