"""A doubtful status counts as made here, and one that only a target can send never does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.locality import made_here
from conformance.wire.transcript import Code


def test_a_late_cut_by_the_target_counts_as_our_deadline() -> None:
    def judged(code: Code, elapsed_s: float) -> bool:
        return made_here(code, "too slow", elapsed_s=elapsed_s, deadline_s=1.0)

    assert judged(Code.DEADLINE_EXCEEDED, 0.95)
    assert judged(Code.CANCELLED, 1.1)
    assert not judged(Code.DEADLINE_EXCEEDED, 0.5)
    assert not judged(Code.INTERNAL, 1.1)


@given(
    code=st.sampled_from(
        [
            Code.OK,
            Code.INVALID_ARGUMENT,
            Code.NOT_FOUND,
            Code.ALREADY_EXISTS,
            Code.FAILED_PRECONDITION,
            Code.ABORTED,
            Code.OUT_OF_RANGE,
            Code.DATA_LOSS,
        ]
    ),
    text=st.one_of(st.text(), st.sampled_from(["Stream removed (x)", "CLIENT: too large", "Deadline Exceeded"])),
    elapsed_s=st.floats(0, 100),
)
def test_a_code_that_no_library_makes_is_never_local(code: Code, text: str, elapsed_s: float) -> None:
    assert not made_here(code, text, elapsed_s=elapsed_s, deadline_s=20.0)
