"""API-212: a key package has the metadata of its kind: the topic of its installation, and no flag."""

from __future__ import annotations

from conformance.craft.draw import Draw
from conformance.craft.key_package import new_key_package
from conformance.craft.topics import topic_of
from conformance.oracle.publish import one_meta_per_envelope
from conformance.suite import covers
from conformance.target.node import Node
from conformance.target.settled import settled_newest


@covers("API-212.b")
def test_the_signature_key_decides_the_topic_of_a_key_package(node: Node, draw: Draw) -> None:
    """API-212.b: a key package is filed under the key of its leaf, whatever other keys and names stand in it."""
    envelope = new_key_package(draw, draw.installation_key())
    topic, metas = topic_of(envelope), node.publish(envelope).metas
    one_meta_per_envelope([topic], metas)
    one_meta_per_envelope([topic], [seen.meta for seen in settled_newest(node, topic).results])
