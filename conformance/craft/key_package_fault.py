"""How a faulty key package is described: what it makes of a good one, with that good one as its twin."""

from __future__ import annotations

from collections.abc import Callable

from conformance.craft.catalogue import Malformed, Pair
from conformance.craft.draw import Draw
from conformance.craft.encodings import encoded
from conformance.craft.key_package import Parts, Sign, key_package_envelope, signer, usual_parts
from conformance.craft.topics import Kind

# makes the faulty package from the parts of the good one and what signs as its installation
Make = Callable[[Draw, Parts, Sign], bytes]
Change = Callable[[Draw, Parts], Parts]


def faulty(name: str, make: Make, *, clause: str, reason: int, also: tuple[int, ...] = ()) -> Malformed:
    """Describe a faulty package; `reason` and `also` as in `Malformed`."""

    def pair(draw: Draw) -> Pair:
        key = draw.installation_key()
        parts, sign = usual_parts(draw, key), signer(draw, key)
        return Pair(
            broken=encoded(key_package_envelope(make(draw, parts, sign))),
            twin=encoded(key_package_envelope(parts.encoded(sign))),
        )

    return Malformed(
        name=f"key-package-{name}", kind=Kind.KEY_PACKAGE, clause=clause, reason=reason, also=also, make=pair
    )


def changed(change: Change) -> Make:
    """Change some parts of a package and sign it as it then is."""
    return lambda draw, parts, sign: change(draw, parts).encoded(sign)
