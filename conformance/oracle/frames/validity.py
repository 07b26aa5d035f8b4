"""Which Updates and static requests are invalid by their own shape (API-251, API-260, TOPIC-003)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.oracle.frames.reading import NothingSent, Request, Update

LARGEST_CURSOR = (1 << 63) - 1
KEY_PACKAGE_KIND = 3

# Kind byte of a topic -> length of the identifier behind it (TOPIC-001).
_IDENTIFIER_BYTES: Mapping[int, int] = {0: 16, 1: 32, 2: 32, KEY_PACKAGE_KIND: 32, 4: 16}


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Why a request frame must fail its stream, and the clauses that say so."""

    about: tuple[str, ...]
    why: str


def is_topic(topic: bytes) -> bool:
    """Tell whether bytes are a topic: a known kind and an identifier as long as it asks for."""
    return bool(topic) and len(topic) - 1 == _IDENTIFIER_BYTES.get(topic[0])


def problem_with(request: Request, *, accepted: int) -> Problem | None:
    """Say what is wrong with a request frame of Subscribe behind the accepted Update id given, None when nothing is.

    Bounds that a deployment publishes are not looked at here.
    """
    if isinstance(request, NothingSent):
        return Problem(about=("API-251.g",), why=request.why)
    if not isinstance(request, Update):
        return None
    if request.id == 0:
        return Problem(about=("API-251.a",), why="its id is 0")
    if request.id <= accepted:
        return Problem(about=("API-251.b",), why=f"its id {request.id} is not above {accepted}")
    return _problem_with_topics(
        request, absent="API-251.e", twice="API-251.c", malformed="API-251.d", cursor="API-251.f"
    )


def problem_with_static(request: Request) -> Problem | None:
    """Say what is wrong with the request of SubscribeStatic, None when nothing is."""
    if not isinstance(request, Update):
        return Problem(about=("API-260.d",), why="it is no SubscribeStaticRequest")
    if not request.adds:
        return Problem(about=("API-260.a",), why="it names no topic")
    return _problem_with_topics(
        request, absent="API-260.d", twice="API-260.a", malformed="API-260.d", cursor="API-260.d"
    )


def names_key_packages(request: Request) -> bool:
    """Tell whether a request names a key package topic, which a backend may refuse on a stream or accept (V42)."""
    return isinstance(request, Update) and any(
        topic is not None and topic[:1] == bytes([KEY_PACKAGE_KIND]) for topic in _topics(request)
    )


def _topics(update: Update) -> tuple[bytes | None, ...]:
    return (*(add.topic for add in update.adds), *update.removes)


def _problem_with_topics(update: Update, *, absent: str, twice: str, malformed: str, cursor: str) -> Problem | None:
    topics = _topics(update)
    if None in topics:
        return Problem(about=(absent,), why="an entry of it has no topic")
    named = [topic for topic in topics if topic is not None]
    if len(set(named)) < len(named):
        return Problem(about=(twice,), why="it names one topic more than once")
    wrong = next((topic for topic in named if not is_topic(topic)), None)
    if wrong is not None:
        return Problem(about=(malformed,), why=f"it names {wrong.hex() or 'no bytes'}, which is no topic")
    highest = max((add.cursor for add in update.adds), default=0)
    if highest > LARGEST_CURSOR:
        return Problem(about=(cursor,), why=f"it carries the cursor {highest}")
    return None
