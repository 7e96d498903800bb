"""The use cases: bytes and options in, one report out."""
