"""Linear Horn clauses as a transition system with control locations, and the evidence back; see `translate`."""

from cleave.passes.to_transitions.translate import Located, horn_to_transitions

__all__ = ["Located", "horn_to_transitions"]
