"""Streams of the embedded backend: Subscribe and SubscribeStatic (API section 5).

The store is the queue. A stream builds its next frame only when the transport has taken the one before, so a frame
never waits behind another; history and live rows come out of the same read above a cursor, so there is no seam between
them; and since a topic fills in ascending order (API-201), a gap that a publish still holds open hides what is above
it. Frames that answer a request (Applied, Pong) wait in a queue of their own and go before any Messages frame.

Threads: the worker of the call builds and sends (`Stream.run`), one thread for each Subscribe reads its requests
(`SubscribeStream.read_requests`), one thread for the endpoint notices what any endpoint has committed (`Tail`).

One rule, one method; a variant overrides it in a subclass named in a subclass of `service.Streams`, and names that in
`Backend.streams_class`:

| rule | seam |
| --- | --- |
| Started comes first (API-250) | `SubscribeStream.opening` |
| Started of a static stream has the targets (API-260) | `StaticStream.opening` |
| requests are read only after Started (API-250) | `SubscribeStream.opened` |
| what each request frame does | `SubscribeStream.on_request`, `.on_update`, `.on_ping`, `.on_pong`, `.on_half_close` |
| an invalid update or static request (API-251, API-260, bounds) | `RequestChecks.*`, one method a rule |
| adds and removes are idempotent, ids move on (API-252, API-253) | `Subscription.apply`, `.add`, `.remove` |
| registered before its target is read (API-252) | `SubscribeStream.register` |
| what a target is (API-252, API-260) | `Targets.read`, `.head` |
| what Applied lists | `SubscribeStream.applied` |
| no Messages before Applied (API-252, API-253) | `SubscribeStream.acknowledge`, `Pump.next_turn` |
| what a stream sends next, and why it ends | `Stream.next_frame`, `.pending_frame` |
| the rows of a turn, in order, none left out (API-254) | `Pump.fill`, `.rows`, `.view` |
| fair catch-up (API-261) | `Turns.wake`, `.take`, `.end`, `Pump.rows_per_turn` |
| the room of a frame | `Frames.limit`, `MessagesFrame.add`; control frames: `Frames.control` |
| the form of each frame | `SubscribeFrames.*`, `StaticFrames.*` |
| the published interval | `Frames.interval_ms` |
| an idle stream shows that it lives (API-255) | `Idle.sent`, `.due_at`, `sign_of_life` of both kinds |
| no second Ping while one is unanswered (API-255, API-257) | `SubscribeStream.sign_of_life_at` |
| nonces and the wait for the Pong (API-257) | `Challenge.ask`, `.taken`, `.answer`, `.is_missed` |
| the status of a missed Pong (API-257) | `SubscribeStream.check_pong` |
| rates (API-258) | `TokenBucket.take`, `Buckets.update`, `.ping` |
| output bound of a stalled stream (API section 5) | `Output.held`, `.is_stalled`, `.is_over`; `Stream.overflow` |
| noticing commits of every endpoint | `Tail.arrivals`, `.dispatch`; `Stream.arrived` |
| the store fails under the streams; shutdown | `Tail.lost`, `Tail.shut` |
"""
