"""Bitwuzla's term managers, each freed after everything that was made with it.

A term, a sort or a solver that is freed after its term manager ends the process. Each one refers to its manager, so
that reference counts keep the order; but Python's collector of cycles takes objects apart in any order, and a cycle is
soon made: a frame that holds terms, and an exception that holds the frame. So each manager is held here as well, until
nothing else refers to it.
"""

from __future__ import annotations

import sys
from itertools import count
from typing import Any

import bitwuzla

_managers: dict[int, Any] = {}
_numbers = count()
_OWN_REFERENCES = 3  # by the table, by the variable of `free_managers`, by the call that counts


def new_manager() -> Any:
    """A term manager. Those that nothing refers to any more are freed first."""
    free_managers()
    manager = _managers[next(_numbers)] = bitwuzla.TermManager()
    return manager


def free_managers(_managers: dict[int, Any] = _managers) -> None:
    """Frees the managers that nothing else refers to. Any thread and any finalizer may call it. (The default argument
    is for the end of the process, when the module's own names are gone.)"""
    for number in list(_managers):
        manager = _managers.get(number)
        if manager is not None and sys.getrefcount(manager) <= _OWN_REFERENCES:
            _managers.pop(number, None)
