"""Memory that is weaker than sequentially consistent: each thread has a buffer in which its stores wait.

    x := 1          the thread's buffer:  x = 1         memory:  x = 0
    r := x          the thread itself reads 1; any other thread reads 0
    fence full      the thread's buffer:                memory:  x = 1

A *store* is what one statement writes to ``variables`` outside of atomic blocks, once a second thread was started: all
of it together; of an array the elements, where ``a := (store a i v)`` says which. It waits in the buffer of its thread
until it *commits*, at any time between two steps of any threads. Its own thread reads the last store that waits, and
memory where none waits; other threads read memory only.

    tso     the stores of a thread commit in their order
    pso     those with an element or variable in common do; and those before a ``fence stores`` commit before later ones

An atomic block, a start of a thread and a full fence first commit all stores of their thread; what is written inside a
block is in memory at once. No store commits while a thread is in a block. A thread has ended, for those that join it,
when its stores have committed. The entry ends the program, whatever waits. Variables that are not among ``variables``
hold what a front end keeps for itself; everyone sees at once what is written to them.
"""

from __future__ import annotations

from typing import Literal, get_args

from cleave.logic.terms import Term
from cleave.records import dataclass

Model = Literal["tso", "pso"]
MODELS: tuple[Model, ...] = get_args(Model)


@dataclass(frozen=True, slots=True)
class StoreBuffers:
    """Stores to ``variables``, which are globals, wait in buffers."""

    model: Model
    variables: tuple[Term, ...]

    @property
    def keeps_order(self) -> bool:
        """Of all stores of a thread."""
        return self.model == "tso"
