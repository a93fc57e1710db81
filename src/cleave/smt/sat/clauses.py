"""From formulas that are asserted to the clauses of a SAT solver.

    clauses = Clauses()
    clauses.add(eq(x, bv_binary(Op.BV_ADD, y, one)))
    clauses.gates.take()

What is asserted needs fewer gates than what is true or false: a disjunction is a clause, and an equality of a variable
that nothing has used yet is its definition.
"""

from __future__ import annotations

from cleave.logic.terms import Op, Term
from cleave.smt.sat.blasting import Blasting
from cleave.smt.sat.gates import Gates


class Clauses:
    def __init__(self) -> None:
        self.gates = Gates()
        self.blasting = Blasting(self.gates)

    def add(self, formula: Term, guard: tuple[int, ...] = ()) -> None:
        """``guard`` are literals of which one is true where the formula need not hold."""
        waiting = [formula]
        while waiting:
            term = waiting.pop()
            if term.op is Op.AND:
                waiting += reversed(term.args)
            elif term.op is not Op.EQ or not self._equate(term, guard):
                self.gates.require((*self._alternatives(term), *guard))

    def _equate(self, equality: Term, guard: tuple[int, ...]) -> bool:
        """By giving a variable its value, where that is possible, or bit by bit; arrays only by the former."""
        left, right = equality.args
        if not guard:
            for variable, value in ((left, right), (right, left)):
                if variable.op is Op.VAR and self.blasting.define(variable, value):
                    return True
        if left.sort.is_array:
            return False
        for a, b in zip(self.blasting.bits(left), self.blasting.bits(right), strict=True):
            self.gates.require((-a, b, *guard))
            self.gates.require((a, -b, *guard))
        return True

    def _alternatives(self, term: Term) -> list[int]:
        """Literals of which one is true if and only if the term is."""
        match term.op:
            case Op.OR:
                return [self.blasting.literal(arg) for arg in term.args]
            case Op.IMPLIES:
                return [-self.blasting.literal(term.args[0]), self.blasting.literal(term.args[1])]
        return [self.blasting.literal(term)]
