"""Recorded histories: concurrent traffic through one endpoint and two, judged as a whole by what everybody saw."""
