"""The limits that a deployment publishes (CONF-069), which tests scale themselves to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from conformance.pb import backend_pb2

_DAYS_90_IN_SECONDS = 90 * 24 * 60 * 60
_MIB = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits, retention and advisory group sizes; the defaults are those of the contract.

    Fields ending in `_bytes` are bytes, in `_seconds` seconds, in `_per_second` frames per second; the rest are counts.
    `noted` names the fields that the target left out or published as zero: there the contract's default stands.
    """

    max_envelope_bytes: int = _MIB
    max_request_bytes: int = 25 * _MIB
    max_response_bytes: int = 25 * _MIB
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
    group_message_seconds: int = _DAYS_90_IN_SECONDS
    welcome_seconds: int = _DAYS_90_IN_SECONDS
    key_package_seconds: int = _DAYS_90_IN_SECONDS
    max_group_members: int = 250
    max_installations_per_inbox: int = 10
    noted: tuple[str, ...] = ()

    @classmethod
    def published(cls, response: backend_pb2.GetConfigurationResponse) -> Limits:
        """Take the limits from `response`; a field that is absent or zero falls back to its default (CONF-025)."""
        taken = dict(_numbers(response))
        return cls(
            **{name: value for name, value in taken.items() if value},
            noted=tuple(sorted(name for name in NAMES if not taken.get(name))),
        )

    @classmethod
    def unpublished(cls) -> Limits:
        """Return the contract's defaults for a target whose configuration could not be read: every field is noted."""
        return cls(noted=tuple(sorted(NAMES)))

    def is_published(self, name: str) -> bool:
        """Say whether the target itself published field `name`. Raises KeyError for a name that is no limit."""
        if name not in NAMES:
            raise KeyError(name)
        return name not in self.noted


NAMES = frozenset(field.name for field in fields(Limits)) - {"noted"}


def _numbers(response: backend_pb2.GetConfigurationResponse) -> Iterator[tuple[str, int]]:
    sections: tuple[Message, ...] = (response.limits, response.retention, response.mls)
    for section in sections:
        for field in section.DESCRIPTOR.fields:
            if field.name in NAMES:
                yield field.name, getattr(section, field.name)
