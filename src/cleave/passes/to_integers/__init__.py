"""Bit vectors to mathematical integers."""

from cleave.passes.to_integers.translate import OVERFLOWS, to_integers

__all__ = ["OVERFLOWS", "to_integers"]
