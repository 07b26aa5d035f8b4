"""How hard a run tries: the profiles a person can choose from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One profile.

    `examples` per property; the time after which a test counts as hung, in seconds; whether a case may wait for more
    than a second where the target has no control that would spare it, or for minutes; and how many cases a clause gets,
    chosen by the seed of the run (None: all there are). `leaves_out` names folders of the suite that are not run: every
    clause they decide is decided by other tests as well.
    """

    name: str
    examples: int
    hung_after_s: int
    waits: bool = True
    waits_minutes: bool = False
    cases_per_clause: int | None = None
    leaves_out: tuple[str, ...] = ()


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            name="smoke",
            examples=5,
            hung_after_s=30,
            waits=False,
            cases_per_clause=1,
            leaves_out=("api/histories/",),
        ),
        Profile(name="standard", examples=50, hung_after_s=60),
        Profile(name="thorough", examples=1000, hung_after_s=600, waits_minutes=True),
    )
}
