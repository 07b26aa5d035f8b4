"""Proves that the suite can fail: every seeded fault must turn its clauses red, and nothing right may."""
