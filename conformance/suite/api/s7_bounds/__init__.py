"""Section 7 of the API contract: bounds, errors and transport."""
