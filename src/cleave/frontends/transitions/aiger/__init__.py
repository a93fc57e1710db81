"""The AIGER front end: circuits of and-gates and latches in, `ir.horn.HornSystem` out.

    aag 3 1 1 1 1      how many variables, inputs, latches, outputs, gates
    2                  input 1
    4 6                latch 2, whose next value is that of variable 3
    4                  an output: latch 2
    6 3 5              variable 3 is the conjunction of not 1 and not 2

An even number 2v stands for variable v, the odd one after it for its negation; 0 and 1 are false and true. Both the
text form (``aag``) and the binary form (``aig``) are read. What must not be reached are the bad states or, as in files
of version 1.0, the outputs where no bad states are named. Justice and fairness, which are about infinite runs, are
refused.
"""

from __future__ import annotations

from cleave.frontends.transitions.aiger.circuit import hardware_model, symbolic_system
from cleave.frontends.transitions.aiger.reader import read_circuit
from cleave.frontends.transitions.symbolic_system import HardwareModel
from cleave.ir.horn import HornSystem

__all__ = ["aiger_model", "read_aiger"]


def read_aiger(file: str, content: bytes) -> HornSystem:
    """The circuit in a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    return symbolic_system(read_circuit(file, content)).horn()


def aiger_model(file: str, content: bytes) -> HardwareModel:
    """The same with its inputs."""
    return hardware_model(read_circuit(file, content))
