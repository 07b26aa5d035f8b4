"""Where every identifier and every random choice of a case comes from.

Two sources that must never mix: identifiers are new in every run, because on a living deployment a topic of an earlier
run is not empty; choices and payload bytes follow from the seed alone, so that a failing case can be run again.
"""

from __future__ import annotations

import builtins
import hashlib
import itertools
import random

GROUP_ID_BYTES = 16
KEY_BYTES = 32
_SHORTEST_UNIQUE = 8


class Draw:
    """Identifiers, bytes and choices of one case.

    `seed` decides the choices and payload bytes, `salt` the identifiers: the caller gives each case of each run a salt
    of its own. `identifier` may be called from several threads; `random` may not.
    """

    def __init__(self, seed: int, salt: bytes) -> None:
        self.random = random.Random(seed)  # noqa: S311 - choices of a test case, not a secret
        self._salt = hashlib.sha256(salt).digest()
        self._counter = itertools.count()

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
        """Give 32 bytes that serve as an installation key (TOPIC-001); no private key belongs to them."""
        return self.identifier(KEY_BYTES)
