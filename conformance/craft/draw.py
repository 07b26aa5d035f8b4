"""Where every identifier and every random choice of a case comes from.

Two sources that must never mix: identifiers are new in every run, because on a living deployment a topic of an earlier
run is not empty; choices and payload bytes follow from the seed alone, so that a failing case can be run again. The one
thing that follows from neither is the time, which lifetimes are made around.
"""

from __future__ import annotations

import builtins
import hashlib
import itertools
import random
import time
from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

GROUP_ID_BYTES = 16
KEY_BYTES = 32
_SHORTEST_UNIQUE = 8


def own_clock_s() -> int:
    """Tell the time by the clock of this machine, in whole seconds since the epoch."""
    return int(time.time())


class Draw:
    """Identifiers, bytes and choices of one case.

    `seed` decides the choices and payload bytes, `salt` the identifiers: the caller gives each case of each run a salt
    of its own. `now_s` tells the time of whoever will check a lifetime, in whole seconds since the epoch. `identifier`
    may be called from several threads; `random` may not.
    """

    def __init__(self, seed: int, salt: bytes, *, now_s: Callable[[], int] = own_clock_s) -> None:
        self.now_s = now_s
        self.random = random.Random(seed)  # noqa: S311 - choices of a test case, not a secret
        self._salt = hashlib.sha256(salt).digest()
        self._counter = itertools.count()
        self._private: dict[builtins.bytes, Ed25519PrivateKey] = {}

    def identifier(self, size: int) -> bytes:
        """Give `size` bytes that no other call with this salt, and no call with another salt, has given or will give.

        Raises ValueError below 8 bytes, where chance alone would repeat one.
        """
        if size < _SHORTEST_UNIQUE:
            raise ValueError(f"an identifier of {size} bytes cannot be unique: ask for at least {_SHORTEST_UNIQUE}")
        number = next(self._counter).to_bytes(8, "big")
        blocks = (
            hashlib.sha256(self._salt + number + block.to_bytes(4, "big")).digest() for block in range(-(-size // 32))
        )
        return b"".join(blocks)[:size]

    def bytes(self, size: int) -> builtins.bytes:
        """Give `size` bytes that follow from the seed; payload, never an identifier."""
        return self.random.randbytes(size)

    def group_id(self) -> builtins.bytes:
        """Give a group id of 16 bytes, the length a group topic needs (TOPIC-001)."""
        return self.identifier(GROUP_ID_BYTES)

    def installation_key(self) -> builtins.bytes:
        """Give the Ed25519 public key of a new installation, 32 bytes (TOPIC-001); `private_key` has its other half."""
        private = Ed25519PrivateKey.from_private_bytes(self.identifier(KEY_BYTES))
        public = private.public_key().public_bytes_raw()
        self._private[public] = private
        return public

    def private_key(self, installation_key: builtins.bytes) -> Ed25519PrivateKey:
        """Give the private key of an installation key made here; KeyError for any other bytes."""
        return self._private[installation_key]
