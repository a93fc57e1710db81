"""Where execution starts: the entry procedures, and one procedure that starts any of them.

    proc $start() { s: goto s'1, s'2;  s'1: call f(x) -> (r); return;  s'2: call g() -> (); return }

A program that names its entry has one. A library has none: then every procedure with a body is one, started with any
arguments that satisfy its requires. An entry that the program also calls is started so, too: only the return of its
first activation is the end of the execution.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.errors import UsageError
from cleave.ir.path import WayBack
from cleave.ir.program import Block, Call, Procedure, Program
from cleave.logic.terms import Term, var
from cleave.passes.effects import callees
from cleave.passes.fresh import FreshNames, variable_names

CONVENTIONAL_ENTRIES = ("main", "ULTIMATE.start")


def choose_entries(program: Program, name: str | None = None) -> tuple[str, ...]:
    """The entry called ``name``; else the marked ones; else one with a conventional name; else all."""
    bodies = [p.name for p in program.procedures.values() if p.has_body]
    if name is not None:
        if name not in program.procedures:
            raise UsageError(f"there is no procedure {name!r} to start from; {_suggestion(name, bodies)}")
        if name not in bodies:
            raise UsageError(f"procedure {name!r} has no body to start from")
        return (name,)
    marked = tuple(p.name for p in program.procedures.values() if p.is_entry and p.has_body)
    if marked:
        return marked
    for conventional in CONVENTIONAL_ENTRIES:
        if conventional in bodies:
            return (conventional,)
    if not bodies:
        raise UsageError("no procedure has a body: there is nothing to verify")
    return tuple(bodies)


def _suggestion(name: str, bodies: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, bodies, n=3, cutoff=0.5) or bodies[:3]
    return f"did you mean {', '.join(close)}?" if close else "no procedure has a body"


def single_entry(program: Program, entries: tuple[str, ...]) -> tuple[Program, str, WayBack]:
    """A program with one entry procedure; contracts must have become statements before."""
    called = {callee for procedure in program.procedures.values() for callee in callees(procedure)}
    if len(entries) == 1 and entries[0] not in called:
        return program, entries[0], WayBack()
    name = FreshNames(program.procedures).like("$start")
    names = variable_names(program)
    labels = FreshNames({"start"})
    made: list[Term] = []
    blocks: dict[str, Block] = {"start": Block("start", (), ())}
    for entry in entries:
        callee = program.procedures[entry]
        arguments = tuple(var(names.like(v.name), v.sort) for v in callee.parameters)
        results = tuple(var(names.like(v.name), v.sort) for v in callee.returns)
        made += [*arguments, *results]
        label = labels.like("start")
        blocks[label] = Block(label, (Call(entry, arguments, results),), ())
    blocks["start"] = replace(blocks["start"], successors=tuple(label for label in blocks if label != "start"))
    start = Procedure(name=name, locals=tuple(made), blocks=blocks)
    back = WayBack({(name, label): None for label in blocks}, frozenset({name}))
    return replace(program, procedures={**program.procedures, name: start}), name, back
