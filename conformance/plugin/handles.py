"""Which handles profile a run uses: what nobody has told the suite about a foreign target, it does not assume."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.craft.identity.handles_file import load_profile, shipped_profile
from conformance.plugin.options import EMBEDDED
from conformance.target.errors import Missing

if TYPE_CHECKING:
    from conformance.craft.identity.handles import HandlesProfile
    from conformance.plugin.options import RunOptions

SHIPPED = "shipped"
# What the suite needs in order to make handles, and a backend in order to serve them does not.
_SUITE_ONLY = frozenset({"form", "letters", "shortest_name", "longest_name"})


@dataclass(frozen=True, kw_only=True)
class RunHandles:
    """The handles profile of a run; both None when none was given. `name` is `shipped` or the file as it was given."""

    name: str | None
    profile: HandlesProfile | None
    given: bool

    @classmethod
    def of(cls, options: RunOptions) -> RunHandles:
        """Take the profile the options name. Raises HandlesProfileError for a file that cannot be used.

        The shipped profile is an assumption. The embedded backend shares it; another target is asked for it by name.
        """
        name = options.handles_profile
        if name is None:
            embedded = options.target == EMBEDDED and options.deployment is None
            shipped = shipped_profile() if embedded else None
            return cls(name=SHIPPED if embedded else None, profile=shipped, given=False)
        return cls(name=name, profile=shipped_profile() if name == SHIPPED else load_profile(Path(name)), given=True)

    def required(self) -> HandlesProfile:
        """Return the profile. Raises Missing when the run has none."""
        if self.profile is None:
            raise Missing("handles-profile", "no handles profile given: describe the target with --handles-profile")
        return self.profile

    def backend_settings(self) -> dict[str, object]:
        """Return the arguments of `start` with which the embedded backend reads handles as this profile says."""
        if self.profile is None or self.name == SHIPPED:
            return {}
        wire = {key: value for key, value in asdict(self.profile).items() if key not in _SUITE_ONLY}
        return {"handles": {"wire": wire}}
