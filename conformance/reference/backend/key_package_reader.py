"""Reads leaf nodes and key packages (RFC 9420 sections 7.2 and 10): structure only, no value is judged.

Lengths, tags and presence bytes must fit. Whoever reads a whole object checks that nothing follows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.reference.backend.tls_reader import TlsError, TlsReader

BASIC_CREDENTIAL = 1
X509_CREDENTIAL = 2

LEAF_OF_KEY_PACKAGE = 1
LEAF_OF_UPDATE = 2
LEAF_OF_COMMIT = 3


@dataclass(frozen=True, kw_only=True)
class Lifetime:
    """When a key package may be used: from `not_before` to just before `not_after`, seconds since the epoch."""

    not_before: int
    not_after: int


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a client says it supports; the numbers of each list in the order given."""

    versions: tuple[int, ...]
    cipher_suites: tuple[int, ...]
    extensions: tuple[int, ...]
    proposals: tuple[int, ...]
    credentials: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class LeafNode:
    """One leaf node; `identity` is None for a credential that is not basic, `signed` are the bytes it begins with."""

    encryption_key: bytes
    signature_key: bytes
    credential_type: int
    identity: bytes | None
    capabilities: Capabilities
    source: int
    lifetime: Lifetime | None
    extension_types: tuple[int, ...]
    signature: bytes
    signed: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class KeyPackage:
    """One key package; `signed` is all of it but its own signature."""

    version: int
    cipher_suite: int
    init_key: bytes
    leaf: LeafNode
    extension_types: tuple[int, ...]
    signature: bytes
    signed: bytes = field(repr=False)


def whole_key_package(data: bytes) -> KeyPackage:
    """Read a key package that takes up every byte of `data` (API-230); TlsError when it does not."""
    reader = TlsReader(data)
    package = read_key_package(reader)
    if not reader.at_end:
        raise TlsError("bytes follow the key package")
    return package


def read_key_package(reader: TlsReader) -> KeyPackage:
    """Read one KeyPackage (section 10)."""
    start = reader.position
    version = reader.u16()
    cipher_suite = reader.u16()
    init_key = reader.opaque()
    leaf = read_leaf_node(reader)
    extension_types = read_extensions(reader)
    signed = reader.since(start)
    return KeyPackage(
        version=version,
        cipher_suite=cipher_suite,
        init_key=init_key,
        leaf=leaf,
        extension_types=extension_types,
        signature=reader.opaque(),
        signed=signed,
    )


def read_leaf_node(reader: TlsReader) -> LeafNode:
    """Read one LeafNode (section 7.2)."""
    start = reader.position
    encryption_key = reader.opaque()
    signature_key = reader.opaque()
    credential_type = reader.u16()
    identity = _read_identity(reader, credential_type)
    capabilities = _read_capabilities(reader)
    source = reader.u8()
    lifetime = _read_by_source(reader, source)
    extension_types = read_extensions(reader)
    signed = reader.since(start)
    return LeafNode(
        encryption_key=encryption_key,
        signature_key=signature_key,
        credential_type=credential_type,
        identity=identity,
        capabilities=capabilities,
        source=source,
        lifetime=lifetime,
        extension_types=extension_types,
        signature=reader.opaque(),
        signed=signed,
    )


def read_extensions(reader: TlsReader) -> tuple[int, ...]:
    """Read a list of extensions and return their types; what is in them is nobody's concern here."""
    items = reader.vector()
    types = []
    while not items.at_end:
        types.append(items.u16())
        items.opaque()
    return tuple(types)


def _read_identity(reader: TlsReader, credential_type: int) -> bytes | None:
    if credential_type == BASIC_CREDENTIAL:
        return reader.opaque()
    if credential_type != X509_CREDENTIAL:
        raise TlsError(f"credential type {credential_type}")
    certificates = reader.vector()
    while not certificates.at_end:
        certificates.opaque()
    return None


def _read_capabilities(reader: TlsReader) -> Capabilities:
    return Capabilities(
        versions=_read_numbers(reader),
        cipher_suites=_read_numbers(reader),
        extensions=_read_numbers(reader),
        proposals=_read_numbers(reader),
        credentials=_read_numbers(reader),
    )


def _read_numbers(reader: TlsReader) -> tuple[int, ...]:
    items = reader.vector()
    numbers = []
    while not items.at_end:
        numbers.append(items.u16())
    return tuple(numbers)


def _read_by_source(reader: TlsReader, source: int) -> Lifetime | None:
    if source == LEAF_OF_KEY_PACKAGE:
        not_before = reader.u64()
        return Lifetime(not_before=not_before, not_after=reader.u64())
    if source == LEAF_OF_COMMIT:
        reader.opaque()  # parent_hash
    elif source != LEAF_OF_UPDATE:
        raise TlsError(f"leaf node source {source}")
    return None
