"""Repairs that are made when they are asked for by name, and that the upgrade proves."""
