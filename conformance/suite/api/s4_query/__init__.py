"""Section 4 of the API contract: Query and QueryNewest."""
