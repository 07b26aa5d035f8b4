"""The reference implementations that the suite is proved against."""
