from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import grpc
import pytest

from conformance.pb import backend_pb2 as pb
from conformance.pb import health_pb2
from conformance.reference.backend.backend import Backend
from tests.reference.harness import (
    CONFIGURATION,
    NEWEST,
    PUBLISH,
    QUERY,
    OverWire,
    field,
    fresh_group,
    group_message,
    ids,
    newest,
    page_ids,
    publish,
    publish_error,
    publish_request,
    query,
    query_request,
    running,
)

HEALTH = "/grpc.health.v1.Health/"
CEILING = 26_214_400


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("served")) as backend:
        server = backend.server()
        yield f"127.0.0.1:{server.start('127.0.0.1:0')}"
        server.stop(5)


@pytest.fixture(scope="module")
def wire(served: str) -> Iterator[OverWire]:
    with closing(OverWire(served)) as connection:
        yield connection


def failure(wire: OverWire, path: str, request: bytes) -> grpc.RpcError:
    with pytest.raises(grpc.RpcError) as caught:
        wire(path, request)
    return caught.value


def test_publish_and_both_reads_agree_over_the_wire(wire: OverWire) -> None:
    group_id, topic = fresh_group()
    envelope = group_message(group_id, b"\0\xff" * 500)
    metas = publish(wire, envelope)
    (row,) = query(wire, topic).envelopes
    (result,) = newest(wire, topic, full=True)
    assert [row.meta, result.meta] == metas * 2
    assert row.envelope == result.envelope == envelope


def test_a_refused_publish_carries_its_detail(wire: OverWire) -> None:
    error = failure(wire, PUBLISH, publish_request(group_message(fresh_group()[0]), group_message(b"short")))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    detail = publish_error(error)
    assert detail is not None
    assert (detail.reason, detail.HasField("index"), detail.index) == (1, True, 1)
    detail = publish_error(failure(wire, PUBLISH, b"\x0a\xff"))
    assert detail is not None
    assert (detail.reason, detail.HasField("index")) == (1, False)


def test_a_refused_query_carries_no_detail(wire: OverWire) -> None:
    error = failure(wire, QUERY, pb.QueryRequest(queries=[pb.TopicQuery()]).SerializeToString())
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert publish_error(error) is None


@pytest.mark.parametrize("path", ["/xmtp.backend.v1.QueryService/Get", "/no.such.Service/Method", "/nonsense"])
def test_an_unknown_method_is_unimplemented(wire: OverWire, path: str) -> None:
    assert failure(wire, path, b"").code() == grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_a_compressed_request_is_unimplemented(wire: OverWire, compression: grpc.Compression) -> None:
    group_id, topic = fresh_group()
    request = publish_request(group_message(group_id, b"x" * 4000))
    with pytest.raises(grpc.RpcError) as caught:
        wire(PUBLISH, request, compression=compression)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert page_ids(query(wire, topic)) == []
    wire(PUBLISH, request, compression=grpc.Compression.NoCompression)
    assert len(page_ids(query(wire, topic))) == 1


@pytest.mark.parametrize("path", [PUBLISH, QUERY, NEWEST, CONFIGURATION])
def test_a_request_is_carried_up_to_the_ceiling_and_out_of_range_past_it(wire: OverWire, path: str) -> None:
    padding = field(994, b"x" * (CEILING - 6))
    assert len(padding) == CEILING
    wire(path, padding)
    error = failure(wire, path, field(994, b"x" * (CEILING - 5)))
    assert error.code() == grpc.StatusCode.OUT_OF_RANGE
    assert publish_error(error) is None


def test_the_configuration_is_whole_and_the_same_each_time(wire: OverWire) -> None:
    first = wire(CONFIGURATION, b"")
    assert wire(CONFIGURATION, b"") == first
    configuration = pb.GetConfigurationResponse.FromString(first)
    assert configuration.identifier
    assert configuration.server_version
    for table in (configuration.limits, configuration.retention, configuration.mls):
        assert all(getattr(table, number.name) for number in table.DESCRIPTOR.fields)
    assert len(configuration.limits.DESCRIPTOR.fields) == 20
    assert configuration.HasField("auth")
    assert not configuration.auth.enabled


def test_a_page_past_its_bound_fails_and_the_configuration_is_exempt(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    group_id, topic = fresh_group()
    limits = {"max_envelope_bytes": 200, "max_response_bytes": 456}
    with running(tmp_path_factory.mktemp("small"), limits=limits, timers={"drain_ms": 1}) as backend:
        backend.configuration._response += field(999, bytes(500))
        server = backend.server()
        with closing(OverWire(f"127.0.0.1:{server.start('127.0.0.1:0')}")) as wire:
            stored = [ids(publish(wire, group_message(group_id, bytes([n]) * 40)))[0] for n in range(2)]
            assert page_ids(query(wire, topic, limit=1)) == stored[:1]
            assert failure(wire, QUERY, query_request(topic)).code() == grpc.StatusCode.OUT_OF_RANGE
            assert len(wire(CONFIGURATION, b"")) > 456
        server.stop(5)


def test_health_is_reported_for_the_server_and_each_service(wire: OverWire) -> None:
    listed = health_pb2.HealthListResponse.FromString(wire(HEALTH + "List", b"")).statuses
    assert set(listed) == {
        "",
        "xmtp.backend.v1.PublishService",
        "xmtp.backend.v1.QueryService",
        "xmtp.backend.v1.ConfigurationService",
        "xmtp.backend.v1.IdentityService",
        "xmtp.backend.v1.SubscriptionService",
    }
    for service in listed:
        request = health_pb2.HealthCheckRequest(service=service).SerializeToString()
        checked = health_pb2.HealthCheckResponse.FromString(wire(HEALTH + "Check", request))
        assert checked.status == listed[service].status == health_pb2.HealthCheckResponse.SERVING
    unknown = health_pb2.HealthCheckRequest(service="no.such").SerializeToString()
    assert failure(wire, HEALTH + "Check", unknown).code() == grpc.StatusCode.NOT_FOUND
    watch = wire.channel.unary_stream(HEALTH + "Watch")(unknown, timeout=10)
    first = health_pb2.HealthCheckResponse.FromString(next(watch))
    assert first.status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    watch.cancel()


def test_a_stop_drains_running_calls_and_ends_watches(tmp_path_factory: pytest.TempPathFactory) -> None:
    group_id, topic = fresh_group()
    with running(tmp_path_factory.mktemp("draining")) as backend:
        server = backend.server()
        address = f"127.0.0.1:{server.start('127.0.0.1:0')}"
        with closing(OverWire(address)) as wire, ThreadPoolExecutor(4) as pool:
            watch = wire.channel.unary_stream(HEALTH + "Watch")(b"", timeout=30)
            statuses = [health_pb2.HealthCheckResponse.FromString(next(watch)).status]
            backend.hold.arm()
            running_call = pool.submit(publish, wire, group_message(group_id))
            tick = threading.Event()
            while not backend.hold.is_holding():
                tick.wait(0.002)
            stopping = pool.submit(server.stop, 20)
            statuses += [health_pb2.HealthCheckResponse.FromString(reply).status for reply in _until_end(watch)]
            assert statuses == [health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING]
            assert watch.code() == grpc.StatusCode.UNAVAILABLE
            late = failure(wire, QUERY, b"")
            assert late.code() == grpc.StatusCode.UNAVAILABLE
            assert late.details() == "the backend is shutting down"
            assert not stopping.done()
            backend.hold.release()
            assert len(running_call.result(10)) == 1
            stopping.result(10)
        with backend.store.current() as view:
            assert view.newest(topic, payload=False) is not None


def _until_end(stream: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from stream
    except grpc.RpcError:
        return


def test_an_address_in_use_cannot_be_served_twice(served: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("second")) as backend, pytest.raises(RuntimeError):
        backend.server().start(served)


def test_an_unexpected_error_is_internal_and_tells_the_client_nothing(
    tmp_path_factory: pytest.TempPathFactory, caplog: pytest.LogCaptureFixture
) -> None:
    class Variant(Backend):
        def serve(self, method: object, request: bytes) -> bytes:
            raise ZeroDivisionError("inner secret")

    with running(tmp_path_factory.mktemp("broken"), Variant) as backend:
        server = backend.server()
        with closing(OverWire(f"127.0.0.1:{server.start('127.0.0.1:0')}")) as wire:
            error = failure(wire, QUERY, b"")
        server.stop(5)
    assert error.code() == grpc.StatusCode.INTERNAL
    assert "secret" not in str(error.details())
    assert "inner secret" in caplog.text
