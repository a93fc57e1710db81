"""Intervals and congruences of a program's variables, at the start of each block: abstract interpretation of the ir."""

from cleave.passes.ranges.analysis import Ranges, ranges_of

__all__ = ["Ranges", "ranges_of"]
