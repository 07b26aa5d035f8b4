"""Reports: everything drawn from results.json, and from nothing else.

Text that came from a target is hostile here: `text` makes it harmless before any format escapes it.
"""
