"""Checks that a program with threads has no violation, by an unfolding and encodings of its own: see `check`."""
