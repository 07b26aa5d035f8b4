"""Why a case could not be judged: the set-up is wrong, the run could not decide it, or the target lacks a control."""

from __future__ import annotations


class TargetError(Exception):
    """The target or its description cannot be used. One sentence that names the thing and the fix; exit code 2."""


class Undecided(BaseException):
    """A case could not be decided: nothing seen proves what the target would have done. One sentence.

    No `Exception`: hypothesis would shrink it as if it were a violation, and `except Exception` would hide it.
    """


class Missing(BaseException):
    """A case needs a control that this target does not offer.

    `control` is its name in reports, such as `restart`, and `why` one sentence. No `Exception`, like Undecided.
    """

    def __init__(self, control: str, why: str) -> None:
        super().__init__(control, why)
        self.control = control
        self.why = why

    def __str__(self) -> str:
        return f"{self.control}: {self.why}"
