"""Identity updates: who signs, what is signed, and updates that are right, odd and wrong."""
