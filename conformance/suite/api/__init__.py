"""What any backend must do: a folder per section of the API contract."""
