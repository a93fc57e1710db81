"""Intervals and congruences of variables prove checks and give invariants, before any search."""
