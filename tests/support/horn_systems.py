"""Random small Horn systems, and the explicit enumeration of what can be derived from them.

    system = random_system(Random(7), kind="lia")
    is_safe(system)

Every argument stays between 0 and a small bound, so that the least model is finite and can be counted out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random
from typing import Any

from cleave.ir.horn import Atom, Clause, Derivation, HornSystem, Interpretation, Predicate
from cleave.logic.sorts import BOOL, INT, Sort, bitvec
from cleave.logic.terms import (
    TRUE,
    Op,
    Term,
    add,
    bv_binary,
    bv_compare,
    conj,
    conj_all,
    eq,
    ite,
    le,
    lt,
    neg,
    sub,
    value_of,
    var,
)
from cleave.logic.walk import fold, substitute
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver

BOUND = 9


class _Maker:
    def __init__(self, random: Random, kind: str) -> None:
        self.random = random
        self.sort: Sort = INT if kind == "lia" else bitvec(8)
        self.predicates = {
            name: Predicate(name, tuple(self._sort() for _ in range(random.randint(0 if name != "P" else 1, 2))))
            for name in ("P", "Q", "R")[: random.randint(1, 3)]
        }

    def _sort(self) -> Sort:
        return BOOL if self.random.random() < 0.15 else self.sort

    def system(self) -> HornSystem:
        clauses = [
            self.clause(head, 0) for head in self.predicates.values() if head.name == "P" or self.random.random() < 0.3
        ]
        for _ in range(self.random.randint(1, 4)):
            head = self.random.choice(list(self.predicates.values()))
            clauses.append(self.clause(head, self.random.choice((1, 1, 1, 2))))
        clauses += [self.clause(None, self.random.choice((1, 1, 2))) for _ in range(self.random.choice((1, 1, 2)))]
        self.random.shuffle(clauses)
        return HornSystem(predicates=self.predicates, clauses=tuple(clauses))

    def clause(self, head: Predicate | None, width: int) -> Clause:
        chosen = [self.random.choice(list(self.predicates.values())) for _ in range(width)]
        names = iter(range(100))
        body = tuple(Atom(p.name, tuple(var(f"x{next(names)}", sort) for sort in p.sorts)) for p in chosen)
        variables = [a for atom in body for a in atom.arguments]
        if not variables or self.random.random() < 0.2:
            variables.append(var("free", self.sort))
        numbers = [v for v in variables if v.sort is not BOOL] or [self.value()]
        parts = [self.within(v) for v in numbers]
        parts += [
            self.condition(variables, numbers) for _ in range(self.random.choice((0, 1, 1, 2) if width else (2,)))
        ]
        atom = None
        if head is not None:
            arguments = tuple(self.argument(sort, variables, numbers) for sort in head.sorts)
            parts += [self.within(a) for a in arguments if a.sort is not BOOL]
            atom = Atom(head.name, arguments)
        return Clause(atom, body, conj_all(parts))

    def value(self) -> Term:
        return value_of(self.random.randint(0, BOUND), self.sort)

    def less(self, a: Term, b: Term) -> Term:
        return lt(a, b) if self.sort is INT else bv_compare(Op.BV_ULT, a, b)

    def at_most(self, a: Term, b: Term) -> Term:
        return le(a, b) if self.sort is INT else bv_compare(Op.BV_ULE, a, b)

    def within(self, a: Term) -> Term:
        return conj(self.at_most(value_of(0, self.sort), a), self.at_most(a, value_of(BOUND, self.sort)))

    def expression(self, numbers: list[Term]) -> Term:
        a = self.random.choice(numbers)
        b = self.random.choice([*numbers, self.value(), value_of(1, self.sort)])
        match self.random.randint(0, 5):
            case 0:
                return a
            case 1:
                return b
            case 2 | 3:
                return add(a, b) if self.sort is INT else bv_binary(Op.BV_ADD, a, b)
            case 4:
                return sub(a, b) if self.sort is INT else bv_binary(Op.BV_SUB, a, b)
            case _:
                return ite(self.less(a, b), a, b)

    def argument(self, sort: Sort, variables: list[Term], numbers: list[Term]) -> Term:
        if sort is not BOOL and self.random.random() < 0.6:  # long derivations need small steps
            chosen, one = self.random.choice(numbers), value_of(1, self.sort)
            stepped = add(chosen, one) if self.sort is INT else bv_binary(Op.BV_ADD, chosen, one)
            return self.random.choice((chosen, stepped))
        return self.expression(numbers) if sort is not BOOL else self.condition(variables, numbers)

    def condition(self, variables: list[Term], numbers: list[Term]) -> Term:
        booleans = [v for v in variables if v.sort is BOOL]
        if booleans and self.random.random() < 0.4:
            made = self.random.choice(booleans)
        else:
            build = self.random.choice((eq, self.less, self.at_most))
            made = build(self.expression(numbers), self.random.choice((self.expression(numbers), self.value())))
        return neg(made) if self.random.random() < 0.3 else made


def random_system(random: Random, kind: str) -> HornSystem:
    """``kind`` is "lia" (integers) or "bv" (bit-vectors of width 8)."""
    return _Maker(random, kind).system()


def counter(last: int) -> HornSystem:
    """``x = 0; x++; bad x = last``."""
    x = var("x", INT)
    return HornSystem(
        predicates={"P": Predicate("P", (INT,))},
        clauses=(
            Clause(Atom("P", (x,)), (), eq(x, value_of(0, INT))),
            Clause(Atom("P", (add(x, value_of(1, INT)),)), (Atom("P", (x,)),), TRUE),
            Clause(None, (Atom("P", (x,)),), eq(x, value_of(last, INT))),
        ),
    )


# --- the truth ------------------------------------------------------------------------------------------------------


def is_safe(system: HornSystem) -> bool:
    """By enumeration of the least model."""
    facts: dict[str, set[tuple[Any, ...]]] = {name: set() for name in system.predicates}
    changed = True
    while changed:
        changed = False
        for clause in system.clauses:
            for values in _solutions(clause, facts):
                if clause.head is None:
                    return False
                fact = tuple(evaluate(argument, values) for argument in clause.head.arguments)
                if fact not in facts[clause.head.predicate]:
                    facts[clause.head.predicate].add(fact)
                    changed = True
    return True


def _solutions(clause: Clause, facts: Mapping[str, set[tuple[Any, ...]]]) -> list[dict[Term, Any]]:
    bound = {argument for atom in clause.body for argument in atom.arguments}
    free = sorted(clause.variables() - bound, key=lambda v: v.name)
    found = []
    for chosen in product(*(sorted(facts[atom.predicate]) for atom in clause.body)):
        known = {
            v: x
            for atom, fact in zip(clause.body, chosen, strict=True)
            for v, x in zip(atom.arguments, fact, strict=True)
        }
        for rest in product(*([range(BOUND + 1)] * len(free))):
            values = known | dict(zip(free, rest, strict=True))
            if evaluate(clause.constraint, values):
                found.append(values)
    return found


def evaluate(term: Term, values: Mapping[Term, Any]) -> Any:
    def combine(node: Term, args: list[Any]) -> Any:
        width = node.sort.width
        match node.op:
            case Op.VAR:
                return values[node]
            case Op.VALUE:
                return node.value
            case Op.NOT:
                return not args[0]
            case Op.AND:
                return all(args)
            case Op.OR:
                return any(args)
            case Op.EQ:
                return args[0] == args[1]
            case Op.ITE:
                return args[1] if args[0] else args[2]
            case Op.ADD | Op.BV_ADD:
                return (args[0] + args[1]) % (2**width) if width else args[0] + args[1]
            case Op.SUB | Op.BV_SUB:
                return (args[0] - args[1]) % (2**width) if width else args[0] - args[1]
            case Op.LT | Op.BV_ULT:
                return args[0] < args[1]
            case Op.LE | Op.BV_ULE:
                return args[0] <= args[1]
            case _:
                raise AssertionError(node.op)

    return fold(term, combine)


# --- evidence -------------------------------------------------------------------------------------------------------


def broken_clause(system: HornSystem, interpretation: Interpretation) -> int | None:
    """The number of a clause that does not hold for sure."""
    for index, clause in enumerate(system.clauses):
        parts = [clause.constraint, *(_instance(atom, interpretation) for atom in clause.body)]
        if clause.head is not None:
            parts.append(neg(_instance(clause.head, interpretation)))
        if not is_unsatisfiable(conj_all(parts)):
            return index
    return None


def _instance(atom: Atom, interpretation: Interpretation) -> Term:
    relation = interpretation.get(atom.predicate)
    if relation is None:
        return TRUE
    return substitute(relation.formula, dict(zip(relation.parameters, atom.arguments, strict=True)))


def is_unsatisfiable(formula: Term) -> bool:
    solver = Z3Solver(profile=DEFAULT)
    solver.add(formula)
    return solver.check(seconds=20) is Answer.UNSAT


def broken_step(system: HornSystem, derivation: Derivation) -> int | None:
    """The number of a step that its clause does not give."""
    steps = derivation.steps
    if not steps or steps[-1].predicate is not None:
        return len(steps)
    for number, step in enumerate(steps):
        clause = system.clauses[step.clause]
        if (None if clause.head is None else clause.head.predicate) != step.predicate or any(
            p >= number for p in step.premises
        ):
            return number
        pairs = list(zip(() if clause.head is None else clause.head.arguments, step.arguments, strict=True))
        for atom, premise in zip(clause.body, step.premises, strict=True):
            if steps[premise].predicate != atom.predicate:
                return number
            pairs += zip(atom.arguments, steps[premise].arguments, strict=True)
        solver = Z3Solver(profile=DEFAULT)
        solver.add(conj(clause.constraint, *(eq(a, b) for a, b in pairs)))
        if solver.check(seconds=20) is not Answer.SAT:
            return number
    return None
