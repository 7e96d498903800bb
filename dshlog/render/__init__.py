"""Reports to text and JSON."""
