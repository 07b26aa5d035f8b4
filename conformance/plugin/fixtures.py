"""What a test of the suite can ask for: nodes of the deployment under test, fresh identifiers, notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.craft.draw import Draw
from conformance.plugin.cases import case_id, case_seed
from conformance.plugin.run import POOL, RUN, Run
from conformance.plugin.target_clock import TargetClock
from conformance.target.errors import Missing
from conformance.target.lapse import Lapse, lapse
from conformance.target.soon_alive import configured_pong_wait_s, soon_alive
from conformance.target.with_chain import WithChain, with_chain
from conformance.wire.recorder import Recorder, recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.craft.identity.handles import HandlesProfile
    from conformance.target.deployment import Deployment
    from conformance.target.node import Node
    from conformance.target.pool import Pool


class Classes:
    """The classes of input that the examples of a property reached."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.examples = 0

    def reach(self, *names: str) -> None:
        """Record that one example belongs to the named classes."""
        self.examples += 1
        self.seen.update(names)


class Notes:
    """Findings that a report shows and no verdict depends on."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def add(self, sentence: str) -> None:
        """Note one sentence."""
        if sentence not in self.sentences:
            self.sentences.append(sentence)


@pytest.fixture(scope="session")
def run(pytestconfig: pytest.Config) -> Run:
    """The run this session belongs to."""
    return pytestconfig.stash[RUN]


@pytest.fixture(scope="session")
def pool(pytestconfig: pytest.Config, run: Run) -> Iterator[Pool]:
    """The deployments under test, started when first asked for and shared by all tests of this process."""
    shared = pytestconfig.stash.get(POOL, None)
    if shared is not None:
        yield shared
        return
    with run.open_pool() as pool:
        yield pool


@pytest.fixture(autouse=True)
def recorder(request: pytest.FixtureRequest) -> Iterator[Recorder]:
    """The transcript of the calls one case makes."""
    recorder = Recorder()
    request.node.stash[RECORDER] = recorder
    with recording(recorder):
        yield recorder


@pytest.fixture
def classes(request: pytest.FixtureRequest) -> Classes:
    """Where a property says which classes of input its examples belong to."""
    found = request.node.stash[CLASSES] = Classes()
    return found


@pytest.fixture
def notes(request: pytest.FixtureRequest) -> Notes:
    """Where a test leaves findings the spec leaves open."""
    found = request.node.stash[NOTES] = Notes()
    return found


@pytest.fixture(scope="session")
def target_clock(run: Run, deployment: Deployment) -> TargetClock:
    """The clock of the target, known before the first case makes anything that has a lifetime."""
    clock = TargetClock(run.salt)
    clock.watch(deployment.node())
    return clock


@pytest.fixture
def draw(request: pytest.FixtureRequest, run: Run, target_clock: TargetClock) -> Draw:
    """Identifiers no other run uses, choices that the seed of the case decides, and the time of the target."""
    case = case_id(request.node)
    return Draw(case_seed(run.options.seed, case), run.salt + case.encode(), now_s=target_clock.now_s)


@pytest.fixture(scope="session")
def deployment(pool: Pool) -> Deployment:
    """The deployment under test with the limits it has by default."""
    return pool.deployment("default")


@pytest.fixture
def node(deployment: Deployment) -> Node:
    """An endpoint of the deployment under test."""
    return deployment.node()


@pytest.fixture
def small(pool: Pool) -> Node:
    """An endpoint of a deployment whose published limits are small enough to reach cheaply."""
    return pool.deployment("small-limits").node()


@pytest.fixture
def pair(pool: Pool) -> tuple[Node, Node]:
    """Two endpoints of one deployment."""
    deployment = pool.deployment("two-endpoints")
    return deployment.node(0), deployment.node(1)


@pytest.fixture
def chain(pool: Pool) -> Iterator[WithChain]:
    """A node of a deployment that asks the suite's chain, and that chain, with no rules yet."""
    with with_chain(pool) as found:
        yield found


@pytest.fixture
def passing_time(pool: Pool, run: Run) -> Iterator[Lapse]:
    """A node on which time can be let pass."""
    with lapse(pool, may_wait=run.options.profile.waits) as found:
        yield found


@pytest.fixture
def soon_expired(pool: Pool, run: Run) -> Iterator[Lapse]:
    """A node of a deployment with a retention of one second, on which time can be let pass."""
    with lapse(pool, may_wait=run.options.profile.waits, name="short-retention") as found:
        yield found


@pytest.fixture
def quick_timers(pool: Pool, run: Run) -> Node:
    """An endpoint whose streams break their silence soon enough to wait for it, several times."""
    return soon_alive(pool, may_wait_minutes=run.options.profile.waits_minutes)


@pytest.fixture
def pong_wait_s(pool: Pool) -> float:
    """How long the endpoint of `quick_timers` waits for a Pong, in seconds: nothing publishes it (API-257)."""
    return configured_pong_wait_s(pool)


@pytest.fixture
def unhurried(run: Run) -> None:
    """Nothing, for a test that takes seconds whatever the target offers."""
    if not run.options.profile.waits:
        raise Missing("time", "this takes seconds of waiting, which the smoke profile leaves out")


@pytest.fixture(scope="session")
def handles(run: Run) -> HandlesProfile:
    """How handles look on the wire: stated by whoever runs the suite, or shared with the embedded backend."""
    return run.handles.required()


RECORDER = pytest.StashKey[Recorder]()
CLASSES = pytest.StashKey[Classes]()
NOTES = pytest.StashKey[Notes]()
