"""How hard a run tries: the profiles a person can choose from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One profile.

    `examples` per property; the time after which a test counts as hung, in seconds; and whether a case may wait for
    more than a second where the target has no control that would spare it.
    """

    name: str
    examples: int
    hung_after_s: int
    waits: bool = True


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(name="smoke", examples=5, hung_after_s=30, waits=False),
        Profile(name="standard", examples=50, hung_after_s=60),
        Profile(name="thorough", examples=1000, hung_after_s=600),
    )
}
