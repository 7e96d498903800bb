"""The disk: open, list, find."""
