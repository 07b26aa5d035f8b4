"""An address is read in the forms people write, and every other form is refused with its fix."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.target.address import host_and_port, parse_address
from conformance.target.errors import TargetError

ports = st.integers(1, 65535)
hosts = st.one_of(
    st.from_regex(r"[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?(\.[a-z]{2,8}){0,2}", fullmatch=True),
    st.ip_addresses(v=4).map(str),
)


@given(hosts, ports, st.sampled_from(["{}", "http://{}", "HTTP://{}/", " {} "]))
def test_a_host_and_a_port_are_read_in_every_form(host: str, port: int, form: str) -> None:
    address = parse_address(form.format(f"{host}:{port}"))
    assert address == f"{host}:{port}"
    assert host_and_port(address) == (host, port)


@given(st.ip_addresses(v=6), ports)
def test_an_ipv6_address_stands_in_brackets(host: ipaddress.IPv6Address, port: int) -> None:
    address = parse_address(f"[{host}]:{port}")
    assert address == f"[{host}]:{port}"
    assert host_and_port(address) == (str(host), port)


FORMS = "write HOST:PORT, for example localhost:5050 or [::1]:5050"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("localhost", f'"localhost" names no port: {FORMS}.'),
        ("localhost:", f'"localhost:" names no port: {FORMS}.'),
        ("[::1]", f'"[::1]" names no port: {FORMS}.'),
        ("", f'"" names no host: {FORMS}.'),
        (":5050", f'":5050" names no host: {FORMS}.'),
        ("a b:1", f'"a b:1" names no host: {FORMS}.'),
        ("user@host:1", f'"<redacted>@host:1" names no host: {FORMS}.'),
        ("host/path:1", f'"host/path:1" names no host: {FORMS}.'),
        ("localhost:0", '"localhost:0" has the port "0", but a port is 1 to 65535.'),
        ("localhost:65536", '"localhost:65536" has the port "65536", but a port is 1 to 65535.'),
        ("localhost:http", '"localhost:http" has the port "http", but a port is 1 to 65535.'),
        ("http://localhost:80/api", '"http://localhost:80/api" has the port "80/api", but a port is 1 to 65535.'),
        ("localhost:٣", '"localhost:٣" has the port "٣", but a port is 1 to 65535.'),
        ("::1:5050", f'"::1:5050" has several colons; an IPv6 address stands in brackets: {FORMS}.'),
        ("[localhost]:1", f'"[localhost]:1" holds no IPv6 address between its brackets: {FORMS}.'),
        ("[::1]x:1", f'"[::1]x:1" is no address: {FORMS}.'),
        ("dns:///host:1", f'"dns:///host:1" is no address: {FORMS}.'),
        ("https://h:1", '"https://h:1" asks for TLS, but plaintext gRPC is expected: give a plaintext HOST:PORT.'),
        ("\x1b[2Jlocalhost", f'"[2Jlocalhost" names no host: {FORMS}.'),
    ],
)
def test_other_forms_are_refused_with_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(TargetError) as raised:
        parse_address(text)
    assert str(raised.value) == sentence


@given(st.text(max_size=30))
def test_any_other_text_is_refused_in_one_line(text: str) -> None:
    with suppress(TargetError):
        host, port = host_and_port(parse_address(text))
        assert host
        assert 1 <= port <= 65535
        return
    with pytest.raises(TargetError, match=r"^.+\.$"):
        parse_address(text)


@pytest.mark.parametrize("text", ["user:hunter2@host:1", "http://user:hunter2@host:1", "https://host:1/?token=hunter2"])
def test_credentials_in_an_address_are_not_quoted(text: str) -> None:
    with pytest.raises(TargetError) as told:
        parse_address(text)
    assert "hunter2" not in str(told.value)
    assert "host" in str(told.value)
