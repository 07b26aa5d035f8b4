"""The frames of one recorded stream, held against the rules of Subscribe and SubscribeStatic (API section 5).

`findings` lists what contradicts the contract, `judge` raises it for the clauses a test is about, `notes` tells what
decides nothing. Each rule has a module. A rule compares places in the record, where a frame sent stands before
whatever it can have caused, and never takes an order between streams or across topics for granted. Two rules need a
time and are asked for by name: `delivered_in_time` and `silence_broken`.
"""

from conformance.oracle.frames.facts import Finding, Known, Receipt
from conformance.oracle.frames.judge import caught_up_together, findings, judge, notes
from conformance.oracle.frames.progress import delivered_in_time, silence_broken

__all__ = [
    "Finding",
    "Known",
    "Receipt",
    "caught_up_together",
    "delivered_in_time",
    "findings",
    "judge",
    "notes",
    "silence_broken",
]
