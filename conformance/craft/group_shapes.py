"""Every shape of group message that admission must take (API-230), and those whose reading the contract leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from conformance.craft.mls_framing import (
    EXTERNAL,
    MEMBER,
    NEW_MEMBER_COMMIT,
    NEW_MEMBER_PROPOSAL,
    ContentType,
    Sender,
    private_message,
    public_message,
)
from conformance.craft.mls_objects import (
    add,
    app_data_update,
    by_reference,
    by_value,
    commit,
    external_init,
    external_psk,
    group_context_extensions,
    reinit,
    remove,
    resumption_psk,
    self_remove,
    update,
    update_path,
)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One shape of group message; `data` makes the MLSMessage for a group id of 16 bytes."""

    name: str
    content_type: ContentType
    data: Callable[[bytes], bytes]

    def __str__(self) -> str:
        return self.name

    @property
    def is_private(self) -> bool:
        """Whether the content is encrypted, so that only its type stands in the clear."""
        return self.name.startswith("private-")


def _private(name: str, data: Callable[[bytes], bytes], content_type: ContentType = ContentType.APPLICATION) -> Shape:
    return Shape(name=f"private-{name}", content_type=content_type, data=data)


def _public(name: str, sender: Sender, content_type: ContentType, content: bytes | None = None) -> Shape:
    data = partial(public_message, sender=sender, content_type=content_type, content=content)
    return Shape(name=f"public-{name}", content_type=content_type, data=data)


def _named(*shapes: Shape) -> Mapping[str, Shape]:
    return {shape.name: shape for shape in shapes}


APPLICATION, PROPOSAL, COMMIT = ContentType.APPLICATION, ContentType.PROPOSAL, ContentType.COMMIT

SHAPES: Mapping[str, Shape] = _named(
    _private("application", private_message),
    _private("proposal", partial(private_message, content_type=PROPOSAL), PROPOSAL),
    _private("commit", partial(private_message, content_type=COMMIT), COMMIT),
    _private("with-authenticated-data", partial(private_message, authenticated_data=b"\x26" * 100)),
    _private("empty-vectors", partial(private_message, encrypted_sender_data=b"", ciphertext=b"")),
    _private("long-ciphertext", partial(private_message, ciphertext=b"\x27" * 17_000)),
    _public("member-add", MEMBER, PROPOSAL, add()),
    _public("member-update", MEMBER, PROPOSAL, update()),
    _public("member-remove", MEMBER, PROPOSAL, remove()),
    _public("member-external-psk", MEMBER, PROPOSAL, external_psk()),
    _public("member-resumption-psk", MEMBER, PROPOSAL, resumption_psk()),
    _public("member-reinit", MEMBER, PROPOSAL, reinit()),
    _public("member-external-init", MEMBER, PROPOSAL, external_init()),
    _public("member-group-context-extensions", MEMBER, PROPOSAL, group_context_extensions()),
    _public("external-remove", EXTERNAL, PROPOSAL, remove()),
    _public("new-member-add", NEW_MEMBER_PROPOSAL, PROPOSAL, add()),
    _public("member-empty-commit", MEMBER, COMMIT, commit()),
    _public("member-commit-by-reference", MEMBER, COMMIT, commit((by_reference(),))),
    _public("member-commit-by-value", MEMBER, COMMIT, commit((by_value(add()), by_value(remove())))),
    _public("member-commit-with-path", MEMBER, COMMIT, commit((by_reference(),), update_path(2))),
    _public("new-member-commit", NEW_MEMBER_COMMIT, COMMIT, commit((by_value(external_init()),), update_path())),
)

# RFC 9420 forbids sending the first, and gives no rule for framing the proposals of the others: a note, no verdict
LEFT_OPEN: Mapping[str, Shape] = _named(
    _public("member-application", MEMBER, APPLICATION),
    _public("member-app-data-update", MEMBER, PROPOSAL, app_data_update()),
    _public("member-self-remove", MEMBER, PROPOSAL, self_remove()),
    _public("member-commit-of-self-remove", MEMBER, COMMIT, commit((by_value(self_remove()),))),
)


def strict_prefixes(data: bytes) -> Iterator[bytes]:
    """Cut a message at each byte, the empty prefix included: none of the pieces is a message (API-230)."""
    return (data[:size] for size in range(len(data)))
