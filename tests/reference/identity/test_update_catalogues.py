"""The suite's catalogues of updates against this backend: two sides that share no code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from conformance.craft.identity.entry import OddUpdate, WrongUpdate
from conformance.craft.identity.updates import ODD_UPDATES, OPEN_UPDATES, WRONG_UPDATES
from conformance.pb import backend_pb2 as pb
from conformance.reference.backend.failure import PublishFailure
from conformance.target.chain.call_data import Asked
from conformance.target.chain.stub import ChainStub
from tests.reference.harness import InProcess, publish, read_all, running
from tests.reference.identity.calls import draw

CHAINS = sorted(
    {number for entry in (WRONG_UPDATES | OPEN_UPDATES).values() for number in entry.chains}
    | {number for entry in ODD_UPDATES.values() for number in entry.chains}
)


@dataclass
class Bench:
    """A backend, and the signatures that its chains reject."""

    call: InProcess
    rejected: set[bytes] = field(default_factory=set)

    def judge(self, asked: Asked) -> bool:
        return asked.signature not in self.rejected


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with ExitStack() as stack:
        made = Bench(call=None)  # type: ignore[arg-type]  # the chains need the bench before there is a backend
        stubs = [stack.enter_context(ChainStub(chain_id=number, default=made.judge)) for number in CHAINS]
        chains = {stub.name: stub.url for stub in stubs}
        made.call = InProcess(stack.enter_context(running(tmp_path_factory.mktemp("catalogue"), chains=chains)))
        yield made


def envelope(encoded: bytes) -> pb.ClientEnvelope:
    return pb.ClientEnvelope.FromString(encoded)


def taken(call: InProcess, encoded: bytes) -> pb.EnvelopeMeta:
    (meta,) = publish(call, envelope(encoded))
    return meta


def refused(call: InProcess, encoded: bytes) -> int | None:
    try:
        taken(call, encoded)
    except PublishFailure as failure:
        return int(failure.reason)
    return None


@pytest.mark.parametrize("entry", [*WRONG_UPDATES.values(), *OPEN_UPDATES.values()], ids=str)
def test_a_wrong_update_is_refused_for_its_reason_and_its_twin_is_taken(bench: Bench, entry: WrongUpdate) -> None:
    situation = entry.build(draw())
    bench.rejected |= set(situation.rejected)
    for each in situation.before:
        taken(bench.call, each)
    reason = refused(bench.call, situation.broken)
    if reason is None:
        assert entry.may_be_taken
        return
    assert reason in entry.reasons
    meta = taken(bench.call, situation.twin)
    assert len(read_all(bench.call, meta.topic.topic)) == len(situation.before) + 1


@pytest.mark.parametrize("entry", ODD_UPDATES.values(), ids=str)
def test_an_odd_update_is_taken(bench: Bench, entry: OddUpdate) -> None:
    log = entry.build(draw())
    metas = [taken(bench.call, each) for each in log.envelopes]
    assert sum(len(read_all(bench.call, topic)) for topic in {meta.topic.topic for meta in metas}) == len(metas)
