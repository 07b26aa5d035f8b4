"""What any client must do: a folder per section of the SEND contract."""
