"""API section 1: sequence ids are unique and rising, reads return prefixes, Query reads its own writes."""
