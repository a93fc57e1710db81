"""The BTOR2 front end: hardware models in, `ir.horn.HornSystem` out.

    1 sort bitvec 8
    2 zero 1
    3 state 1 counter
    4 init 1 3 2
    5 one 1
    6 add 1 3 5
    7 next 1 3 6
    8 constd 1 200
    9 sort bitvec 1
    10 eq 9 3 8
    11 bad 10

Each line makes one node of the model; the nodes are made into terms in the order in which they stand. Bit vectors of
one bit are Booleans where they are states, inputs and results. All operators of the format are known; fairness and
justice (properties of infinite runs) are refused, and so is the older BTOR, whose lines look alike.
"""

from __future__ import annotations

from cleave.frontends.transitions.btor2.reader import Btor2Reader
from cleave.frontends.transitions.symbolic_system import HardwareModel
from cleave.ir.horn import HornSystem
from cleave.logic.sexpr import decode_text

__all__ = ["btor2_model", "read_btor2"]


def read_btor2(file: str, content: bytes) -> HornSystem:
    """The model in a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    return Btor2Reader(decode_text(content, file), file).system()


def btor2_model(file: str, content: bytes) -> HardwareModel:
    """The same with its inputs."""
    return Btor2Reader(decode_text(content, file), file).model()
