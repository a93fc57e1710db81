"""Random small programs with threads, and what the threads engine makes of them without a runtime."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from cleave.engines.threads.encode import encode
from cleave.engines.threads.partition import Space
from cleave.engines.threads.schedule import schedule_of
from cleave.engines.unfolding.instances import unfold
from cleave.engines.unfolding.options import BITWUZLA
from cleave.engines.unfolding.solving import chosen, make_solver
from cleave.ir.check import check_program
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Havoc,
    Join,
    Procedure,
    Program,
    Self,
    Spawn,
    Statement,
)
from cleave.ir.schedule import Schedule
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, Sort, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.smt.solver import Answer

SMALL = bitvec(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    sort: Sort = SMALL  # of shared variables; Int ones never leave a small range, as nothing is left open
    statements: int = 3
    branches: bool = True
    arrays: bool = False
    loops: bool = False
    nested: bool = False  # threads start threads


class ConcurrentMaker:
    """``main`` starts ``w`` and ``v``, sometimes twice, sometimes joins them, and asserts something."""

    def __init__(self, pick: random.Random, features: Features | None = None) -> None:
        self.pick = pick
        self.features = features or Features()
        sort = self.features.sort
        self.globals = [t.var("x", sort), t.var("y", sort), t.var("m", sort)]
        self.array = t.var("a", array(SMALL, sort))

    def program(self) -> Program:
        workers = [self._worker("w", nested=self.features.nested), self._worker("v", nested=False)]
        procedures = {p.name: p for p in (self._main(), *workers, self._callee())}
        variables = (*self.globals, *((self.array,) if self.features.arrays else ()))
        program = Program(globals=variables, procedures=procedures)
        check_program(program)
        return program

    def _main(self) -> Procedure:
        own = [t.var("p", self.features.sort), t.var("i", bitvec(2)), t.var("j", bitvec(2))]
        started = [self._spawn(own[1]), self._spawn(own[2])]
        if self.pick.random() < 0.3:
            started.append(self._spawn(None))
        first: list[Statement] = [self._initial(), Assign((own[0],), (self._constant(0),))]
        if self.features.arrays:
            zero = t.const_array(SMALL, self._constant(0))
            first.append(Assign((self.array,), (zero,)))
        middle: list[Statement] = []
        for spawn in started:
            middle.append(spawn)
            if self.pick.random() < 0.3:
                middle += self._simple(own[:1])
        for number in own[1:]:
            if self.pick.random() < 0.6:
                middle.append(Join(number))
        last = [*self._simple(own[:1]), Assert(self._condition(own[:1]))]
        if self.features.branches and self.pick.random() < 0.3:  # start threads on one way only
            return self._procedure("main", (), own, self._diamond(first, middle, last, own[:1]), entry=True)
        return self._procedure("main", (), own, {"b0": Block("b0", (*first, *middle, *last), ())}, entry=True)

    def _initial(self) -> Statement:
        if self.features.sort is INT or self.pick.random() < 0.7:
            return Assign(tuple(self.globals), tuple(self._constant(self.pick.randrange(2)) for _ in self.globals))
        return Assume(t.eq(self.globals[0], self.globals[1]))

    def _spawn(self, result: Term | None) -> Spawn:
        return Spawn(self.pick.choice(("w", "v")), (self._constant(self.pick.randrange(3)),), result)

    def _worker(self, name: str, *, nested: bool) -> Procedure:
        parameter, own = t.var(f"{name}_n", self.features.sort), t.var(f"{name}_l", self.features.sort)
        me = t.var(f"{name}_me", bitvec(2))
        own_terms = [parameter, own]
        statements = [Assign((own,), (parameter,)), *self._statements(own_terms, own)]
        if nested and self.pick.random() < 0.5:
            statements.append(Spawn("v", (own,), me if self.pick.random() < 0.5 else None))
        if self.pick.random() < 0.3:
            statements.append(Self(me))
            statements.append(Assert(t.bv_compare(Op.BV_ULT, me, t.bv(self.pick.choice((2, 3)), 2))))
        if self.pick.random() < 0.4:
            statements.append(Assert(self._condition(own_terms)))
        if self.features.loops and self.pick.random() < 0.6:
            blocks = self._loop(statements, own)
        elif self.features.branches and self.pick.random() < 0.5:
            blocks = self._diamond(
                statements, self._statements(own_terms, own), self._simple(own_terms, own), own_terms
            )
        else:
            blocks = {"b0": Block("b0", tuple(statements), ())}
        return self._procedure(name, (parameter,), [own, me, t.var(f"{name}_k", bitvec(3))], blocks)

    def _callee(self) -> Procedure:
        n, r = t.var("c_n", self.features.sort), t.var("c_r", self.features.sort)
        body = (*self._simple([n, r], r), Assign((r,), (self._value([n]),)))
        return Procedure(name="c", parameters=(n,), returns=(r,), blocks={"b0": Block("b0", body, ())})

    def _loop(self, statements: Sequence[Statement], own: Term) -> dict[str, Block]:
        k = t.var(f"{own.name[:1]}_k", bitvec(3))
        once_more = t.bv_compare(Op.BV_ULT, k, t.bv(self.pick.choice((1, 2)), 3))
        count = Assign((k,), (t.bv_binary(Op.BV_ADD, k, t.bv(1, 3)),))
        return {
            "b0": Block("b0", (Assign((k,), (t.bv(0, 3),)), *statements), ("h",)),
            "h": Block("h", (), ("body", "out")),
            "body": Block("body", (Assume(once_more), *self._simple([own], own), count), ("h",)),
            "out": Block("out", (Assume(t.neg(once_more)),), ()),
        }

    def _diamond(
        self, before: Sequence[Statement], left: Sequence[Statement], last: Sequence[Statement], own: Sequence[Term]
    ) -> dict[str, Block]:
        condition = self._condition(own)
        if self.pick.random() < 0.7:
            left_first, right_first = [Assume(condition)], [Assume(t.neg(condition))]
        else:
            left_first, right_first = [], []
        target = own[-1] if own[-1].name[-1] in "lp" else None
        return {
            "b0": Block("b0", tuple(before), ("l", "r")),
            "l": Block("l", (*left_first, *left), ("z",)),
            "r": Block("r", (*right_first, *self._simple(own, target)), ("z",)),
            "z": Block("z", tuple(last), ()),
        }

    def _statements(self, own: Sequence[Term], target: Term) -> list[Statement]:
        found: list[Statement] = []
        for _ in range(self.pick.randint(1, self.features.statements)):
            if self.pick.random() < 0.25:
                found += [AtomicBegin(), *self._simple(own, target), *self._simple(own, target), AtomicEnd()]
            else:
                found += self._simple(own, target)
        return found

    def _simple(self, own: Sequence[Term], target: Term | None = None) -> list[Statement]:
        shared = self.pick.choice(self.globals)
        draw = self.pick.random()
        if self.features.arrays and draw < 0.3:
            index = (
                t.bv(self.pick.randrange(2), 2) if self.features.sort is INT else self.pick.choice((*own, t.bv(1, 2)))
            )
            if target is not None and self.pick.random() < 0.5:
                return [Assign((target,), (t.select(self.array, index),))]
            return [Assign((self.array,), (t.store(self.array, index, self._value(own)),))]
        if draw < 0.45:
            return [Assign((shared,), (self._value([*own, shared]),))]
        if draw < 0.65 and target is not None:
            return [Assign((target,), (self._value([shared]),))]
        if draw < 0.8:
            return [Assume(self._condition([*own, shared]))]
        if draw < 0.86 and self.features.sort is not INT:
            return [Havoc((shared,))]
        if draw < 0.93 and target is not None and target.name != "c_r":
            result = target if self.pick.random() < 0.7 else shared
            return [Call("c", (self._value(own),), (result,))]
        return (
            [Assign((shared, self.globals[2]), (self._value(own), self._value([*self.globals])))]
            if (shared is not self.globals[2])
            else [Assert(self._condition([shared, *own]))]
        )

    def _value(self, variables: Sequence[Term]) -> Term:
        one = self.pick.choice(variables) if variables else self._constant(1)
        draw = self.pick.random()
        if draw < 0.3:
            return self._constant(self.pick.randrange(3))
        if self.features.sort is INT:
            return t.ite(t.lt(one, t.integer(3)), t.add(one, t.integer(1)), t.integer(0)) if draw < 0.7 else one
        return t.bv_binary(Op.BV_ADD, one, self._constant(1)) if draw < 0.7 else one

    def _condition(self, variables: Sequence[Term]) -> Term:
        one = self.pick.choice(list(variables) or self.globals)
        if self.pick.random() < 0.3:
            one = self.pick.choice(self.globals)
        constant = self._constant(self.pick.randrange(3))
        condition = t.eq(one, constant)
        return condition if self.pick.random() < 0.4 else t.neg(condition)

    def _constant(self, value: int) -> Term:
        return t.integer(value) if self.features.sort is INT else t.bv(value, 2)

    def _procedure(
        self,
        name: str,
        parameters: tuple[Term, ...],
        own: Sequence[Term],
        blocks: dict[str, Block],
        entry: bool = False,
    ) -> Procedure:
        return Procedure(name=name, parameters=parameters, locals=tuple(own), blocks=blocks, is_entry=entry)


def violating_schedule(
    program: Program, contexts: int, *, unwind: int = 3, part: str = "", rounds: int = 0, solver: str = BITWUZLA
) -> Schedule | None:
    """A schedule that the engine's formula gives within the bounds, in one part of the search."""
    unfolded = unfold(program, "main", unwind)
    formula = encode(unfolded, contexts, Space.of(unfolded).facts(part, contexts), rounds=rounds)
    asked = make_solver(chosen(unfolded, solver))
    for constraint in (*formula.constraints, formula.violation):
        asked.add(constraint)
    answer = asked.check()
    assert answer is not Answer.UNKNOWN
    return schedule_of(unfolded, formula, asked.model()) if answer is Answer.SAT else None


__all__ = ["BOOL", "ConcurrentMaker", "Features", "violating_schedule"]
