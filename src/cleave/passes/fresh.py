"""Names that a pass makes up: readable, and different from every name in the program.

    >>> names = FreshNames({"x", "x'1"})
    >>> names.like("x"), names.like("x"), names.like("y")
    ("x'2", "x'3", "y'1")

Starting from a name that a user wrote keeps traces and printed programs readable.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.ir.program import Program


class FreshNames:
    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def like(self, name: str) -> str:
        """A new name that starts like ``name``."""
        count = self._next.get(name, 0)
        while True:
            count += 1
            candidate = f"{name}'{count}"
            if candidate not in self._taken:
                break
        self._next[name] = count
        self._taken.add(candidate)
        return candidate


def variable_names(program: Program) -> FreshNames:
    """Fresh names for variables anywhere in ``program``."""
    taken = {v.name for v in (*program.globals, *program.constants)}
    for procedure in program.procedures.values():
        taken.update(v.name for v in (*procedure.parameters, *procedure.returns, *procedure.locals))
    return FreshNames(taken)
