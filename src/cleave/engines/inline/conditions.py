"""The conditions of all procedures of a program."""

from __future__ import annotations

from cleave.engines.inline.condition import Condition, Interface
from cleave.engines.inline.encoding import condition_of
from cleave.ir.program import Call, Procedure, Program
from cleave.passes.background import background
from cleave.passes.effects import callees, effects
from cleave.passes.flow import strongly_connected

STRAIGHT_LIMIT = 100
"""A straight-line procedure with more statements, those of its callees included, is inlined like any other."""


class Conditions:
    """The conditions of a prepared program, each made when it is first asked for: most procedures are never inlined."""

    def __init__(self, program: Program, *, expand_straight: bool = True) -> None:
        self._program = program
        self._effects = effects(program)
        self._constants = frozenset(program.constants)
        self._background = background(program)
        self._interfaces = {
            name: Interface.of(procedure, self._effects[name]) for name, procedure in program.procedures.items()
        }
        self._made: dict[str, Condition] = {}
        self._straight = straight_procedures(program) if expand_straight else {}
        self.callees = {
            name: [callee for callee in callees(procedure) if callee not in self._straight]
            for name, procedure in program.procedures.items()
            if name not in self._straight
        }

    def __getitem__(self, name: str) -> Condition:
        found = self._made.get(name)
        if found is None:
            procedure = self._program.procedures[name]
            found = self._made[name] = condition_of(
                procedure, self._interfaces, self._constants, self._background, self._straight
            )
        return found

    def __len__(self) -> int:
        return len(self._program.procedures)


def straight_procedures(program: Program) -> dict[str, Procedure]:
    """The procedures of one block that call only such procedures."""
    graph = {name: list(callees(procedure)) for name, procedure in program.procedures.items()}
    sizes: dict[str, int] = {}
    for component in strongly_connected(graph):
        procedure = program.procedures[component[0]]
        recursive = len(component) > 1 or procedure.name in graph[procedure.name]
        if recursive or len(procedure.blocks) != 1:
            continue
        called = [s.procedure for s in procedure.statements() if isinstance(s, Call)]
        if all(callee in sizes for callee in called):
            size = len(procedure.entry.statements) + sum(sizes[callee] for callee in called)
            if size <= STRAIGHT_LIMIT:
                sizes[procedure.name] = size
    return {name: program.procedures[name] for name in sizes}
