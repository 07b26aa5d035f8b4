"""Bytes on the network, without opinion: raw gRPC calls, the transcript of a case, and the wire form of messages."""
