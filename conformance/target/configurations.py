"""The kinds of deployment that tests ask for by name, and what each takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """A kind of deployment: arguments of the adapter's `start`, and the control they need (None: nothing special).

    With `on_chain` it is started with the pool's chain as the only one it asks about contract wallets. `further` are
    controls it needs besides.
    """

    name: str
    control: str | None
    arguments: Mapping[str, object]
    on_chain: bool = False
    further: tuple[str, ...] = ()


_SMALL_LIMITS = {
    "max_envelope_bytes": 4096,
    "max_request_bytes": 65_536,
    "max_response_bytes": 16_384,  # four of the longest envelopes do not fit one answer
    "max_publish_topics": 8,
    "max_query_topics": 8,
    "max_query_limit": 7,
    "default_query_limit": 3,
    "max_newest_metadata_topics": 8,
    "max_newest_full_topics": 4,
    "max_update_adds": 8,
    "max_update_removes": 8,
    "max_stream_topics": 16,
    "max_static_topics": 8,
    "max_lookup_identifiers": 4,
    "max_scw_signatures": 2,
    "max_identity_entries": 4,
    "max_update_frames_per_second": 1,
    "max_update_burst": 5,
    "max_ping_frames_per_second": 1,
    "max_ping_burst": 5,
}

# More topics than one answer has room to name.
_SHORT_ANSWERS = {
    "max_envelope_bytes": 1024,
    "max_request_bytes": 65_536,
    "max_response_bytes": 2048,
    "max_update_adds": 200,
    "max_stream_topics": 400,
    "max_static_topics": 200,
}

# The smallest limits a backend may be started with: nearly every configuration is longer than such an answer.
_LEAST_LIMITS = {"max_envelope_bytes": 1, "max_request_bytes": 257, "max_response_bytes": 257}

# Three values, so that it shows which of them an expiry time was made with.
_DAY_SECONDS = 86_400
_OWN_RETENTION = {
    "group_message_seconds": 30 * _DAY_SECONDS,
    "welcome_seconds": 20 * _DAY_SECONDS,
    "key_package_seconds": 10 * _DAY_SECONDS,
}

# So short that an envelope expires while a test looks on.
_SHORT_RETENTION = {"group_message_seconds": 1, "welcome_seconds": 1, "key_package_seconds": 1}

# A store statement may take less than a publish, and a pong is awaited longer than the pause between two pings.
_SHORT_TIMERS = {"keepalive_ms": 300, "pong_ms": 900, "publish_ms": 1500, "store_ms": 1000, "drain_ms": 1000}

# So short that a test can wait for a publish that waits for its chain.
_HASTY_TIMERS = {"publish_ms": 500, "store_ms": 400}

# A name long enough for the least length, which the deployment keeps for itself.
RESERVED_NAME = "keeper"
_HANDLE_RULES = {"min_name_length": 5, "reserved": [RESERVED_NAME]}

# Letters that take two bytes each, and handles of nothing else before the dot.
WIDE_LETTERS = "äëïöüñ"
WIDE_FORM = "{name}.test"
WIDE_GRAMMAR = rf"(?P<name>[{WIDE_LETTERS}]{{1,32}})\.[a-z]{{2,16}}"
_WIDE_HANDLES = {"min_name_length": 5, "wire": {"grammar": WIDE_GRAMMAR}}

CONFIGURATIONS: Mapping[str, Configuration] = MappingProxyType(
    {
        configuration.name: configuration
        for configuration in (
            Configuration(name="default", control=None, arguments={}),
            Configuration(
                name="small-limits",
                control="limits",
                arguments={"limits": _SMALL_LIMITS, "retention": _OWN_RETENTION},
            ),
            Configuration(name="short-answers", control="limits", arguments={"limits": _SHORT_ANSWERS}),
            Configuration(name="least-limits", control="limits", arguments={"limits": _LEAST_LIMITS}),
            Configuration(name="short-retention", control="limits", arguments={"retention": _SHORT_RETENTION}),
            Configuration(name="short-timers", control="timers", arguments={"timers": _SHORT_TIMERS}),
            Configuration(name="two-endpoints", control="second-endpoint", arguments={"endpoints": 2}),
            Configuration(name="handle-rules", control="handles", arguments={"handles": _HANDLE_RULES}),
            Configuration(name="wide-handles", control="handles", arguments={"handles": _WIDE_HANDLES}),
            Configuration(name="chain", control="chain", arguments={}, on_chain=True),
            Configuration(
                name="small-chain",
                control="chain",
                arguments={"limits": {"max_scw_signatures": 3}},
                on_chain=True,
                further=("limits",),
            ),
            Configuration(
                name="hasty-chain",
                control="chain",
                arguments={"timers": _HASTY_TIMERS},
                on_chain=True,
                further=("timers",),
            ),
        )
    }
)


def configuration(name: str) -> Configuration:
    """Return the configuration called `name`. Raises ValueError, naming the known ones, for another name."""
    if name not in CONFIGURATIONS:
        raise ValueError(f'no configuration is called "{name}"; there are {", ".join(sorted(CONFIGURATIONS))}')
    return CONFIGURATIONS[name]
