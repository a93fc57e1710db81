"""Which place of a program a predicate of its clauses speaks of, and in which words of the program.

    proc f(p) -> (r)  { b: g := g + p; goto h;  h: r := g; goto h, e;  e: return }

    f(a0, a1, a2)     f's return:  p, old(g), r           f:h(a0, a1, a2)    before h:  p, old(g), g

So whatever holds of all facts of ``f`` can be written as an ``ensures`` of it, and what holds of those of ``f:h`` as an
assumption at the start of that block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cleave.ir.program import Procedure, Program, is_old, old
from cleave.logic.terms import Term, var
from cleave.passes.to_horn.encoding import Names
from cleave.passes.to_horn.interfaces import Facts
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The start of block ``label``, or (None) the return of the procedure. ``arguments`` are the predicate's: variables
    of the program, and ``old`` ones for values at the entry; None for what the program has no variable for, such as a
    function that became an array."""

    procedure: str
    label: str | None
    arguments: tuple[Term | None, ...]


def places_of(program: Program, facts: Mapping[str, Facts], names: Names) -> dict[str, Place]:
    """By predicate, those that ``program`` has: the one that was translated, before all passes."""
    return dict(_places(program, facts, names))


def _places(program: Program, facts: Mapping[str, Facts], names: Names) -> Iterator[tuple[str, Place]]:
    for name, predicate in names.summaries.items():
        if name in program.procedures:
            known = _Known(program, program.procedures[name])
            interface = facts[name].interface
            inputs = tuple(known.at_entry(variable) for variable in interface.inputs)
            yield predicate, Place(name, None, (*inputs, *map(known.now, interface.outputs)))
    for (name, label), predicate in names.cuts.items():
        if name in program.procedures and label in program.procedures[name].blocks:
            known = _Known(program, program.procedures[name])
            yield predicate, Place(name, label, tuple(map(known.now, facts[name].state[label])))


class _Known:
    """The variables that a procedure of the program can speak of; another sort makes another variable."""

    def __init__(self, program: Program, procedure: Procedure) -> None:
        self._globals = frozenset(program.globals)
        self._own = frozenset((*procedure.parameters, *procedure.returns, *procedure.locals, *program.constants))

    def now(self, variable: Term) -> Term | None:
        named = var(variable.name[4:-1], variable.sort) if is_old(variable) else variable
        return variable if named in self._globals or named in self._own else None

    def at_entry(self, variable: Term) -> Term | None:
        """A parameter in an ``ensures`` is what the caller passed."""
        return old(variable) if variable in self._globals else self.now(variable)
