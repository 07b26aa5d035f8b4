"""Faults and variations of QueryNewest (API-244), and its malformed topics (API-240)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from conformance.faults.registry import Variant
from conformance.pb.backend_pb2 import ClientEnvelope, QueryNewestRequest, QueryNewestResponse, Topic
from conformance.reference.backend.backend import Backend
from conformance.reference.backend.clock import Clock
from conformance.reference.backend.failure import Failure
from conformance.reference.backend.readers import NewestReader
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.store import Store, Stored, View

LAG_NS = 40_000_000
