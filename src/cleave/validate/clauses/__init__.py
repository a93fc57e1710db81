"""Confirms what is said of Horn clauses: interpretations and derivations."""
