"""Invariants of a program's loops, from a proof by Horn clauses, in the program's own variables.

    main:while.cond(a0, a1):  a1 <= 10 && f(a0)         at while.cond of main:  i <= 10

A conjunct that needs something else, such as a function that became an array, is left out: what is left still holds.
Variables whose name the program has more than once get other names: a reader of the source could mistake them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from cleave.ir.horn import Interpretation
from cleave.ir.program import Program
from cleave.logic.sorts import INT
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables, substitute
from cleave.passes.to_horn import HornProgram, Place
from cleave.passes.to_integers.numbers import Reading
from cleave.passes.to_integers.readings import Readings
from cleave.verdict import Invariant

_NUMBERED = re.compile(r"(.+)\.\d+")


def loop_invariants(
    program: Program | None, horn: HornProgram | None, found: Interpretation, unchecked: Collection[str]
) -> tuple[Invariant, ...]:
    """``unchecked`` are predicates whose relations nobody has confirmed."""
    if program is None or horn is None:
        return ()
    return tuple(_invariants(program, horn, {name: found[name] for name in found if name not in unchecked}))


def _invariants(program: Program, horn: HornProgram, found: Interpretation) -> Iterator[Invariant]:
    readings = Readings(program)
    for name, place in horn.places.items():
        if place.label is None or name not in found:
            continue
        clear, relation = _clear_names(program, place.procedure), found[name]
        pairs = zip(relation.parameters, place.arguments, strict=True)
        said = {parameter: own for parameter, own in pairs if own is not None}
        sayable = [part for part in _conjuncts(relation.formula) if free_variables(part) <= said.keys()]
        conditions = tuple(substitute(part, said) for part in sayable)
        if conditions:
            signed = _signed(program, place, readings)
            yield invariant_at(program, place.procedure, place.label, conditions, signed, clear)


def invariant_at(
    program: Program,
    procedure: str,
    label: str,
    conditions: tuple[Term, ...],
    signed: Mapping[str, bool],
    clear: Collection[str] | None = None,
) -> Invariant:
    """What is known at a block, in the program's variables. ``clear`` are names that no reader can mistake."""
    told = _clear_names(program, procedure) if clear is None else clear
    location = program.procedures[procedure].blocks[label].location
    used = {variable.name for condition in conditions for variable in free_variables(condition)}
    return Invariant(procedure, label, location, conditions, dict(signed), tuple(sorted(used.difference(told))))


def _signed(program: Program, place: Place, readings: Readings) -> dict[str, bool]:
    """Of the variables that the proof took for integers."""
    own = program.procedures[place.procedure]
    read = {v.name: v for v in (*program.globals, *own.parameters, *own.returns, *own.locals) if v.sort.is_bitvec}
    numbers = [one.name for one in place.arguments if one is not None and one.sort is INT and one.name in read]
    return {name: readings.of(place.procedure, read[name]) is Reading.SIGNED for name in numbers}


def _clear_names(program: Program, procedure: str) -> set[str]:
    """Of variables that no other one of the procedure is named after."""
    own = program.procedures[procedure]
    names = {variable.name for variable in (*program.globals, *own.parameters, *own.returns, *own.locals)}
    taken_twice = {numbered[1] for name in names if (numbered := _NUMBERED.fullmatch(name))}
    return {name for name in names if name.isidentifier() and name not in taken_twice}


def _conjuncts(formula: Term) -> Iterator[Term]:
    pending = [formula]
    while pending:
        part = pending.pop()
        if part.op is Op.AND:
            pending.extend(reversed(part.args))
        elif not part.is_true:
            yield part
