"""Random programs: the validator agrees with concrete execution.

Over the integers, the path of every random run that ends in a violation is confirmed. Over the Booleans all runs along
a path can be tried, so that the validator must confirm exactly the paths for which one of them violates.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.ir.check import check_program
from cleave.ir.path import Enter, IllegalPathError, Leave, Path, PathStep, Visit
from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    Block,
    Call,
    Clause,
    Havoc,
    Procedure,
    Program,
    Property,
    Statement,
    old,
)
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT, Sort, array, bitvec
from cleave.logic.terms import Op, Term
from cleave.logic.values import Value, map_value
from cleave.validate.semantics.events import Violated
from cleave.validate.semantics.interpreter import Chooser, run
from cleave.validate.violations.confirm import validate_trace
from cleave.validate.violations.replay import Follower, PathEndedError

MAP = array(INT, INT)
WORD = bitvec(3)


class Generator:
    """Small programs: main calls f, which has a body, and e, which has none. ``sorts`` are those of the variables."""

    def __init__(self, seed: int, sorts: tuple[Sort, ...]) -> None:
        self.random = random.Random(seed)
        self.sorts = sorts
        self.globals = self.variables("g", 2)

    def variables(self, name: str, count: int) -> tuple[Term, ...]:
        return tuple(t.var(f"{name}{i}", self.random.choice(self.sorts)) for i in range(count))

    def program(self) -> Program:
        pick = self.random
        parameter, result = self.variables("p", 1), self.variables("q", 1)
        e = Procedure(
            name="e",
            parameters=parameter,
            returns=result,
            requires=self.clauses((*self.globals, *parameter)),
            ensures=self.clauses((*self.globals, *parameter, *result, old(self.globals[0]))),
            modifies=self.globals[: pick.randint(0, 1)],
        )
        interface = Procedure(name="f", parameters=self.variables("u", 1), returns=self.variables("v", 1))
        f = self.body(interface, self.variables("w", 1), (e, interface), ("f0", "f1"))
        main = self.body(
            Procedure(name="main", parameters=self.variables("n", 1)),
            self.variables("x", 1),
            (e, f),
            ("b0", "b1", "b2"),
        )
        kind = pick.choice((Property.ASSERTIONS, Property.ASSERTIONS, Property.END_REACHABLE))
        return Program(globals=self.globals, procedures={p.name: p for p in (main, f, e)}, property=kind)

    def body(
        self, head: Procedure, own: tuple[Term, ...], callees: tuple[Procedure, ...], labels: tuple[str, ...]
    ) -> Procedure:
        readable = (*self.globals, *head.parameters, *head.returns, *own, old(self.globals[1]))
        writable = (*self.globals, *head.returns, *own)
        blocks = {}
        for number, label in enumerate(labels):
            statements = [self.statement(readable, writable, callees) for _ in range(self.random.randint(0, 3))]
            ends = number == len(labels) - 1
            successors = () if ends else tuple(self.random.sample(labels, self.random.randint(1, 2)))
            blocks[label] = Block(label, tuple(statements), successors)
        outside = (*self.globals, *head.parameters)
        return Procedure(
            name=head.name,
            parameters=head.parameters,
            returns=head.returns,
            locals=own,
            requires=self.clauses(outside),
            ensures=self.clauses((*outside, *head.returns, old(self.globals[0]))),
            blocks=blocks,
        )

    def clauses(self, readable: tuple[Term, ...]) -> tuple[Clause, ...]:
        count = self.random.choice((0, 0, 1))
        return tuple(Clause(self.term(readable, BOOL, 2), self.random.random() < 0.5) for _ in range(count))

    def statement(
        self, readable: tuple[Term, ...], writable: tuple[Term, ...], callees: tuple[Procedure, ...]
    ) -> Statement:
        pick = self.random
        match pick.choice(("assume", "assert", "assign", "assign", "havoc", "call")):
            case "assume":
                return Assume(self.term(readable, BOOL, 2))
            case "assert":
                return Assert(self.term(readable, BOOL, 2))
            case "assign":
                targets = tuple(pick.sample(writable, pick.randint(1, 2)))
                return Assign(targets, tuple(self.term(readable, target.sort, 2) for target in targets))
            case "havoc":
                return Havoc((pick.choice(writable),))
        callee = pick.choice(callees)
        arguments = tuple(self.term(readable, parameter.sort, 1) for parameter in callee.parameters)
        fitting = [v for v in writable if callee.returns and v.sort is callee.returns[0].sort]
        if not fitting:
            return Assume(t.TRUE)
        return Call(callee.name, arguments, (pick.choice(fitting),))

    def term(self, readable: tuple[Term, ...], sort: Sort, depth: int) -> Term:
        pick = self.random
        here = [variable for variable in readable if variable.sort is sort]
        if here and (depth == 0 or pick.random() < 0.3):
            return pick.choice(here)

        def sub(inner: Sort) -> Term:
            return self.term(readable, inner, depth - 1)

        if sort is MAP:
            return t.const_array(INT, t.integer(1)) if depth == 0 else t.store(sub(MAP), sub(INT), sub(INT))
        if depth == 0:
            return t.value_of(pick.randint(0, 3) if sort is not BOOL else pick.random() < 0.5, sort)
        if sort is INT:
            options: list[Callable[[], Term]] = [
                lambda: pick.choice((t.add, t.sub))(sub(INT), sub(INT)),
                lambda: t.mul(sub(INT), t.integer(pick.randint(-2, 3))),  # squares would grow without end in loops
                lambda: pick.choice((t.div, t.mod))(sub(INT), sub(INT)),
                lambda: t.select(sub(MAP), sub(INT)),
                lambda: t.ite(sub(BOOL), sub(INT), sub(INT)),
            ]
        elif sort is WORD:
            options = [lambda: t.bv_binary(pick.choice((Op.BV_ADD, Op.BV_SDIV, Op.BV_ASHR)), sub(WORD), sub(WORD))]
        else:
            options = self.conditions(sub)
        return pick.choice(options)()

    def conditions(self, sub: Callable[[Sort], Term]) -> list[Callable[[], Term]]:
        raise NotImplementedError


class Integers(Generator):
    def conditions(self, sub: Callable[[Sort], Term]) -> list[Callable[[], Term]]:
        pick = self.random
        return [
            lambda: pick.choice((t.conj, t.disj, t.implies))(sub(BOOL), sub(BOOL)),
            lambda: t.neg(sub(BOOL)),
            lambda: pick.choice((t.lt, t.le, t.eq))(sub(INT), sub(INT)),
            lambda: pick.choice((t.lt, t.le, t.eq))(sub(INT), sub(INT)),
            lambda: t.bv_compare(Op.BV_SLT, sub(WORD), sub(WORD)),
        ]


class Booleans(Generator):
    def conditions(self, sub: Callable[[Sort], Term]) -> list[Callable[[], Term]]:
        pick = self.random
        return [
            lambda: pick.choice((t.conj, t.disj, t.implies, t.eq))(sub(BOOL), sub(BOOL)),
            lambda: t.neg(sub(BOOL)),
            lambda: t.ite(sub(BOOL), sub(BOOL), sub(BOOL)),
        ]


class Dice(Chooser):
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, variable: Term) -> Value:
        if variable.sort is BOOL:
            return self.random.random() < 0.5
        if variable.sort is MAP:
            return map_value(INT, self.random.randint(0, 2), {self.random.randint(-2, 4): self.random.randint(-2, 4)})
        return self.random.randint(0, 7) if variable.sort is WORD else self.random.randint(-3, 5)

    def successor(self, procedure: Procedure, block: Block) -> str:
        return self.random.choice(block.successors)


SEEDS = st.integers(0, 10**9)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_path_of_a_violating_run_is_confirmed(seed: int) -> None:
    program = Integers(seed, (INT, INT, BOOL, MAP, WORD)).program()
    check_program(program)
    paths: dict[Path, None] = {}
    for attempt in range(20):
        done = run(program, "main", Dice(seed + attempt), max_steps=80)
        if isinstance(done.outcome, Violated):
            paths[done.path] = None
    for path in list(paths)[:4]:
        result = validate_trace(program, "main", path, seconds=10)
        assert result.trace is not None, result
        assert result.trace.steps[-1].kind == "violation"


class TooManyChoices(Exception):  # noqa: N818
    pass


class Script(Follower):
    """Takes Boolean choices from a list that is extended with false on demand."""

    def __init__(self, program: Program, path: Path, script: list[bool]) -> None:
        super().__init__(path, (), program.property is Property.ASSERTIONS)
        self.script = script

    def value(self, variable: Term) -> Value:
        if self.given == 9:
            raise TooManyChoices
        if self.given == len(self.script):
            self.script.append(False)
        self.given += 1
        return self.script[self.given - 1]


def violates_somewhere(program: Program, path: Path) -> bool:
    """Tries every sequence of Boolean choices along the path."""
    script: list[bool] = []
    while True:
        follower = Script(program, path, script)
        try:
            done = run(program, "main", follower, max_steps=200)
            if isinstance(done.outcome, Violated) and follower.at_end:
                return True
        except (PathEndedError, IllegalPathError):
            pass
        del script[follower.given :]
        while script and script[-1]:
            script.pop()
        if not script:
            return False
        script[-1] = True


def without_conditions(program: Program) -> Program:
    """Every path that control can take is one of a run."""
    procedures = {}
    for name, procedure in program.procedures.items():
        blocks = {
            block.label: replace(
                block, statements=tuple(s for s in block.statements if not isinstance(s, Assume | Assert))
            )
            for block in procedure.blocks.values()
        }
        procedures[name] = replace(procedure, blocks=blocks, requires=(), ensures=())
    return replace(program, procedures=procedures)


def mutations(path: Path, pick: random.Random) -> Iterator[Path]:
    yield path[: pick.randint(1, len(path))]
    steps: list[PathStep] = [Leave(), Enter("f"), *(Visit(label) for label in ("b0", "b1", "b2", "f0", "f1"))]
    place = pick.randrange(len(path))
    yield (*path[:place], *path[place + 1 :])
    yield (*path[:place], pick.choice(steps), *path[place:])
    yield (*path[:place], pick.choice(steps), *path[place + 1 :])


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_exactly_the_paths_that_can_violate_are_confirmed(seed: int) -> None:
    program = Booleans(seed, (BOOL,)).program()
    check_program(program)
    pick = random.Random(seed)
    paths: dict[Path, None] = {}
    for attempt in range(3):
        path = run(program, "main", Dice(seed + attempt), max_steps=20).path
        if path:
            paths.update(dict.fromkeys((path, *mutations(path, pick))))
        walk = run(without_conditions(program), "main", Dice(seed + attempt), max_steps=12).path
        paths.update(dict.fromkeys((walk, *mutations(walk, pick))))
    for path in paths:
        try:
            expected = violates_somewhere(program, path)
        except TooManyChoices:
            continue
        result = validate_trace(program, "main", path, seconds=10)
        assert result.holds == expected, (path, result)
