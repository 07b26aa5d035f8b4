"""Recorded histories: what many clients did at the same time, and whether one lawful backend can explain it.

`events` has the recorded facts, `check` goes over them once and lists what contradicts the contract, and `judge` turns
the findings about given clauses into a Violation. The invariants H1 to H13 are named where each is checked.
"""
