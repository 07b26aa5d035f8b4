"""Identity calls of a client on a backend, and drawing people for a test."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence

import grpc
import pytest

from conformance.craft.draw import Draw
from conformance.craft.identity.handles import HandlesProfile
from conformance.craft.identity.handles_file import shipped_profile
from conformance.craft.identity.update import identity_envelope
from conformance.pb import backend_pb2 as pb
from conformance.pb.association_pb2 import IdentityUpdate
from conformance.reference.backend.failure import Failure, PublishFailure
from tests.reference.harness import PUBLISH, Caller, publish, publish_error, publish_request

IDENTITY = "/xmtp.backend.v1.IdentityService/"
MALFORMED, IDU, SIG, TOO_LARGE, TAKEN, NOT_ALLOWED, TOO_SOON = 1, 3, 4, 5, 6, 7, 8
ETHEREUM, PASSKEY, HANDLE = 1, 2, 3
PROFILE: HandlesProfile = shipped_profile()
_numbers = itertools.count()


def draw() -> Draw:
    return Draw(0, os.urandom(16) + next(_numbers).to_bytes(4, "big"))


def topic(inbox_id: str) -> bytes:
    return b"\2" + bytes.fromhex(inbox_id)


def take(call: Caller, *updates: IdentityUpdate) -> list[pb.EnvelopeMeta]:
    """Publish updates in one request that must be taken."""
    return publish(call, *map(identity_envelope, updates))


def refusal(call: Caller, *envelopes: pb.ClientEnvelope | IdentityUpdate) -> tuple[int, int | None]:
    """Publish a request that must be refused in process; its reason and index."""
    wrapped = [each if isinstance(each, pb.ClientEnvelope) else identity_envelope(each) for each in envelopes]
    with pytest.raises(PublishFailure) as caught:
        publish(call, *wrapped)
    return caught.value.reason, caught.value.index


def code(call: Caller, *envelopes: pb.ClientEnvelope | IdentityUpdate) -> int:
    """Publish a request that must fail in process with a status of its own; its code."""
    wrapped = [each if isinstance(each, pb.ClientEnvelope) else identity_envelope(each) for each in envelopes]
    with pytest.raises(Failure) as caught:
        publish(call, *wrapped)
    assert not isinstance(caught.value, PublishFailure)
    return caught.value.code


def outcome(call: Caller, *updates: IdentityUpdate) -> str:
    """Publish over the wire; `OK`, the name of a status, or the reason of a refusal."""
    try:
        call(PUBLISH, publish_request(*map(identity_envelope, updates)))
    except grpc.RpcError as error:
        detail = publish_error(error)
        return error.code().name if detail is None else pb.PublishError.Reason.Name(detail.reason)
    return "OK"


def lookup(call: Caller, *asked: tuple[int, str]) -> list[pb.GetInboxIdsResponse.Response]:
    requests = [pb.GetInboxIdsRequest.Request(identifier=text, identifier_kind=kind) for kind, text in asked]
    answer = call(IDENTITY + "GetInboxIds", pb.GetInboxIdsRequest(requests=requests).SerializeToString())
    return list(pb.GetInboxIdsResponse.FromString(answer).responses)


def found(call: Caller, kind: int, text: str) -> str | None:
    (response,) = lookup(call, (kind, text))
    assert (response.identifier, response.identifier_kind) == (text, kind)
    return response.inbox_id if response.HasField("inbox_id") else None


def verified(
    call: Caller, *asked: tuple[str, int | None, bytes, bytes]
) -> Sequence[pb.VerifySmartContractWalletSignaturesResponse.Response]:
    request = pb.VerifySmartContractWalletSignaturesRequest()
    for account_id, block_number, digest, signature in asked:
        request.signatures.add(account_id=account_id, block_number=block_number, hash=digest, signature=signature)
    answer = call(IDENTITY + "VerifySmartContractWalletSignatures", request.SerializeToString())
    return pb.VerifySmartContractWalletSignaturesResponse.FromString(answer).responses
