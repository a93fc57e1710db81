"""Horn systems made smaller, with the way back for both kinds of evidence: see `simplify`."""

from cleave.passes.horn.simplify import SimplifiedHorn, simplify_horn

__all__ = ["SimplifiedHorn", "simplify_horn"]
