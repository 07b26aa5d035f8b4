"""State machines of the suite, driven through sequences of calls that the seed of a case decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import hypothesis
import hypothesis.errors
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from conformance.craft.draw import Draw

_EXAMPLES_PER_MACHINE = 10  # an example of a machine is many calls long


def driven(machine: type[RuleBasedStateMachine], draw: Draw, found: Sequence[AssertionError], *, steps: int) -> None:
    """Run a machine for a few examples of up to `steps` steps each; raises what it finds.

    `found` is where the machine leaves its findings: the first stands when playing it again ends otherwise.
    """
    # the decorator serves machines as well as functions, and is declared for functions only
    seed = hypothesis.seed(draw.random.getrandbits(64))
    seeded = cast("type[RuleBasedStateMachine]", seed(cast("Callable[[], None]", machine)))
    examples = max(2, hypothesis.settings().max_examples // _EXAMPLES_PER_MACHINE)
    # no shrinking: it would play the example again hundreds of times, which a slow target makes minutes of
    chosen = hypothesis.settings(max_examples=examples, stateful_step_count=steps, phases=(hypothesis.Phase.generate,))
    try:
        run_state_machine_as_test(seeded, settings=chosen)
    except hypothesis.errors.Flaky:
        if found:
            raise found[0] from None
        raise
