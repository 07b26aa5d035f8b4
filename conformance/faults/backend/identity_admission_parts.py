"""What faults of the admission of identity updates are made of: a backend with other parts of its identity."""

from __future__ import annotations

from conformance.reference.backend.backend import Backend
from conformance.reference.backend.identity.service import Identity
from conformance.reference.backend.publisher import Publisher


def with_identity(*, publisher: type[Publisher] = Publisher, **parts: type) -> type[Backend]:
    """Make a backend with these parts of `Identity`, named as there, and for the rest with those it should have."""

    class MadeIdentity(Identity):
        pass

    for name, part in parts.items():
        if not hasattr(Identity, name):
            raise ValueError(f"Identity has no part called {name}")
        setattr(MadeIdentity, name, part)

    class Made(Backend):
        identity_class = MadeIdentity
        publisher_class = publisher

    return Made
