"""Turns a pytest session into a conformance run: marks, settings, fixtures, hooks."""

from __future__ import annotations

import pytest

from conformance.craft.identity.handles import HandlesProfileError
from conformance.ledger.model import LedgerError
from conformance.plugin.hypothesis_setup import load_settings
from conformance.plugin.options import OptionError, out_folder, read
from conformance.plugin.results import clear_results
from conformance.plugin.run import RUN, Run
from conformance.target.errors import TargetError

USAGE_ERROR = 2


def activate(config: pytest.Config) -> None:
    """Register everything a conformance run needs; a bad option ends pytest with code 2 and one sentence."""
    try:
        if not hasattr(config, "workerinput"):
            clear_results(out_folder(config))
        run = Run.begin(read(config))
    except (OptionError, LedgerError, TargetError, HandlesProfileError) as error:
        pytest.exit(str(error), returncode=USAGE_ERROR)
    except OSError as error:
        pytest.exit(f"the folder {out_folder(config)} cannot be cleared: {error.strerror}", returncode=USAGE_ERROR)
    config.stash[RUN] = run
    load_settings(run.options.profile)
    # Imported once the settings stand: fixtures pull in the whole suite side.
    from conformance.plugin import fixture_stops, fixtures  # noqa: PLC0415
    from conformance.plugin.case_hooks import CaseHooks  # noqa: PLC0415
    from conformance.plugin.controller import Controller  # noqa: PLC0415

    config.pluginmanager.register(fixtures, "conformance-fixtures")
    config.pluginmanager.register(fixture_stops, "conformance-fixture-stops")
    config.pluginmanager.register(CaseHooks(run), "conformance-cases")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Controller(config, run), "conformance-controller")
