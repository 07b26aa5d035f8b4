"""A pool hands out warm deployments once per configuration, and says what is missing instead of pretending."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from conformance.pb import backend_pb2
from conformance.target.deployment import Deployment
from conformance.target.errors import Missing, TargetError
from conformance.target.limits import Limits
from conformance.target.pool import Pool, Subject
from conformance.target.source import AdapterProgram, Source
from conformance.wire.recorder import Recorder, recording

Argv = Callable[..., list[str]]
Serve = Callable[..., str]
CONFIGURATION = backend_pb2.GetConfigurationResponse(
    identifier="x", limits=backend_pb2.LimitsConfiguration(max_query_limit=50)
).SerializeToString()


def by_adapter(argv: list[str]) -> Pool:
    return Pool(Source.program(argv))


def commands(log: Path) -> list[str]:
    return [json.loads(line)[0] for line in log.read_text().splitlines()]


def test_fixed_endpoints_give_the_default_configuration_and_name_what_is_missing(serve: Serve) -> None:
    address = serve({"GetConfiguration": CONFIGURATION})
    with Pool(Source.at(f"http://{address}")) as pool:
        deployment = pool.deployment("default")
        assert (deployment.endpoints, deployment.limits.max_query_limit) == ((address,), 50)
        assert deployment.limits.is_published("max_query_limit")
        assert not deployment.limits.is_published("max_query_topics")
        assert pool.deployment("default") is deployment
        assert pool.subject() == Subject(name=address, version="", endpoints=(address,), controls=frozenset())
        for name, control in (
            ("small-limits", "limits"),
            ("short-timers", "timers"),
            ("two-endpoints", "second-endpoint"),
        ):
            for _ in range(2):
                with pytest.raises(Missing, match=f"the configuration {name} needs") as missing:
                    pool.deployment(name)
                assert missing.value.control == control
        with pytest.raises(Missing, match="no adapter that could start"), pool.exclusive():
            pass
        for control, use in (
            ("kill", deployment.kill),
            ("restart", deployment.restart),
            ("store-hold", deployment.store_hold),
            ("store-hold", deployment.store_is_holding),
            ("store-hold", deployment.store_release),
            ("clock", lambda: deployment.clock_offset(1)),
            ("second-endpoint", lambda: deployment.node(1)),
        ):
            with pytest.raises(Missing) as missing:
                use()
            assert missing.value.control == control
        with pytest.raises(ValueError, match="no configuration is called"):
            pool.deployment("huge")
    with pytest.raises(RuntimeError, match="closed"):
        pool.deployment("default")


def test_two_fixed_endpoints_are_a_pair(serve: Serve) -> None:
    addresses = tuple(serve({"GetConfiguration": CONFIGURATION}) for _ in range(3))
    with Pool(Source.at(*addresses)) as pool:
        assert pool.deployment("two-endpoints").endpoints == addresses[:2]
        assert pool.deployment("default").endpoints == addresses
        assert pool.subject().controls == {"second-endpoint"}
        assert pool.deployment("two-endpoints").node(1).configuration().call.endpoint == addresses[1]


def test_given_endpoints_are_the_default_also_beside_an_adapter(serve: Serve, adapter_argv: Argv) -> None:
    address = serve({"GetConfiguration": CONFIGURATION})
    source = Source(name="both", endpoints=(address,), adapter=AdapterProgram(argv=tuple(adapter_argv())))
    with Pool(source) as pool:
        assert pool.deployment("default").endpoints == (address,)
        small = pool.deployment("small-limits")
        assert small.endpoints != (address,)
        assert small.limits.max_query_limit == 7
        assert pool.subject().name == "fake"


def test_a_deployment_is_started_once_however_many_threads_ask(adapter_argv: Argv, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with by_adapter(adapter_argv("--log", str(log))) as pool, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: pool.deployment("default"), range(8)))
        assert all(deployment is found[0] for deployment in found)
        pair = pool.deployment("two-endpoints")
        assert len(set(pair.endpoints)) == 2
        assert pool.deployment("default") is found[0]
    assert commands(log) == ["hello", "start", "start", "end"]


def test_an_adapter_for_one_deployment_gets_the_old_one_stopped_first(adapter_argv: Argv, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with by_adapter(adapter_argv("--deployments", "1", "--log", str(log))) as pool:
        first = pool.deployment("default")
        pool.deployment("small-limits")
        with pytest.raises(RuntimeError, match="closed"):
            first.node().configuration()
        assert pool.deployment("default") is not first
        with pool.exclusive() as alone:
            assert alone.node().configuration().ok().limits == alone.limits
            for _ in range(2):
                with pytest.raises(Missing, match="runs at most 1 at a time"):
                    pool.deployment("short-timers")
        pool.deployment("short-timers")
    assert commands(log)[1:] == [*["start", "stop"] * 4, "start", "end"]


def test_the_deployment_used_longest_ago_makes_room(adapter_argv: Argv) -> None:
    with by_adapter(adapter_argv("--deployments", "2")) as pool:
        default, small = pool.deployment("default"), pool.deployment("small-limits")
        pool.deployment("default")
        pool.deployment("two-endpoints")
        assert pool.deployment("default") is default
        assert not small.started_here


def test_a_control_the_adapter_lacks_is_missing(adapter_argv: Argv) -> None:
    with by_adapter(adapter_argv("--controls", "")) as pool:
        deployment = pool.deployment("default")
        with pytest.raises(Missing, match=r"^limits: the adapter fake does not offer it$"):
            pool.deployment("small-limits")
        with pytest.raises(Missing, match=r"^chain: the adapter fake does not offer it$"):
            pool.deployment("small-chain")
        with pytest.raises(Missing, match=r"^kill: the adapter fake does not offer it$"):
            deployment.kill()


def test_every_control_of_a_configuration_is_needed(adapter_argv: Argv) -> None:
    with (
        by_adapter(adapter_argv("--controls", "chain")) as pool,
        pytest.raises(Missing, match=r"^limits: the adapter fake does not offer it$"),
    ):
        pool.deployment("small-chain")


def test_an_endpoint_is_killed_and_comes_back_for_the_nodes_handed_out_before(adapter_argv: Argv) -> None:
    with by_adapter(adapter_argv()) as pool, pool.exclusive("two-endpoints") as deployment:
        node, other, fresh = deployment.node(0), deployment.node(1), deployment.fresh_node(0)
        assert node.connection is deployment.node(0).connection
        assert fresh.connection is not node.connection
        assert fresh.configuration().ok().limits == deployment.limits
        deployment.kill(0)
        assert node.configuration().status.local
        other.configuration().ok()
        deployment.restart(0, limits={"max_query_limit": 12})
        assert node.configuration().limits.max_query_limit == 12
        assert deployment.limits.max_query_limit == 12
        deployment.store_hold()
        assert deployment.store_is_holding()
        assert deployment.store_release()
        assert not deployment.store_is_holding()
        assert not deployment.store_release()


def test_what_a_case_found_is_not_hidden_by_trouble_afterwards(adapter_argv: Argv) -> None:
    def case(pool: Pool) -> None:
        with pool.exclusive():
            pool.close()  # the adapter is gone: stopping the deployment will fail
            pytest.fail("the finding")

    with by_adapter(adapter_argv()) as pool, pytest.raises(pytest.fail.Exception, match="the finding"):
        case(pool)


def test_a_start_that_fails_is_told_again_without_another_start(adapter_argv: Argv, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with by_adapter(adapter_argv("--one-endpoint", "--log", str(log))) as pool:
        for _ in range(2):
            with pytest.raises(TargetError, match=r"^The adapter fake was asked for 2 endpoints and started fewer\.$"):
                pool.deployment("two-endpoints")
    assert commands(log) == ["hello", "start", "stop", "end"]


def test_an_address_that_an_adapter_made_up_is_told(adapter_argv: Argv) -> None:
    refused = r"^127\.0\.0\.1:1 refuses connections: is the backend running there\?$"
    with by_adapter(adapter_argv("--on-start", "dead")) as pool, pytest.raises(TargetError, match=refused):
        pool.deployment("default")


def refusing(code: grpc.StatusCode) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def refuse(request: bytes, context: grpc.ServicerContext) -> bytes:
        context.abort(code, "not today")
        return request

    return refuse


def test_a_target_without_a_lawful_configuration_is_tested_with_the_defaults(serve: Serve) -> None:
    for answers in ({}, {"GetConfiguration": refusing(grpc.StatusCode.INTERNAL)}, {"GetConfiguration": b"\xff"}):
        with Pool(Source.at(serve(answers))) as pool:
            assert pool.deployment("default").limits == Limits.unpublished()


@pytest.mark.parametrize(
    ("code", "token", "sentence"),
    [
        ("UNAVAILABLE", None, 'does not answer GetConfiguration (UNAVAILABLE "not today"): is the backend up?'),
        (
            "UNAUTHENTICATED",
            None,
            'refuses GetConfiguration (UNAUTHENTICATED "not today"): name a variable with a token as token_env '
            "in deployment.toml.",
        ),
        (
            "PERMISSION_DENIED",
            "some-token",
            'refuses GetConfiguration (PERMISSION_DENIED "not today"): check the token that token_env names '
            "in deployment.toml.",
        ),
    ],
)
def test_a_target_that_cannot_be_used_is_named(serve: Serve, code: str, token: str | None, sentence: str) -> None:
    address = serve({"GetConfiguration": refusing(grpc.StatusCode[code])})
    with Pool(Source.at(address, token=token)) as pool, pytest.raises(TargetError) as raised:
        pool.deployment()
    assert str(raised.value) == f"{address} {sentence}"


def test_every_connection_of_a_deployment_carries_the_token_and_records_for_the_case(serve: Serve) -> None:
    seen: list[object] = []

    def configuration(request: bytes, context: grpc.ServicerContext) -> bytes:
        del request
        seen.append(dict(context.invocation_metadata()).get("authorization"))
        return CONFIGURATION

    recorder = Recorder()
    with Pool(Source.at(serve({"GetConfiguration": configuration}), token="t0ken-t0ken")) as pool:  # noqa: S106 - made up
        deployment = pool.deployment()
        seen.clear()
        with recording(recorder):
            for node in (deployment.node(), deployment.fresh_node()):
                node.configuration().ok()
    assert seen == ["Bearer t0ken-t0ken"] * 2
    assert [call.number for call in recorder.calls] == [1, 2]


def test_a_deployment_may_be_closed_twice(serve: Serve) -> None:
    deployment = Deployment("default", [serve({"GetConfiguration": CONFIGURATION})])
    deployment.close()
    deployment.close()
    assert not deployment.started_here
