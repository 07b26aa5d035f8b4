"""What an identity update does to its inbox, whether it must be admitted, and what every identifier resolves to."""
