"""Nouns: frozen values without parsing and without rules."""
