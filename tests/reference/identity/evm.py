"""As much of the EVM as the program for contract wallets uses, strict about everything it uses."""

from __future__ import annotations

from collections.abc import Callable

from coincurve import PublicKey
from Crypto.Hash import keccak

WORD = 32
RECOVER = 1

# what an account with code does with call data: whether it succeeds, and its output
Account = Callable[[bytes], tuple[bool, bytes]]


class World:
    """Accounts with code, by their numbers; every other account has none."""

    def __init__(self, accounts: dict[bytes, Account] | None = None) -> None:
        self.accounts = {int.from_bytes(address): account for address, account in (accounts or {}).items()}

    def call(self, to: int, data: bytes) -> tuple[bool, bytes]:
        if to == RECOVER:
            return True, recovered(data)
        account = self.accounts.get(to)
        return (True, b"") if account is None else account(data)


def recovered(data: bytes) -> bytes:
    """Answer as the contract at address 1: the address as a word, or nothing."""
    digest, v, r, s = (data[start : start + WORD] for start in range(0, 4 * WORD, WORD))
    number = int.from_bytes(v)
    if number not in (27, 28):
        return b""
    try:
        key = PublicKey.from_signature_and_message(r + s + bytes([number - 27]), digest, hasher=None)
    except ValueError:
        return b""
    return keccak.new(digest_bits=256, data=key.format(compressed=False)[1:]).digest()[-20:].rjust(WORD, b"\0")


class _Machine:
    def __init__(self, code: bytes, world: World) -> None:
        self.code, self.world = code, world
        self.stack: list[int] = []
        self.memory = bytearray()
        self.returned = b""

    def at(self, offset: int, size: int) -> slice:
        """Grow the memory to hold a place."""
        self.memory.extend(bytes(max(0, offset + size - len(self.memory))))
        return slice(offset, offset + size)

    def call(self, *, with_value: bool) -> int:
        pop = self.stack.pop
        _gas, to = pop(), pop()
        if with_value:
            assert pop() == 0
        start, size, out, most = pop(), pop(), pop(), pop()
        success, self.returned = self.world.call(to, bytes(self.memory[self.at(start, size)]))
        copied = self.returned[:most]
        self.memory[self.at(out, len(copied))] = copied
        return int(success)

    def run(self) -> bytes:  # noqa: C901, PLR0912, PLR0915 - one branch for each instruction
        stack, position = self.stack, 0
        while True:
            instruction = self.code[position]
            position += 1
            if 0x60 <= instruction <= 0x7F:
                size = instruction - 0x5F
                stack.append(int.from_bytes(self.code[position : position + size]))
                position += size
                continue
            match instruction:
                case 0x11:
                    stack.append(int(stack.pop() > stack.pop()))
                case 0x14:
                    stack.append(int(stack.pop() == stack.pop()))
                case 0x15:
                    stack.append(int(stack.pop() == 0))
                case 0x16:
                    stack.append(stack.pop() & stack.pop())
                case 0x1C:
                    shift = stack.pop()
                    stack.append(stack.pop() >> shift)
                case 0x39:
                    to, start, size = stack.pop(), stack.pop(), stack.pop()
                    assert start + size <= len(self.code)
                    self.memory[self.at(to, size)] = self.code[start : start + size]
                case 0x3B:
                    stack.append(int(stack.pop() in self.world.accounts))
                case 0x3D:
                    stack.append(len(self.returned))
                case 0x50:
                    stack.pop()
                case 0x51:
                    stack.append(int.from_bytes(self.memory[self.at(stack.pop(), WORD)]))
                case 0x53:
                    offset = stack.pop()
                    self.memory[self.at(offset, 1)] = bytes([stack.pop() & 0xFF])
                case 0x56 | 0x57:
                    place = stack.pop()
                    if instruction == 0x56 or stack.pop():
                        assert self.code[place] == 0x5B
                        position = place
                case 0x5A:
                    stack.append(1 << 24)
                case 0x5B:
                    pass
                case 0xF1:
                    stack.append(self.call(with_value=True))
                case 0xFA:
                    stack.append(self.call(with_value=False))
                case 0xF3:
                    start, size = stack.pop(), stack.pop()
                    assert not stack
                    return bytes(self.memory[self.at(start, size)])
                case _:
                    raise AssertionError(f"instruction {instruction:#x} is not used here")


def run(code: bytes, world: World) -> bytes:
    """Run code as a deployment; what it returns."""
    return _Machine(code, world).run()
