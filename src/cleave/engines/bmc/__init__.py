"""Bounded model checking of sequential programs, bit-precise: unfolded, and decided by a SAT solver."""
