"""Intervals and congruences of variables prove checks and tell invariants, before any search."""
