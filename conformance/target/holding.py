"""A publish that stands still between the allocation of its ids and its commit while something else happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from conformance.target.errors import Undecided
from conformance.target.patience import PATIENCE_S, until

if TYPE_CHECKING:
    from conformance.pb import backend_pb2
    from conformance.target.answers import Published
    from conformance.target.deployment import Deployment

_Result = TypeVar("_Result")


class Held:
    """A publish that is being held: `answer` is there once the hold has ended."""

    def __init__(self, answer: Future[Published], executor: Executor) -> None:
        self.answer = answer
        self._executor = executor

    def beside(self, call: Callable[[], _Result]) -> Future[_Result]:
        """Start a call that may have to wait until the hold ends. The hold is released before its end is awaited."""
        return self._executor.submit(call)


@contextmanager
def held_publish(deployment: Deployment, *envelopes: backend_pb2.ClientEnvelope | bytes) -> Iterator[Held]:
    """Publish `envelopes` and keep that publish unfinished while the block runs.

    The block has to stay well under the publish limit of the target. Raises Missing without the control, what reading
    the receipts raises when the publish has failed instead of being held, and Undecided when it was not caught or went
    on before the block had ended: what the block saw then proves nothing.
    """
    node = deployment.node()
    deployment.store_hold()
    with ThreadPoolExecutor(thread_name_prefix="held") as executor:
        answer = executor.submit(node.publish, *envelopes)
        try:
            _wait_until_held(deployment, answer)
            yield Held(answer, executor)
        except BaseException:
            deployment.store_release()
            raise
        if not deployment.store_release():
            raise Undecided("The publish that was held in the store went on before it was released.")


def _wait_until_held(deployment: Deployment, answer: Future[Published]) -> None:
    def is_held_or_lost() -> bool:
        return answer.done() or deployment.store_is_holding()

    caught = until(is_held_or_lost, bool)
    if answer.done():
        answer.result().confirmed()
    if not caught or answer.done():
        raise Undecided(f"The store hold did not stop the publish that was sent to it within {PATIENCE_S:g} s.")
