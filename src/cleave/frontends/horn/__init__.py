"""The Horn front end: SMT-LIB text in, `ir.horn.HornSystem` out.

    >>> text = "(declare-fun P (Int) Bool) (assert (P 0)) (assert (forall ((x Int)) (not (P x))))"
    >>> system = read_horn("a.smt2", text.encode())
    >>> len(system.rules()), len(system.queries())
    (1, 1)

Accepted are CHC-COMP's format, and beyond it what can be brought into it (see `normalise`); and Z3's own commands
``declare-rel``, ``declare-var``, ``rule`` and ``query`` (see `commands`).
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from cleave.frontends.horn.commands import HornReader
from cleave.ir.horn import HornSystem
from cleave.logic.sexpr import decode_text, read_script

__all__ = ["read_horn"]


def read_horn(file: str, content: bytes) -> HornSystem:
    """The clauses in a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    with _collection_paused():
        return HornReader(read_script(decode_text(content, file), file)).system()


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Nothing made here is garbage in a cycle, and looking for some takes much of the time on a large file."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
