"""Puts streams together: what they share, and what each has of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from conformance.reference.backend.bounds import Bounds
from conformance.reference.backend.responses import Responses
from conformance.reference.backend.settings import Settings
from conformance.reference.backend.store import Store
from conformance.reference.backend.streams.buckets import Buckets
from conformance.reference.backend.streams.checks import RequestChecks
from conformance.reference.backend.streams.frames import Frames, StaticFrames, SubscribeFrames
from conformance.reference.backend.streams.keepalive import Challenge, Idle
from conformance.reference.backend.streams.output import Output
from conformance.reference.backend.streams.pump import Pump, Targets
from conformance.reference.backend.streams.static import StaticStream
from conformance.reference.backend.streams.stream import Parts
from conformance.reference.backend.streams.subscribe import SubscribeStream
from conformance.reference.backend.streams.subscription import Subscription
from conformance.reference.backend.streams.tail import Tail
from conformance.reference.backend.streams.turns import Turns
from conformance.reference.backend.topics import Topics

MS = 1000


class Streams:
    """Opens the streams of one endpoint. A variant names its parts in a subclass, and that in `Backend`."""

    checks_class = RequestChecks
    subscribe_frames_class = SubscribeFrames
    static_frames_class = StaticFrames
    tail_class = Tail
    targets_class = Targets
    subscription_class = Subscription
    turns_class = Turns
    output_class = Output
    pump_class = Pump
    idle_class = Idle
    challenge_class = Challenge
    buckets_class = Buckets
    subscribe_class = SubscribeStream
    static_class = StaticStream

    def __init__(
        self, *, settings: Settings, store: Store, bounds: Bounds, topics: Topics, responses: Responses
    ) -> None:
        self.settings = settings
        self.store = store
        self.checks = self.checks_class(bounds=bounds, topics=topics)
        timers = settings.timers
        self.subscribe_frames = self.subscribe_frames_class(bounds=bounds, responses=responses, timers=timers)
        self.static_frames = self.static_frames_class(bounds=bounds, responses=responses, timers=timers)
        self.tail = self.tail_class(store)
        self.targets = self.targets_class(store)

    def subscribe(self, requests: Iterator[bytes]) -> SubscribeStream:
        """Return the stream of a Subscribe call, whose requests are not read before it runs."""
        changed = threading.Condition()
        return self.subscribe_class(
            parts=self.parts(self.subscribe_frames, changed),
            changed=changed,
            frames=self.subscribe_frames,
            checks=self.checks,
            buckets=self.buckets_class(self.settings.limits, time.monotonic()),
            challenge=self.challenge_class(self.settings.timers.pong_ms / MS),
            requests=requests,
        )

    def subscribe_static(self, request: bytes) -> StaticStream:
        """Return the stream of a SubscribeStatic call; raises the Failure of an invalid request (API-260)."""
        changed = threading.Condition()
        return self.static_class(
            parts=self.parts(self.static_frames, changed),
            changed=changed,
            frames=self.static_frames,
            request=self.checks.static(request),
        )

    def parts(self, frames: Frames, changed: threading.Condition) -> Parts:
        """Return the parts of one stream."""
        turns, output = self.turns_class(), self.output_class()
        return Parts(
            tail=self.tail,
            targets=self.targets,
            subscription=self.subscription_class(),
            turns=turns,
            output=output,
            pump=self.pump_class(store=self.store, frames=frames, turns=turns, output=output, changed=changed),
            idle=self.idle_class(self.settings.timers.keepalive_ms / MS, time.monotonic()),
        )

    def shut_down(self) -> None:
        """End every stream UNAVAILABLE, and open no more (API section 7)."""
        self.tail.shut()
