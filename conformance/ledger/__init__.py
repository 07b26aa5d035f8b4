"""The two contracts as data: requirements, clauses, and how they relate to a specification and to the suite.

`load` reads api.toml and send.toml into the types of `model`; `needs` holds the words of the `needs` key; `document`
and `markup` read a specification; `drift` compares the two; `lint` checks the marks of tests and faults.
"""
