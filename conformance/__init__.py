"""Executable conformance suite for the XMTP backend API and message-sending contracts."""

__version__ = "0.1.0"
