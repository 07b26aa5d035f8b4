"""The words of a clause's `needs`: what must be there before the clause can run at all, and how to say so."""

from __future__ import annotations

CONTROLS = {
    "limits": "a deployment started with small published limits",
    "timers": "a deployment started with short timers",
    "restart": "a control that restarts the backend",
    "kill": "a control that kills the backend process",
    "store-kill": "a control that kills or fails over the store",
    "store-outage": "a control that pauses the store or cuts it off",
    "store-hold": "a control that holds a publish between allocation and commit",
    "lag": "a control that pauses a read copy",
    "second-endpoint": "a second endpoint of the same deployment",
    "chain": "a deployment that asks the suite's own chain",
    "clock": "a control that moves the backend's clock",
    "big": "messages near 25 MiB",
    "handles": "a deployment started with handle rules of its own",
    "handles-profile": "a handles profile, unless the embedded backend is tested",
    "operator:reserved-name": "a reserved name told by the operator",
    "profile:durability": "the durability profile (power loss or a trace of forced writes)",
    "profile:robustness": "the robustness profile (a peer that breaks the contract)",
}
"""What the suite needs of the deployment, the operator or the chosen profile, in words."""

_DRIVER = "capability:"

CAPABILITIES = frozenset(
    {
        "app_data_guard",
        "concurrent_ops",
        "crash",
        "debug_hooks",
        "delete_unsent",
        "idempotency_key",
        "identity_add_installation",
        "identity_lookup",
        "identity_verify",
        "kill",
        "multi_installation",
        "prepare",
        "propose",
        "push_override",
        "raw_encoded",
        "receipt_read",
        "shared_connection",
        "stats",
        "string_send",
        "subscribe_bidi",
    }
)
"""The optional abilities of a client driver that a clause may need."""


def alternatives(need: str) -> tuple[str, ...]:
    """Return the words of one entry of `needs`, any of which meets it."""
    return tuple(need.split("|"))


def known(word: str) -> bool:
    """Tell whether `word` is one that `needs` may use."""
    return word in CONTROLS or (word.startswith(_DRIVER) and word.removeprefix(_DRIVER) in CAPABILITIES)


def in_words(need: str) -> str:
    """Return one entry of `needs` as a phrase for a reader."""
    return ", or ".join(
        CONTROLS.get(word, f"a client driver with {word.removeprefix(_DRIVER)}") for word in alternatives(need)
    )
