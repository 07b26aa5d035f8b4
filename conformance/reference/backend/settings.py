"""What an operator can set: limits, retention, timers; the contract's defaults; the checks made before a start."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from conformance.reference.backend.identity.account import chain_id
from conformance.reference.backend.identity.handles_wire import HandlesTable

TRANSPORT_CEILING = 26_214_400  # API-282
MAX_SEQUENCE_ID = 2**63 - 1  # API-286
NANOSECONDS = 1_000_000_000
STREAM_FRAME_BYTES = 2_097_152
ENVELOPE_OVERHEAD_BYTES = 256
MAX_RETENTION_SECONDS = 9_223_372_036
MAX_UINT32 = 2**32 - 1
MAX_FIELD = 2**29 - 1  # the highest field number
MAX_ENDPOINTS = 16


class SettingsError(Exception):
    """A value that the backend must not start with; the message is one sentence that names the key."""


class UnsupportedError(Exception):
    """A setting of the adapter protocol that this backend does not offer yet."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The published limits (API section 7); bytes, counts, frames per second."""

    max_envelope_bytes: int = 1_048_576
    max_request_bytes: int = TRANSPORT_CEILING
    max_response_bytes: int = TRANSPORT_CEILING
    max_publish_topics: int = 1000
    max_query_topics: int = 1000
    max_query_limit: int = 1000
    default_query_limit: int = 100
    max_newest_metadata_topics: int = 1000
    max_newest_full_topics: int = 100
    max_update_adds: int = 100_000
    max_update_removes: int = 100_000
    max_stream_topics: int = 100_000
    max_static_topics: int = 10_000
    max_lookup_identifiers: int = 250
    max_scw_signatures: int = 100
    max_identity_entries: int = 256
    max_update_frames_per_second: int = 10
    max_update_burst: int = 100
    max_ping_frames_per_second: int = 10
    max_ping_burst: int = 100


@dataclass(frozen=True, kw_only=True)
class Retention:
    """Seconds after server_ns at which an envelope of a kind may go."""

    group_message_seconds: int = 7_776_000
    welcome_seconds: int = 7_776_000
    key_package_seconds: int = 7_776_000


@dataclass(frozen=True, kw_only=True)
class Timers:
    """Milliseconds: stream keepalive, wait for a Pong, one publish, one store operation, the drain of a shutdown."""

    keepalive_ms: int = 30_000
    pong_ms: int = 90_000
    publish_ms: int = 10_000
    store_ms: int = 5_000
    drain_ms: int = 10_000


@dataclass(frozen=True, kw_only=True)
class Mls:
    """Advisory group shapes: published, never enforced."""

    max_group_members: int = 250
    max_installations_per_inbox: int = 10
    commit_log_enabled: bool = True


@dataclass(frozen=True, kw_only=True)
class Handles:
    """What names a handle may have: their least number of characters, published, and the list that stays unpublished.

    Public texts give neither default; the names are their examples. `wire` is how claims look: numbers, words, grammar.
    """

    min_name_length: int = 3
    reserved: tuple[str, ...] = ("admin", "support")
    wire: HandlesTable = field(default_factory=HandlesTable)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything one endpoint is started with."""

    # longer than it need be: no limit makes an answer with it fail, and the shortest limit is 257 bytes
    identifier: str = "xmtp-conformance-reference" + "-long" * 30
    limits: Limits = field(default_factory=Limits)
    retention: Retention = field(default_factory=Retention)
    timers: Timers = field(default_factory=Timers)
    mls: Mls = field(default_factory=Mls)
    handles: Handles = field(default_factory=Handles)
    # the endpoint of a node by chain number; it can hold a key, so it is not shown
    chains: Mapping[int, str] = field(default_factory=dict, repr=False)
    first_sequence_id: int = 1

    def to_json(self) -> str:
        """Return a JSON object that `changed` turns the defaults into these settings with."""
        values = {name: value for name, value in asdict(self).items() if name not in ("identifier", "mls")}
        return json.dumps(values | {"chains": {chain_name(number): url for number, url in self.chains.items()}})

    def changed(self, args: Mapping[str, object]) -> Settings:
        """Return a copy with the values of an adapter's `start` or `restart` args laid over it.

        Raises SettingsError for an unknown name or a value out of range.
        """
        for name in args:
            if name not in _NAMES:
                raise SettingsError(f"{name!r} is not a setting; the settings are {', '.join(_NAMES)}")
        first = args.get("first_sequence_id", self.first_sequence_id)
        settings = replace(
            self,
            limits=_merged(self.limits, "limits", args.get("limits")),
            retention=_merged(self.retention, "retention", args.get("retention")),
            timers=_merged(self.timers, "timers", args.get("timers")),
            handles=_handles(self.handles, args.get("handles")),
            chains=_chains(self.chains, args.get("chains")),
            first_sequence_id=_integer("first_sequence_id", first, MAX_SEQUENCE_ID),
        )
        settings.check()
        return settings

    def check(self) -> None:
        """Refuse combinations that a backend must not start with (CONF-008, OPS-020, OPS-021)."""
        limits = self.limits
        for name in ("max_request_bytes", "max_response_bytes"):
            if getattr(limits, name) > TRANSPORT_CEILING:
                raise SettingsError(f"limits.{name} is above the transport ceiling of {TRANSPORT_CEILING} bytes")
        frame = min(limits.max_response_bytes, STREAM_FRAME_BYTES)
        if limits.max_envelope_bytes + ENVELOPE_OVERHEAD_BYTES > frame:
            raise SettingsError(
                f"limits.max_envelope_bytes plus {ENVELOPE_OVERHEAD_BYTES} is above {frame} bytes, the smaller of "
                "limits.max_response_bytes and a stream frame: lower it or raise limits.max_response_bytes"
            )
        if framed_length(limits.max_envelope_bytes) > limits.max_request_bytes:
            raise SettingsError("limits.max_request_bytes cannot hold one envelope of limits.max_envelope_bytes")
        if limits.default_query_limit > limits.max_query_limit:
            raise SettingsError("limits.default_query_limit is above limits.max_query_limit")
        if limits.max_update_adds > limits.max_stream_topics:
            raise SettingsError("limits.max_update_adds is above limits.max_stream_topics")
        for retention in fields(self.retention):
            seconds = getattr(self.retention, retention.name)
            if time.time_ns() + seconds * NANOSECONDS > MAX_SEQUENCE_ID:
                raise SettingsError(f"retention.{retention.name} gives expiry times above 2^63-1 nanoseconds")


def framed_length(length: int) -> int:
    """Bytes that a length-delimited field with a one-byte tag takes for a body of `length` bytes."""
    return 1 + max(1, (length.bit_length() + 6) // 7) + length


def chain_name(number: int) -> str:
    """Name a chain as CAIP-2 does."""
    return f"eip155:{number}"


_NAMES = ("limits", "retention", "timers", "handles", "chains", "first_sequence_id")

Table = TypeVar("Table", Limits, Retention, Timers)


def _merged(table: Table, name: str, overrides: object) -> Table:
    """Lay the overrides over a table of positive integers."""
    if overrides is None:
        return table
    if not isinstance(overrides, Mapping):
        raise SettingsError(f"{name} must be an object of names and numbers")
    known = {item.name for item in fields(table)}
    changes: dict[str, int] = {}
    for key, value in overrides.items():
        if key not in known:
            raise SettingsError(f"{name}.{key} is not known; the names are {', '.join(sorted(known))}")
        ceiling = MAX_RETENTION_SECONDS if name == "retention" else MAX_UINT32
        changes[str(key)] = _integer(f"{name}.{key}", value, ceiling)
    return replace(table, **changes)


def _handles(handles: Handles, overrides: object) -> Handles:
    """Lay the overrides over the rules for handles."""
    if overrides is None:
        return handles
    if not isinstance(overrides, Mapping) or not overrides.keys() <= {"min_name_length", "reserved", "wire"}:
        raise SettingsError("handles must be an object with min_name_length, reserved, wire, or several of them")
    reserved = overrides.get("reserved", handles.reserved)
    if not isinstance(reserved, Sequence) or isinstance(reserved, str):
        raise SettingsError("handles.reserved must be a list of name parts")
    if not all(isinstance(name, str) for name in reserved):
        raise SettingsError("handles.reserved must hold nothing but strings")
    least = overrides.get("min_name_length", handles.min_name_length)
    return Handles(
        min_name_length=_integer("handles.min_name_length", least, MAX_UINT32),
        reserved=tuple(map(str, reserved)),
        wire=_wire(handles.wire, overrides.get("wire")),
    )


def _wire(table: HandlesTable, overrides: object) -> HandlesTable:
    """Lay the overrides over how claims look on the wire."""
    if overrides is None:
        return table
    known = asdict(table)
    if not isinstance(overrides, Mapping) or not overrides.keys() <= known.keys():
        raise SettingsError(f"handles.wire must be an object with some of {', '.join(known)}")
    changes: dict[str, Any] = {}
    for key, value in overrides.items():
        if isinstance(known[key], str):
            if not isinstance(value, str) or not value:
                raise SettingsError(f"handles.wire.{key} must be a text that is not empty")
            changes[key] = value
        else:
            changes[key] = _integer(f"handles.wire.{key}", value, MAX_FIELD)
    changed = replace(table, **changes)
    try:
        named = "name" in re.compile(changed.grammar).groupindex
    except (re.error, RecursionError, OverflowError):
        named = False
    if not named:
        raise SettingsError("handles.wire.grammar must be a regular expression with a group called name")
    return changed


def _chains(chains: Mapping[int, str], overrides: object) -> Mapping[int, str]:
    """Replace the chains as a whole."""
    if overrides is None:
        return chains
    if not isinstance(overrides, Mapping):
        raise SettingsError('chains must be an object such as {"eip155:31337": "http://127.0.0.1:8545"}')
    urls: dict[int, str] = {}
    for name, url in overrides.items():
        number = chain_id(name) if isinstance(name, str) else None
        if number is None:
            raise SettingsError(f"chains.{name} is not known: a chain is named eip155: and its number")
        urls[number] = _url(f"chains.{name}", url)
    return urls


def _url(name: str, value: object) -> str:
    """Accept the address of an HTTP server; the value itself is not repeated, because it can hold a key."""
    try:
        parts = urlsplit(value) if isinstance(value, str) else urlsplit("")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not isinstance(value, str):
        raise SettingsError(f"{name} must be the http or https address of a node")
    return value


def _integer(name: str, value: object, ceiling: int) -> int:
    """Accept an integer from 1 through `ceiling`: a published value of 0 would read as not published."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= ceiling:
        raise SettingsError(f"{name} must be a whole number from 1 through {ceiling}")
    return value
