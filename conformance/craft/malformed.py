"""Everything admission must refuse as malformed (API-230.a to c, g, k, n): one catalogue over all kinds.

An entry names the twin that differs only in the fault. The envelopes are encoded bytes, because some of the faults
have no place in a message object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.craft.catalogue import Malformed, Pair, by_name
from conformance.craft.commit_log import commit_log_envelope, entry, signature
from conformance.craft.draw import Draw
from conformance.craft.encodings import UNKNOWN_FIELD, encoded
from conformance.craft.group_message import new_message
from conformance.craft.key_package_malformed import MALFORMED_KEY_PACKAGES
from conformance.craft.malformed_group import MALFORMED_GROUP
from conformance.craft.topics import Kind
from conformance.craft.welcome import pointer_envelope, welcome_envelope
from conformance.craft.wire_format import field_bytes, field_varint
from conformance.pb import backend_pb2

_WELCOME_MESSAGE = 2
_GROUP_ID = 1


def _payload(name: str, broken: bytes) -> Malformed:
    """Describe an envelope whose payload is unset; the twin is an ordinary group message."""
    return Malformed(
        name=name,
        kind=Kind.GROUP_MESSAGE,
        clause="API-230.a",
        make=lambda draw: Pair(broken=broken, twin=encoded(new_message(draw, draw.group_id()))),
    )


def _welcome_key_of(size: int, name: str, form: Callable[[bytes], backend_pb2.ClientEnvelope]) -> Malformed:
    def make(draw: Draw) -> Pair:
        key = draw.installation_key()
        return Pair(broken=encoded(form(key[:size].ljust(size, b"\x00"))), twin=encoded(form(key)))

    return Malformed(name=f"{name}-installation-key-of-{size}-bytes", kind=Kind.WELCOME, clause="API-230.b", make=make)


def _welcome_body(name: str, body: bytes) -> Malformed:
    """Describe a Welcome none of whose known versions is set."""
    return Malformed(
        name=name,
        kind=Kind.WELCOME,
        clause="API-230.n",
        make=lambda draw: Pair(
            broken=field_bytes(_WELCOME_MESSAGE, body), twin=encoded(welcome_envelope(draw.installation_key()))
        ),
    )


def _commit_log(name: str, broken: Callable[[bytes], bytes], *, clause: str = "API-230.k") -> Malformed:
    """Describe an entry; `broken` makes its serialized bytes from the group id of the twin."""

    def make(draw: Draw) -> Pair:
        group_id = draw.group_id()
        return Pair(
            broken=encoded(commit_log_envelope(broken(group_id), signed=signature())),
            twin=encoded(commit_log_envelope(entry(group_id), signed=signature())),
        )

    return Malformed(name=name, kind=Kind.COMMIT_LOG, clause=clause, make=make)


def _commit_log_group_id_of(size: int) -> Malformed:
    return _commit_log(
        f"commit-log-group-id-of-{size}-bytes",
        lambda group_id: entry(group_id[:size].ljust(size, b"\x00")),
        clause="API-230.b",
    )


MALFORMED: Mapping[str, Malformed] = by_name(
    _payload("payload-unset", b""),
    _payload("payload-of-unknown-number-only", field_bytes(UNKNOWN_FIELD, b"\x28" * 40)),
    *MALFORMED_GROUP.values(),
    *(_welcome_key_of(size, "welcome", welcome_envelope) for size in (0, 31, 33, 64)),
    *(_welcome_key_of(size, "pointer", pointer_envelope) for size in (0, 31, 33, 64)),
    _welcome_body("welcome-version-unset", b""),
    _welcome_body("welcome-version-of-unknown-number-only", field_bytes(UNKNOWN_FIELD, b"\x29" * 40)),
    _commit_log("commit-log-empty", lambda _: b"", clause="API-230.b"),
    _commit_log("commit-log-cut-in-tag", lambda _: b"\xff\xff\xff"),
    _commit_log("commit-log-field-number-0", lambda group_id: entry(group_id) + b"\x00\x00"),
    _commit_log("commit-log-cut-in-group-id", lambda group_id: entry(group_id)[:10]),
    _commit_log("commit-log-cut-in-last-field", lambda group_id: entry(group_id)[:-1]),
    _commit_log("commit-log-length-past-the-end", lambda group_id: field_bytes(_GROUP_ID, group_id)[:-1]),
    _commit_log("commit-log-group-id-as-integer", lambda _: field_varint(_GROUP_ID, 7), clause="API-230.b"),
    *(_commit_log_group_id_of(size) for size in (0, 15, 17, 32)),
    *MALFORMED_KEY_PACKAGES.values(),
)
