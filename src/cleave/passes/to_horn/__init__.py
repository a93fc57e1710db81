"""Programs to constrained Horn clauses, and derivations back to paths; see `translate`."""

from cleave.passes.to_horn.inlining import Limits
from cleave.passes.to_horn.places import Place
from cleave.passes.to_horn.translate import HornProgram, program_to_horn

__all__ = ["HornProgram", "Limits", "Place", "program_to_horn"]
