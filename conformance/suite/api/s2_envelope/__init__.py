"""API section 2: the wire format, the stored bytes and their hash, the metadata the backend assigns."""
