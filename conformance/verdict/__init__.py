"""Verdicts: from the outcomes of cases to words, results and an exit code.

Everything here is pure but for two files: the journal a run appends to, and results.json.
"""
