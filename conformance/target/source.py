"""Where deployments come from: addresses that are already served, an adapter program that starts them, or both.

A source is given on the command line or read from a `deployment.toml`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.target.address import parse_address
from conformance.target.errors import TargetError
from conformance.wire.text import printable

_KEYS = ("name", "endpoints", "token_env", "adapter")
_ADAPTER_KEYS = ("command", "cwd")


@dataclass(frozen=True, kw_only=True)
class AdapterProgram:
    """How to start an adapter: its argv and the folder to start it in."""

    argv: tuple[str, ...]
    cwd: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Source:
    """Endpoints as "host:port", a bearer token, and an adapter: at least one of endpoints and adapter is there."""

    name: str
    endpoints: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    adapter: AdapterProgram | None = None

    @classmethod
    def at(cls, *addresses: str, token: str | None = None) -> Source:
        """Return the source for addresses as the user wrote them. Raises TargetError for a bad one."""
        endpoints = _distinct(parse_address(address) for address in addresses)
        return cls(name=endpoints[0], endpoints=endpoints, token=token)

    @classmethod
    def program(cls, argv: Sequence[str], *, name: str = "embedded") -> Source:
        """Return the source for an adapter program, such as `embedded()`."""
        return cls(name=name, adapter=AdapterProgram(argv=tuple(argv)))


def load_source(path: Path, environment: Mapping[str, str] = os.environ) -> Source:
    """Read a `deployment.toml`; the token comes from the environment variable that it names.

    Raises TargetError with one sentence naming the file, the key and the fix.
    """
    table = _table(path)
    _refuse_unknown(path, table, _KEYS, "")
    adapter = _adapter(path, table)
    endpoints = _distinct(parse_address(address) for address in _strings(path, table, "endpoints"))
    if not endpoints and adapter is None:
        raise TargetError(f"{path}: give endpoints, or an [adapter] with a command that starts them, or both.")
    name = _string(path, table, "name") or (endpoints[0] if endpoints else path.stem)
    return Source(name=name, endpoints=endpoints, token=_token(path, table, environment), adapter=adapter)


def _table(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TargetError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # TOML syntax, or bytes that are no UTF-8
        raise TargetError(f"{path} is no TOML file: {printable(str(error))}.") from None


def _adapter(path: Path, table: Mapping[str, object]) -> AdapterProgram | None:
    section = table.get("adapter")
    if section is None:
        return None
    if not isinstance(section, dict):
        raise TargetError(f"{path}: adapter must be a table: write [adapter] and below it command = [...].")
    _refuse_unknown(path, section, _ADAPTER_KEYS, "adapter.")
    argv = _strings(path, section, "command", prefix="adapter.")
    if not argv or not argv[0]:
        raise TargetError(f'{path}: adapter.command must name a program, for example ["./adapter"].')
    # A file means the same from wherever it is used: relative folders count from its own.
    folder = path.parent / (_string(path, section, "cwd", prefix="adapter.") or "")
    if not folder.is_dir():
        raise TargetError(f"{path}: adapter.cwd names no folder: {folder}.")
    return AdapterProgram(argv=argv, cwd=folder)


def _token(path: Path, table: Mapping[str, object], environment: Mapping[str, str]) -> str | None:
    variable = _string(path, table, "token_env")
    if variable is None:
        return None
    token = environment.get(variable, "").strip()
    if not token:
        raise TargetError(f"{path}: token_env names the environment variable {variable}, which is unset or empty.")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise TargetError(f"{path}: the token in {variable} holds characters that no bearer token has.")
    return token


def _refuse_unknown(path: Path, table: Mapping[str, object], known: Sequence[str], prefix: str) -> None:
    for key in table:
        if key not in known:
            shown = printable(prefix + key, limit=80)
            raise TargetError(f"{path}: unknown key {shown}; known are {', '.join(prefix + name for name in known)}.")


def _string(path: Path, table: Mapping[str, object], key: str, *, prefix: str = "") -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise TargetError(f"{path}: {prefix}{key} must be a text that is not empty.")
    return value


def _strings(path: Path, table: Mapping[str, object], key: str, *, prefix: str = "") -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TargetError(f'{path}: {prefix}{key} must be a list of texts, for example {key} = ["..."].')
    return tuple(value)


def _distinct(addresses: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(addresses))
