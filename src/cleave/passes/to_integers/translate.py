"""Bit vectors to integers: a program over Int that does what the given one does, as long as nothing overflows.

    proc f(x: (_ BitVec 32))                      proc f(x: Int)
      a: havoc x                                    a: havoc x; assume (<= -2147483648 x 2147483647)
         assume (bvslt x y)                            assume (< x y)
         x := (bvadd x 1)                              assert (<= (+ x 1) 2147483647)      CHECKED only
                                                       x := (+ x 1)

Each execution of the given program has one here in which every variable is the number that its bits mean, signed or
unsigned (`readings`); it ends early only where an assertion says that an operation leaves its range. What has no
counterpart on integers, such as the conjunction of two unknown words, becomes any value that it could have. So what is
safe here is safe there, under the assumption that `Integers` names, and a violation here is one to be tried there:
blocks keep their labels, so paths are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cleave.ir.integers import Integers
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Havoc,
    Location,
    Procedure,
    Program,
    Statement,
)
from cleave.logic.sorts import INT
from cleave.logic.terms import TRUE, Term, conj_all, var
from cleave.passes.effects import callees
from cleave.passes.flow import live_at_entry
from cleave.passes.fresh import FreshNames, variable_names
from cleave.passes.to_integers.numbers import Reading, in_range
from cleave.passes.to_integers.readings import Readings
from cleave.passes.to_integers.terms import Terms, over_integers, refused
from cleave.records import dataclass

OVERFLOWS = "an operation overflows"
"""What is violated where an operation on integers leaves the range of its type."""


def to_integers(program: Program, integers: Integers) -> Program:
    """``program`` with the integers that are wanted; it is sequential."""
    if integers is Integers.BITS:
        return program
    if program.constants or program.functions or program.axioms:
        raise refused("constants, functions and axioms", None)
    readings, names = Readings(program), variable_names(program)
    called = {name for procedure in program.procedures.values() for name in callees(procedure)}
    made = {
        name: _Translation(program, procedure, readings, names, integers).run(begins=name not in called)
        for name, procedure in program.procedures.items()
    }
    return replace(program, globals=tuple(map(over_integers, program.globals)), procedures=made)


@dataclass(slots=True)
class _Translation:
    program: Program
    procedure: Procedure
    readings: Readings
    names: FreshNames
    integers: Integers

    def run(self, *, begins: bool) -> Procedure:
        """``begins``: nobody calls it, so nothing else tells what its variables hold in the beginning."""
        given = self.procedure
        if given.requires or given.ensures:
            raise refused("contracts", given.location)
        chosen: list[Term] = []
        blocks = {label: self._block(block, chosen) for label, block in given.blocks.items()}
        if blocks:
            first = blocks[given.entry.label]
            known = self._ranges(self._initial(begins=begins), first.location)
            blocks[first.label] = replace(first, statements=(*known, *first.statements))
        return replace(
            given,
            parameters=tuple(map(over_integers, given.parameters)),
            returns=tuple(map(over_integers, given.returns)),
            locals=(*map(over_integers, given.locals), *chosen),
            modifies=tuple(map(over_integers, given.modifies)),
            blocks=blocks,
        )

    def _initial(self, *, begins: bool) -> tuple[Term, ...]:
        """What is read before anything in the procedure, or its caller, sets it."""
        given = self.procedure
        live = live_at_entry(given.blocks, frozenset(given.returns))[given.entry.label]
        unset = tuple(v for v in (*given.returns, *given.locals) if v in live)
        return (*self.program.globals, *given.parameters, *unset) if begins else unset

    def _block(self, block: Block, chosen: list[Term]) -> Block:
        made = [one for statement in block.statements for one in self._statement(statement, chosen)]
        return replace(block, statements=tuple(made))

    def _statement(self, statement: Statement, chosen: list[Term]) -> Iterator[Statement]:
        place = statement.location
        terms = Terms(self._reading, self._fresh, place, wraps=self.integers is Integers.EXACT)
        made = self._translated(statement, terms)
        chosen += terms.chosen
        if terms.chosen:
            yield Havoc(tuple(terms.chosen), place)
        facts = conj_all(terms.facts)
        if facts is not TRUE:
            yield Assume(facts, place)
        if self.integers is Integers.CHECKED and terms.condition is not TRUE:
            yield Assert(terms.condition, OVERFLOWS, place)
        yield made
        yield from self._ranges(self._unknown(statement), place)

    def _translated(self, statement: Statement, terms: Terms) -> Statement:
        match statement:
            case Assume(condition):
                return replace(statement, condition=terms.value(condition, Reading.SIGNED))
            case Assert(condition):
                return replace(statement, condition=terms.value(condition, Reading.SIGNED), values=())
            case Assign(targets, values):
                made = [terms.value(v, self._reading(t)) for t, v in zip(targets, values, strict=True)]
                return replace(statement, targets=tuple(map(over_integers, targets)), values=tuple(made))
            case Havoc(targets):
                return replace(statement, targets=tuple(map(over_integers, targets)))
            case Call(name, arguments, results):
                callee = self.program.procedures[name]
                made = [
                    terms.value(argument, self.readings.of(name, parameter))
                    for argument, parameter in zip(arguments, callee.parameters, strict=True)
                ]
                return replace(statement, arguments=tuple(made), results=tuple(map(over_integers, results)))
            case _:
                raise refused("the variables of threads", statement.location)

    def _unknown(self, statement: Statement) -> tuple[Term, ...]:
        """The variables that ``statement`` gives values about which nothing else is said."""
        match statement:
            case Havoc(targets):
                return targets
            case Call(name, _, results) if not self.program.procedures[name].has_body:
                return (*results, *self.program.procedures[name].modifies)
            case _:
                return ()

    def _ranges(self, variables: tuple[Term, ...], place: Location | None) -> Iterator[Statement]:
        """That they are numbers of their types."""
        bits = [v for v in variables if v.sort.is_bitvec]
        if bits:
            yield Assume(conj_all(in_range(over_integers(v), self._reading(v), v.sort.width) for v in bits), place)

    def _reading(self, variable: Term) -> Reading:
        return self.readings.of(self.procedure.name, variable)

    def _fresh(self) -> Term:
        return var(self.names.like("word"), INT)
