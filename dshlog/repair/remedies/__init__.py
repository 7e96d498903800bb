"""What cures one finding: each remedy changes a sheet and tells what it did, or leaves it alone."""
