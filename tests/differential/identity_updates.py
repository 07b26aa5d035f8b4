"""Two judges of identity updates that share no code and know the same logs, and updates to bring before them."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf.message import DecodeError

from conformance.craft.draw import Draw
from conformance.craft.identity.actions import ClaimHandle
from conformance.craft.identity.handles_file import shipped_profile
from conformance.craft.identity.passkey import with_other_s as passkey_with_other_s
from conformance.craft.identity.update import SECOND_NS, signed_update
from conformance.craft.identity.wallet import with_other_s, with_small_v
from conformance.craft.identity.world import Step, World
from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.oracle.identity.chain import ChainQuestion, ChainVerdict
from conformance.oracle.identity.directory import Directory
from conformance.oracle.identity.identifiers import Kind
from conformance.pb import backend_pb2
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend.admission import Admission
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, Code, Failure, PublishFailure
from conformance.reference.backend.identity.association import State
from conformance.reference.backend.identity.chain import ChainClient, Chains
from conformance.reference.backend.identity.identifiers import MemberKind
from conformance.reference.backend.identity.service import Identity
from conformance.reference.backend.identity.update import Update
from conformance.target.chain.call_data import Asked, Asks
from conformance.target.chain.calls import Calls
from conformance.target.chain.honest import honest
from conformance.target.chain.rpc import Rpc
from conformance.target.chain.script import Script
from conformance.target.chain.stub import LOCAL_CHAIN
from tests.differential.objects import Damage
from tests.oracle.identity.test_histories import Told
from tests.oracle.identity.test_mutations import DEEDS, EDITS, signatures_of
from tests.reference.harness import running

HEAD = 1000
PROFILE = shipped_profile()
UNAVAILABLE = "UNAVAILABLE"
Ending = int | str | None
_KINDS = {
    MemberKind.ETHEREUM: Kind.ETHEREUM,
    MemberKind.PASSKEY: Kind.PASSKEY,
    MemberKind.INSTALLATION: Kind.INSTALLATION,
}


@dataclass
class OneChain:
    """A chain without code, but for the signatures it rejects; with `trusting` it takes all others as valid."""

    rejected: set[bytes] = field(default_factory=set)
    trusting: bool = False
    known: Sequence[int] = (LOCAL_CHAIN,)

    def judge(self, asked: Asked) -> bool:
        return asked.signature not in self.rejected and (self.trusting or honest(asked))

    def verdict(self, question: ChainQuestion) -> ChainVerdict:
        """Answer the oracle."""
        if question.chain_id not in self.known:
            return ChainVerdict.UNREACHABLE
        if question.block_number > HEAD:
            return ChainVerdict.OUTSIDE
        account = bytes.fromhex(question.address[2:])
        asked = Asked(account=account, hash=question.hash, signature=question.signature, how=Asks.BYTECODE)
        return ChainVerdict.VALID if self.judge(asked) else ChainVerdict.INVALID


@dataclass(kw_only=True)
class Judges:
    """The embedded backend's reader and validator, and the oracle; both know what has been stored so far."""

    admission: Admission
    identity: Identity
    chain: OneChain
    logs: dict[str, list[Update]] = field(default_factory=dict)
    directory: Directory = field(default_factory=lambda: Directory(handles=PROFILE))
    stored: int = 0

    def forget(self) -> None:
        """Stand before empty logs again."""
        self.logs, self.directory, self.stored = {}, Directory(handles=PROFILE), 0

    def backend_says(self, message: IdentityUpdate) -> tuple[Ending, Update | None, State | None]:
        """Give how the embedded backend ends on an update, and what it read and came to when it takes it."""
        envelope = backend_pb2.ClientEnvelope(identity_update=message)
        try:
            parsed = self.admission.examine(0, envelope).parsed.update or IdentityUpdate()
            update = self.identity.admission.reader.read(parsed)
            for handle in update.handles:
                self.identity.policy.check_form(handle)
            log = self.logs.get(message.inbox_id.lower(), [])
            return None, update, self.identity.validator.validate(log, update, Deadline(10, "the judgement"))
        except (PublishFailure, CheckFailure) as failure:
            return int(failure.reason), None, None
        except Failure as failure:
            if failure.code != Code.UNAVAILABLE:
                raise
            return UNAVAILABLE, None, None

    def agree(self, message: IdentityUpdate, *, store: bool = False) -> str:
        """Have both judge one update, and say how it ended; AssertionError where the two differ."""
        ending, update, state = self.backend_says(message)
        verdict = self.directory.judge(message, chain=self.chain.verdict)
        if ending == UNAVAILABLE:
            assert verdict.unavailable, f"no verdict, expected was {verdict}"
            return "without a verdict"
        assert not isinstance(ending, str)
        assert verdict.allows(ending), f"refused for {ending}, expected was {verdict}"
        if update is None or state is None:
            return f"refused for {ending}"
        same(state, verdict)
        if store:
            self.stored += 1
            self.logs.setdefault(message.inbox_id.lower(), []).append(update)
            self.directory.store(message, sequence_id=self.stored)
        return "taken"


def same(state: State, verdict: object) -> None:
    """Hold two states of one inbox against each other."""
    expected = getattr(verdict, "state", None)
    assert expected is not None, f"taken, expected was {verdict}"
    assert {(_KINDS[member.kind], member.text) for member in state.members} == {
        (member.kind, member.text) for member in expected.members
    }
    assert (_KINDS[state.recovery.kind], state.recovery.text) == (expected.recovery.kind, expected.recovery.text)
    assert state.claims == expected.handles


@contextmanager
def judges(
    folder: Path, admission: Admission, *, known: Sequence[int] = (LOCAL_CHAIN,), **parts: type
) -> Iterator[Judges]:
    """Make the judges; `parts` of the backend's identity are others than it should have."""
    chain = OneChain(known=known)
    script = Script(default=chain.judge, head=HEAD, block_s=1)

    class Client(ChainClient):
        def post(self, body: bytes, deadline: Deadline) -> bytes:
            number = int(self._host.rpartition(":")[2])
            answer = Rpc(chain_id=number, script=script, calls=Calls(), wait=threading.Event().wait).respond(body)
            assert isinstance(answer, bytes)
            return answer

    class InThisProcess(Chains):
        client_type = Client

    urls = {f"eip155:{number}": f"http://127.0.0.1:{number}" for number in known}
    with running(folder, with_identity(chains_class=InThisProcess, **parts), chains=urls) as backend:
        yield Judges(admission=admission, identity=backend.identity, chain=chain)


def mutants(told: Told, step: Step, rng: random.Random) -> Iterator[IdentityUpdate]:
    """Give wrong and odd relatives of an update that comes next in its log."""
    edit, _ = EDITS[rng.choice(list(EDITS))]
    for make in (edit, rewritten(rng), shuffled(rng)):
        copy = IdentityUpdate.FromString(step.update.SerializeToString())
        make(copy)
        yield copy
    for _ in range(2):
        damaged = _damaged(step.update, rng)
        if damaged is not None:
            yield damaged


def afterwards(told: Told, step: Step, rng: random.Random) -> Iterator[IdentityUpdate]:
    """Give updates that the state after an update forbids, claims of handles, and what is stored in another guise."""
    deed = DEEDS[rng.choice(list(DEEDS))]
    time_ns = step.update.client_timestamp_ns + SECOND_NS
    yield signed_update(step.inbox_id, time_ns, deed(told, step.inbox_id))
    person = told.world.people[told.world.recovery(step.inbox_id)]
    name = PROFILE.drawn(Draw(rng.getrandbits(32), rng.randbytes(16)))
    handle = rng.choice((name, name, name.upper(), "no handle"))
    yield signed_update(step.inbox_id, time_ns, ClaimHandle(handle=handle, by=person, profile=PROFILE))
    again = IdentityUpdate.FromString(rng.choice(told.steps).update.SerializeToString())
    again.client_timestamp_ns += rng.choice((0, 1, SECOND_NS))
    yield again


def rewritten(rng: random.Random) -> Callable[[IdentityUpdate], object]:
    """Write one signature in another form that says the same."""

    def rewrite(update: IdentityUpdate) -> None:
        signature = rng.choice(signatures_of(update))
        if signature.WhichOneof("signature") == "erc_191":
            signature.erc_191.bytes = rng.choice((with_small_v, with_other_s))(signature.erc_191.bytes)
        elif signature.WhichOneof("signature") == "passkey":
            passkey_with_other_s(signature)
        elif signature.WhichOneof("signature") == "erc_6492":
            signature.erc_6492.block_number = rng.choice((0, HEAD, HEAD + 1))

    return rewrite


def shuffled(rng: random.Random) -> Callable[[IdentityUpdate], object]:
    """Repeat, drop or reorder actions, which nobody signed so."""

    def shuffle(update: IdentityUpdate) -> None:
        actions = list(update.actions)
        rng.shuffle(actions)
        del update.actions[:]
        update.actions.extend(actions[: rng.randint(1, len(actions))] + actions[: rng.randint(0, 1)])

    return shuffle


def _damaged(update: IdentityUpdate, rng: random.Random) -> IdentityUpdate | None:
    """Damage the bytes of an update as admission decodes them; None for what is no message any more."""
    how = rng.choice(("replace", "flip", "flip", "insert", "delete", "cut", "repeat"))
    damage = Damage(how=how, place=rng.randrange(1000), byte=rng.randrange(256))
    try:
        damaged = IdentityUpdate.FromString(damage.apply(update.SerializeToString()))
    except DecodeError:
        return None
    damaged.DiscardUnknownFields()
    return damaged


def new_world(seed: int) -> Told:
    """Make a world without inboxes, one of whose people is a contract wallet."""
    return Told(world=World(Draw(seed, seed.to_bytes(8, "big")), contracts=1), directory=Directory(), steps=[])
