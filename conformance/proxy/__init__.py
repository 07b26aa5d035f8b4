"""The fault-injecting middle between a client under test and a backend."""
