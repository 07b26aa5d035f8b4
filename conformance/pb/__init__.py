"""Wire types generated from proto/, in a descriptor pool of their own.

Regenerate with `make proto`. Nothing here touches the default descriptor pool, so these types live beside any other
stubs of the same packages in one process.
"""
