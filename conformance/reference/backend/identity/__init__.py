"""Identity in the embedded backend: admission of identity updates, lookups, and contract wallet verdicts."""
