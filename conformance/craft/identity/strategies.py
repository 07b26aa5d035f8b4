"""Hypothesis strategies for histories of inboxes: plain moves, which a `World` makes into signed updates."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.craft.identity.attempts import ATTEMPTS, Attempt
from conformance.craft.identity.world import MOVES, Move

MOVE_CLASSES = tuple(f"move:{kind}" for kind in MOVES)
_MOST_INBOXES = 3
_NUMBERS = 12


def moves(*kinds: str) -> st.SearchStrategy[Move]:
    """Draw moves of some kinds, of all kinds by default."""
    return st.builds(
        Move,
        kind=st.sampled_from(kinds or MOVES),
        inbox=st.integers(0, _MOST_INBOXES - 1),
        who=st.integers(0, _NUMBERS),
        whom=st.integers(0, _NUMBERS),
    )


def histories(*, most: int = 12) -> st.SearchStrategy[list[Move]]:
    """Draw histories of at most so many moves, of several inboxes that share their people."""
    return st.lists(moves(), min_size=1, max_size=most)


def attempts(kind: str) -> st.SearchStrategy[Attempt]:
    """Draw attempts of a kind."""
    return st.builds(
        Attempt,
        kind=st.just(kind),
        inbox=st.integers(0, _MOST_INBOXES - 1),
        who=st.integers(0, _NUMBERS),
        whom=st.integers(0, _NUMBERS),
    )


def lives() -> st.SearchStrategy[list[Move | Attempt]]:
    """Draw the life of several inboxes: a move of each kind and an attempt of each kind, in any order."""
    every: list[st.SearchStrategy[Move | Attempt]] = [*map(moves, MOVES), *map(attempts, ATTEMPTS)]
    return st.tuples(*every).flatmap(lambda steps: st.permutations(list(steps)))
