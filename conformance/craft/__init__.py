"""What the suite sends, right and wrong: identifiers, topics, payloads, encodings, sizes and plans."""
