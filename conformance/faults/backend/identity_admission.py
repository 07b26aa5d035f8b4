"""Faults of the admission of identity updates as such: how many in a request, and from whom.

They break API-230.m and API-233. What is verified of an update is in `identity_admission_rules`, and how many an inbox
takes in `identity_admission_bound`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.faults.backend.identity_admission_callers import OwnClientOnly, OwnInboxOnly, told_clients
from conformance.faults.backend.identity_admission_parts import with_identity
from conformance.faults.backend.publish_parts import clauses
from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import PublishError, PublishRequest
from conformance.reference.backend import topics
from conformance.reference.backend.admission import Candidate, Judgement
from conformance.reference.backend.admission import Stored as StoredKeys
from conformance.reference.backend.deadline import Deadline
from conformance.reference.backend.failure import CheckFailure, PublishFailure
from conformance.reference.backend.identity.admission import History, IdentityAdmission
from conformance.reference.backend.identity.identifiers import refused
from conformance.reference.backend.identity.signatures import forged
from conformance.reference.backend.identity.update import Update
from conformance.reference.backend.publisher import Publisher
from conformance.reference.backend.store import Stored

INVALID_IDENTITY_UPDATE = PublishError.REASON_INVALID_IDENTITY_UPDATE


class InSequence(IdentityAdmission):
    """Validates each update of a request against those before it."""

    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        """Let any number through."""

    def log(self, history: History, candidate: Candidate, before: Sequence[Candidate]) -> list[Update]:
        """Add what stands before it in the request."""
        earlier = [
            self.reader.read(other.parsed.update)
            for other in before
            if other.topic == candidate.topic and other.parsed.update is not None
        ]
        return super().log(history, candidate, before) + earlier


class EachPlace(IdentityAdmission):
    """Takes each place of a request for an update of its own."""

    def distinct(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Leave equal ones in."""
        return list(candidates)


class OneForAll(IdentityAdmission):
    """Takes one identity update in a request, whatever its inbox."""

    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        """Refuse a second one."""
        if before:
            raise refused("the request has another update")


class SecondIsForged(IdentityAdmission):
    """Calls the second update of an inbox badly signed."""

    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        """Give another reason."""
        try:
            super().check_alone(candidate, before)
        except CheckFailure as failure:
            raise forged(failure.message) from failure


class StoresTheFirst(Publisher):
    """Stores what stands before a bad update, and fails the request all the same."""

    def answer(self, request: bytes) -> bytes:
        """Publish the envelopes before the bad one by themselves."""
        try:
            return super().answer(request)
        except PublishFailure as failure:
            if failure.reason == INVALID_IDENTITY_UPDATE and failure.index:
                envelopes = PublishRequest.FromString(request).envelopes[: failure.index]
                super().answer(PublishRequest(envelopes=envelopes).SerializeToString())
            raise


class FirstIsNamed(IdentityAdmission):
    """Names the first of two updates of an inbox when it refuses the second."""

    def check_alone(self, candidate: Candidate, before: Sequence[Candidate]) -> None:
        """Refuse with its index."""
        for other in before:
            if other.topic == candidate.topic:
                raise PublishFailure(INVALID_IDENTITY_UPDATE, "another update of its inbox follows", index=other.index)


class CountsStored(IdentityAdmission):
    """Takes a stored update for another update of its inbox, and refuses the new one beside it."""

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Look for both."""
        judgement = super().judge(candidates, stored)
        new = {candidate.topic: candidate for candidate in self.new(candidates, stored)}
        found = [
            self.blamed(old, new[old.topic])
            for old in candidates
            if old.parsed.update is not None and old.topic in new and stored([old])
        ]
        failures = [PublishFailure(INVALID_IDENTITY_UPDATE, "a second update", index=each.index) for each in found]
        return Judgement(failures=[*judgement.failures, *failures], bases=judgement.bases)

    def blamed(self, old: Candidate, new: Candidate) -> Candidate:
        """Name the new one."""
        return new


class CountsStoredAndBlamesIt(CountsStored):
    """Names the stored one."""

    def blamed(self, old: Candidate, new: Candidate) -> Candidate:
        """Name the stored one."""
        return old


class CountsTwoStored(IdentityAdmission):
    """Takes two stored updates of an inbox for two updates of it."""

    def judge(self, candidates: Sequence[Candidate], stored: StoredKeys) -> Judgement:
        """Refuse the second."""
        judgement = super().judge(candidates, stored)
        old: dict[bytes, Candidate] = {}
        found = [
            PublishFailure(INVALID_IDENTITY_UPDATE, "a second update", index=each.index)
            for each in candidates
            if each.parsed.update is not None and stored([each]) and old.setdefault(each.topic, each).key != each.key
        ]
        return Judgement(failures=[*judgement.failures, *found], bases=judgement.bases)


class OneReceiptForAnInbox(Publisher):
    """Answers stored updates of one inbox in one request all alike."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Give the first receipt of each identity topic."""
        stored, known = super().publish(candidates, deadline), self.duplicates(candidates)
        first: dict[bytes, Stored] = {}
        return [
            first.setdefault(one.topic, one) if one.topic[0] == topics.IDENTITY_UPDATE and one.key in known else one
            for one in stored
        ]


class OldBesideNewIsEnough(Publisher):
    """Answers a new update beside a stored one of its inbox with the receipt of that, and does not store it."""

    def publish(self, candidates: Sequence[Candidate], deadline: Deadline) -> list[Stored]:
        """Leave the new ones out."""
        old = {one.topic: one for one in self.duplicates(candidates).values() if one.topic[0] == topics.IDENTITY_UPDATE}
        rest = [each for each in candidates if each.topic not in old]
        stored = {one.key: one for one in super().publish(rest, deadline)}
        known = self.duplicates(candidates)
        return [stored.get(each.key) or known.get(each.key) or old[each.topic] for each in candidates]


def _faults() -> Iterator[Variant]:
    for name, says, numbers, build in (
        ("B087", "an inbox is continued by the client that opened it", "230.m", told_clients(OwnClientOnly)),
        ("B450", "a client continues the inbox it came with", "230.m", told_clients(OwnInboxOnly)),
        (
            "B101",
            "two updates of an inbox are validated in sequence",
            "233.a",
            with_identity(admission_class=InSequence),
        ),
        ("B451", "a second update is called badly signed", "233.a", with_identity(admission_class=SecondIsForged)),
        ("B452", "what stands before a bad update is stored", "230.j 233.a", with_identity(publisher=StoresTheFirst)),
        ("B102", "an update given twice is refused", "233.b", with_identity(admission_class=EachPlace)),
        ("B103", "a request holds one identity update", "233.c", with_identity(admission_class=OneForAll)),
        (
            "B453",
            "beside a new update the stored one is named",
            "233.d",
            with_identity(admission_class=CountsStoredAndBlamesIt),
        ),
        (
            "B454",
            "beside a stored update the new one is not stored",
            "233.d",
            with_identity(publisher=OldBesideNewIsEnough),
        ),
        ("B455", "stored updates of an inbox share a receipt", "233.e", with_identity(publisher=OneReceiptForAnInbox)),
    ):
        yield Variant(id=name, says=says, clauses=clauses(numbers), build=build)


_EVERY = clauses("230.j 230.m 233.a 233.b 233.c 233.d 233.e 234.a 234.b")

VARIANTS: tuple[Variant, ...] = (
    *_faults(),
    *(
        Variant(id=name, says=says, clauses=_EVERY, build=with_identity(admission_class=part), kind="variation")
        for name, says, part in (
            ("V450", "of two updates of an inbox the first is named", FirstIsNamed),
            ("V47", "a new update beside a stored one of its inbox is refused", CountsStored),
            ("V451", "two stored updates of an inbox are refused", CountsTwoStored),
        )
    ),
)
