"""Tests scale themselves to what a target publishes, and know what it did not publish."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from conformance.pb import backend_pb2
from conformance.target.limits import NAMES, Limits

SECTIONS: dict[str, type[Message]] = {
    "limits": backend_pb2.LimitsConfiguration,
    "retention": backend_pb2.RetentionConfiguration,
    "mls": backend_pb2.MlsConfiguration,
}
FIELDS = {field.name: (section, field) for section, kind in SECTIONS.items() for field in kind.DESCRIPTOR.fields}


def test_there_is_a_field_for_every_number_that_the_contract_publishes() -> None:
    assert set(FIELDS) - {"commit_log_enabled"} == NAMES
    assert len(NAMES) == 20 + 3 + 2


@given(st.dictionaries(st.sampled_from(sorted(NAMES)), st.integers(0, (1 << 32) - 1)))
def test_published_values_are_taken_and_the_rest_falls_back_and_is_noted(values: dict[str, int]) -> None:
    response = backend_pb2.GetConfigurationResponse()
    for name, value in values.items():
        setattr(getattr(response, FIELDS[name][0]), name, value)
    limits = Limits.published(backend_pb2.GetConfigurationResponse.FromString(response.SerializeToString()))
    for name in NAMES:
        published = values.get(name, 0)
        assert getattr(limits, name) == (published or getattr(Limits(), name))
        assert limits.is_published(name) == bool(published)
    assert set(limits.noted) == {name for name in NAMES if not values.get(name)}


def test_without_a_configuration_the_defaults_stand_and_all_are_noted() -> None:
    limits = Limits.unpublished()
    assert set(limits.noted) == NAMES
    assert (limits.max_envelope_bytes, limits.max_request_bytes, limits.default_query_limit) == (1048576, 26214400, 100)
    assert limits.group_message_seconds == 7776000


def test_a_name_that_is_no_limit_is_an_error() -> None:
    with pytest.raises(KeyError):
        Limits().is_published("max_patience")
