"""The embedded backend: a real gRPC server over one SQLite file, simple and obviously right.

It imports the generated wire types and nothing else of the suite, so that a mistake here cannot agree with itself.
"""
