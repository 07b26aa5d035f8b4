"""Which endpoint processes are alive: each holds a lock on a file of its own, and the kernel drops it when it dies."""

from __future__ import annotations

import fcntl
import os
import uuid
from pathlib import Path

FOLDER = "owners"


class Owner:
    """The lock that proves to every process of the deployment that this one lives."""

    def __init__(self, folder: Path) -> None:
        self.name = uuid.uuid4().hex
        (folder / FOLDER).mkdir(exist_ok=True)
        self._descriptor = os.open(folder / FOLDER / self.name, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def close(self) -> None:
        """Give the lock up; whatever this owner left open counts as dead from here on."""
        os.close(self._descriptor)


def is_alive(folder: Path, name: str) -> bool:
    """Whether the process that owns a name still holds its lock.

    Two processes that ask at once can each take the other for the owner; the next question gets the true answer.
    """
    try:
        descriptor = os.open(folder / FOLDER / name, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
