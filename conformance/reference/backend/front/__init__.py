"""The front of an endpoint: one port for gRPC and gRPC-Web.

A connection that begins as HTTP/2 is passed through byte by byte to the gRPC server behind; any other is taken as
HTTP/1.1 and its gRPC-Web calls are made on the server. The front is a process of its own, so that it does not slow
down the interpreter that serves.
"""
