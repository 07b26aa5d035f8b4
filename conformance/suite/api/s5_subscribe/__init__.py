"""Section 5: Subscribe and SubscribeStatic."""
