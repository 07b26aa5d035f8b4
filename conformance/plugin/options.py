"""What a run was asked to do: the `--conformance-*` options, read once and checked."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.plugin.profiles import PROFILES, Profile

if TYPE_CHECKING:
    import pytest

SUITE = "conformance.suite"
SUITE_FOLDER = Path(__file__).resolve().parent.parent / "suite"
EMBEDDED = "embedded"
WORKER_SEED = "conformance_seed"


class OptionError(Exception):
    """An option that cannot be followed; its text is one sentence for the person who gave it."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of one run. `seed` decides every choice the suite makes; `out` is where the results go.

    `handles_profile` says how handles look on the wire: a file, the word `shipped`, or None where nobody said so.
    """

    target: str
    deployment: Path | None
    only: tuple[str, ...]
    profile: Profile
    seed: int
    out: Path
    handles_profile: str | None = None


def add(parser: pytest.Parser) -> None:
    """Register the options with pytest."""
    group = parser.getgroup("xmtp-conformance", "XMTP conformance suite")
    group.addoption("--conformance-target", metavar="HOST:PORT", help="the backend under test; default: embedded")
    group.addoption("--conformance-deployment", metavar="FILE", help="a deployment.toml that names the backend")
    group.addoption(
        "--conformance-only", metavar="ID", action="append", default=[], help="requirement or clause, * allowed"
    )
    group.addoption("--conformance-profile", metavar="NAME", help=f"one of {', '.join(PROFILES)}; default: standard")
    group.addoption("--conformance-seed", metavar="N", help="replays the choices of an earlier run")
    group.addoption("--conformance-out", metavar="DIR", help="where results.json and the journal go")
    group.addoption(
        "--conformance-handles-profile",
        metavar="FILE",
        help="how handles look on the wire: a TOML file, or `shipped` for what the suite assumes",
    )


def concern(config: pytest.Config) -> bool:
    """Tell whether this pytest run is a conformance run."""
    named = any(
        getattr(config.option, f"conformance_{name}", None) not in (None, [])
        for name in ("target", "deployment", "only", "profile", "seed", "out", "handles_profile")
    )
    return named or any(_is_suite(argument) for argument in config.args)


def _is_suite(argument: str) -> bool:
    path = argument.split("::", 1)[0]
    if path == SUITE or path.startswith(f"{SUITE}."):
        return True
    return Path(path).resolve().is_relative_to(SUITE_FOLDER)


def read(config: pytest.Config) -> RunOptions:
    """Read and check the options; raises OptionError with one sentence for a value that cannot be followed."""
    given = config.option
    for option in ("target", "deployment", "profile", "out", "handles_profile"):
        if getattr(given, f"conformance_{option}") == "":
            raise OptionError(f"the {option.replace('_', ' ')} is empty; name one, or leave the option out")
    if given.conformance_target is not None and given.conformance_deployment is not None:
        raise OptionError("give either a target or a deployment file, not both")
    name = given.conformance_profile or "standard"
    if name not in PROFILES:
        raise OptionError(f"there is no profile {name!r}; choose one of {', '.join(PROFILES)}")
    deployment = Path(given.conformance_deployment) if given.conformance_deployment else None
    return RunOptions(
        target=given.conformance_target or EMBEDDED,
        deployment=deployment,
        only=tuple(given.conformance_only),
        profile=PROFILES[name],
        seed=_seed(config),
        out=out_folder(config),
        handles_profile=given.conformance_handles_profile,
    )


def out_folder(config: pytest.Config) -> Path:
    """Where the results of this run go."""
    return Path(config.option.conformance_out or "reports/latest").resolve()


def _seed(config: pytest.Config) -> int:
    """The given seed, the one that the controller of this xdist worker has drawn, or one drawn now."""
    given = config.option.conformance_seed
    if given is None:
        given = getattr(config, "workerinput", {}).get(WORKER_SEED, secrets.randbelow(2**32))
    try:
        seed = int(given)
    except ValueError:
        raise OptionError(f"the seed {given!r} is not a whole number; give one such as 7") from None
    if seed < 0:
        raise OptionError(f"the seed {given} is negative; give a whole number from 0 up")
    return seed
