"""Transition systems, and clauses that describe them, to `ir.horn.HornSystem`."""
