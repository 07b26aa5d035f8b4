"""One id for one envelope and the same everywhere (API-287, 288, 211, 212, 221, 222; invariants H1 and H2).

An envelope shown by a read is known by its payload. A receipt tells only by its index which envelope it speaks of, and
an answer may have its entries at the wrong indexes; so what contradicts a receipt is put aside and explained at the
end, when reads have shown what the ids really are (see `contradictions`).
"""

from __future__ import annotations

from conformance.oracle.history.changes import Changes
from conformance.oracle.history.contradictions import Contradictions
from conformance.oracle.history.events import Publish, Sent, Shown
from conformance.oracle.history.known import Known
from conformance.oracle.history.prefix import Prefix
from conformance.oracle.history.records import NOBODY, NOTHING, Envelope, Sighting, Value
from conformance.wire.transcript import Meta


class Identity:
    """Takes note of every sighting and judges it against the earlier ones."""

    def __init__(self, known: Known, prefix: Prefix) -> None:
        self._known = known
        self._prefix = prefix
        self.contradictions = Contradictions(known)
        self.changes = Changes(known)

    def sight(self, meta: Meta, digest: bytes | None, number: int, *, at_ns: int) -> Envelope | None:
        """Take note of metadata that operation `number` showed for a value; None when it cannot be anybody's."""
        known = self._known
        envelope = known.envelopes.get(meta.sequence_id)
        if envelope is not None:
            if envelope.meta is not meta and envelope.meta != meta:
                self._differs(envelope, meta, digest, number)
            return envelope
        if meta.sequence_id <= 0 or meta.absent:
            self._incomplete(meta, number)
            return None
        envelope = known.envelopes[meta.sequence_id] = Envelope(meta, number)
        topic = known.topic(meta.topic)
        if meta.sequence_id > topic.highest.id:
            topic.highest = Sighting(meta.sequence_id, number)
        self._prefix.enter(topic, envelope, at_ns=at_ns)
        other = topic.hashes.setdefault(meta.message_hash, meta.sequence_id)
        if other != meta.sequence_id and not self._stored_anew(other, meta.sequence_id, at_ns):
            one = known.envelopes[other]
            key = known.digest_of(one) or meta.message_hash
            self.contradictions.two_ids(key, Sighting(other, one.first), Sighting(meta.sequence_id, number))
        return envelope

    def receipt(self, publish: Publish, number: int, sent: Sent, meta: Meta) -> None:
        """Judge the entry of a publish response for the envelope sent at its index."""
        known = self._known
        value = known.values[sent.digest]
        envelope = self.sight(meta, sent.digest, number, at_ns=publish.completed_ns)
        if envelope is None or envelope.meta != meta:
            return
        if meta.topic != sent.topic:
            self.contradictions.wrong_topic(number, sent, meta)
            return
        if envelope.claimed is None:
            envelope.claimed, envelope.receipt = sent.digest, number
        elif envelope.claimed != sent.digest:
            self.contradictions.claim(number)
            self.contradictions.claim(envelope.receipt)
        if envelope.shown is not None and envelope.shown != sent.digest:
            self.contradictions.claim(number)
        if value.claimed is NOTHING:
            value.claimed = Sighting(meta.sequence_id, number)
        elif value.claimed.id != meta.sequence_id:
            self._claimed_anew(value, Sighting(meta.sequence_id, number), sent.digest, publish.completed_ns)
        if value.shown is not NOTHING and value.shown.id != meta.sequence_id:
            here = Sighting(meta.sequence_id, number)
            if not self._stored_anew(value.shown.id, here.id, publish.completed_ns):
                self.contradictions.two_ids(sent.digest, value.shown, here)

    def read(self, shown: Shown, number: int, *, at_ns: int) -> Envelope | None:
        """Judge an envelope that read `number` showed."""
        envelope = self.sight(shown.meta, shown.digest, number, at_ns=at_ns)
        if envelope is None or shown.digest is None or envelope.meta != shown.meta:
            return envelope
        if envelope.shown is None:
            envelope.shown, envelope.read = shown.digest, number
            self._recognise(envelope, shown, number, at_ns=at_ns)
        elif envelope.shown != shown.digest:
            self.contradictions.payload_changed(envelope, by=(envelope.read, number))
        return envelope

    def finish(self) -> None:
        """Explain what was put aside."""
        self.contradictions.explain()
        self.changes.explain()

    def _recognise(self, envelope: Envelope, shown: Shown, number: int, *, at_ns: int) -> None:
        """Hold the payload of an envelope, known for the first time now, against what was sent."""
        known = self._known
        value = known.values.get(envelope.shown or b"")
        if envelope.claimed is not None and envelope.claimed != envelope.shown:
            if value is None:
                self.contradictions.payload_changed(envelope, by=(envelope.receipt, number))
                return
            self.contradictions.claim(envelope.receipt)
        if value is None:
            return
        here = Sighting(shown.meta.sequence_id, number)
        for earlier in (value.shown, value.claimed):
            if earlier is not NOTHING and earlier.id != here.id and not self._stored_anew(earlier.id, here.id, at_ns):
                self.contradictions.two_ids(envelope.shown or b"", earlier, here)
        value.shown = here

    def _claimed_anew(self, value: Value, here: Sighting, digest: bytes, at_ns: int) -> None:
        """Hold a receipt against an earlier one that named another id."""
        if self._stored_anew(value.claimed.id, here.id, at_ns):
            value.claimed = here
            value.candidates = (NOBODY,)  # which of several attempts has stored it anew is not known
        else:
            self.contradictions.two_ids(digest, value.claimed, here)

    def _stored_anew(self, one: int, other: int, at_ns: int) -> bool:
        """Tell whether the lower of two ids of one value may be past its expiry: then it may be stored again (V46)."""
        envelope = self._known.envelopes.get(min(one, other))
        return envelope is not None and self._known.may_be_gone(envelope, at_ns)

    def _incomplete(self, meta: Meta, number: int) -> None:
        self._known.report(
            "H2",
            ["API-212.h"] if meta.absent else ["API-286.a"],
            "unset" if meta.absent else "id-range",
            "An answer carries metadata without "
            + (" and ".join(sorted(meta.absent)) or "a sequence id above 0")
            + ".",
            by=(number,),
            topic=meta.topic,
            ids=(meta.sequence_id,),
        )

    def _differs(self, envelope: Envelope, meta: Meta, digest: bytes | None, number: int) -> None:
        """Two different entries of metadata carry one id: two envelopes share it, or one was changed."""
        known = self._known
        value = known.digest_of(envelope)
        if value is not None and digest is not None:
            if value != digest:
                told_by = envelope.read if envelope.shown is not None else envelope.receipt
                self.contradictions.shared(envelope, meta.topic, by=(told_by, number))
                return
        elif meta.topic in known.topics:
            elsewhere = known.topics[meta.topic].hashes.get(meta.message_hash, meta.sequence_id)
            if elsewhere != meta.sequence_id:
                by = (known.envelopes[elsewhere].first, envelope.first, number)
                self.contradictions.shared(envelope, meta.topic, by=by)
                return
        self.changes.shown(envelope, meta, number)
