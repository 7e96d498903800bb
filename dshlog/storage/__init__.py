"""Bytes to frames to lines to JSON values, and back; nothing here knows an event type."""
