"""What the verbs of the target find wrong with an answer by themselves, before any oracle is asked."""

from __future__ import annotations

from typing import ClassVar

from conformance.wire.transcript import Call, StreamCall


class TargetFinding(AssertionError):  # noqa: N818 - a finding about the target, no error of the suite
    """A finding about the target, no error of the suite: the call, and a sentence for whoever builds the backend."""

    reason: ClassVar[str]

    def __init__(self, call: Call | StreamCall, sentence: str) -> None:
        self.call = call
        self.sentence = sentence
        super().__init__(sentence)
