"""API section 3: publishing is atomic, ordered and idempotent, names what fails, and admits by kind."""
