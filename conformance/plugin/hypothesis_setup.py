"""How hypothesis runs inside the suite: our settings profile, and a seed per case that survives edits."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import hypothesis

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from conformance.plugin.profiles import Profile

_NAME = "xmtp-conformance"
_WATCHED = "watched_for_violations"


def load_settings(profile: Profile) -> None:
    """Make our settings the default before the suite is imported.

    No example database and no deadline: a run is decided by its seed alone, and the network decides how long an
    example takes. One bug at a time keeps the witness minimal. No explaining: on a broken target it takes longer than
    all tests together, and adds only comments to a witness that is minimal already.
    """
    hypothesis.settings.register_profile(
        _NAME,
        max_examples=profile.examples,
        database=None,
        deadline=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        phases=[phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.load_profile(_NAME)


class Witness:
    """The first violation that an example of the property at hand has shown.

    Hypothesis runs a failing example again to make it smaller. A target that breaks down meanwhile, or a case that is
    stopped for taking too long, must not make the violation unseen.
    """

    def __init__(self) -> None:
        self.first: AssertionError | None = None

    def watch(self, item: pytest.Item) -> None:
        """Forget the case before, and look at every example of this one."""
        self.first = None
        test = getattr(item, "obj", None)
        if test is None or not hypothesis.is_hypothesis_test(test):
            return
        inner = test.hypothesis.inner_test
        if not hasattr(inner, _WATCHED):
            test.hypothesis.inner_test = self._watching(inner)

    def _watching(self, inner: Callable[..., object]) -> Callable[..., object]:
        @functools.wraps(inner)
        def watched(*positional: object, **named: object) -> object:
            try:
                return inner(*positional, **named)
            except AssertionError as violation:
                self.first = self.first or violation
                raise

        setattr(watched, _WATCHED, True)
        return watched


def apply_seed(item: pytest.Item, seed: int) -> None:
    """Give the property behind `item` its seed. Parametrized cases share one function, so this is done per call."""
    test = getattr(item, "obj", None)
    if test is not None and hypothesis.is_hypothesis_test(test):
        hypothesis.seed(seed)(test)
