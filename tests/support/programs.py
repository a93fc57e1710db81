"""Random small programs, a reference that decides them by trying every control path, and choosers for concrete runs.

    program = ProgramMaker(random, Features(loops=True)).program()
    Reference(program, bound=2).violates("main")

The reference executes programs symbolically, path by path, from `ir.program`'s words alone: it knows no passes, no
conditions of procedures and no sharing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
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
from cleave.logic.sorts import BOOL, INT, Sort
from cleave.logic.terms import Term
from cleave.logic.values import Value
from cleave.logic.walk import substitute
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.semantics.interpreter import Chooser

# --- random programs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What random programs may hold. Without ``loops`` and ``recursion`` they are hierarchical."""

    procedures: int = 4
    blocks: int = 4
    statements: int = 3
    sorts: tuple[Sort, ...] = (INT, INT, BOOL)
    loops: bool = False
    recursion: bool = False
    contracts: bool = False
    bodyless: bool = False
    end_reachable: bool = False


HIERARCHICAL = Features()
EVERYTHING = Features(
    procedures=3, loops=True, recursion=True, contracts=True, bodyless=True, end_reachable=True, statements=2
)


class ProgramMaker:
    """Programs from ``main``, which calls p1, p2, ..."""

    def __init__(self, pick: random.Random, features: Features = HIERARCHICAL) -> None:
        self.pick = pick
        self.features = features
        self.globals = self._variables("g", 2)

    def program(self) -> Program:
        names = ["main", *(f"p{i}" for i in range(1, self.features.procedures))]
        heads = [self._head(name) for name in names]
        if self.features.bodyless:
            heads.append(self._head("e"))
        procedures = {}
        for number, head in enumerate(heads):
            callees = heads if self.features.recursion else heads[number + 1 :]
            procedures[head.name] = head if head.name == "e" else self._body(head, callees)
        ends = self.features.end_reachable and self.pick.random() < 0.25
        kind = Property.END_REACHABLE if ends else Property.ASSERTIONS
        return Program(globals=self.globals, procedures=procedures, property=kind)

    def _variables(self, name: str, number: int) -> tuple[Term, ...]:
        return tuple(t.var(f"{name}{i}", self.pick.choice(self.features.sorts)) for i in range(number))

    def _head(self, name: str) -> Procedure:
        parameters, returns = self._variables(f"{name}_a", 1), self._variables(f"{name}_r", 1)
        outside = (*self.globals, *parameters)
        return Procedure(
            name=name,
            parameters=parameters,
            returns=returns,
            requires=self._clauses(outside),
            ensures=self._clauses((*outside, *returns, old(self.globals[0]))),
            modifies=self.globals[:1] if name == "e" else (),
        )

    def _clauses(self, readable: tuple[Term, ...]) -> tuple[Clause, ...]:
        if not self.features.contracts or self.pick.random() < 0.7:
            return ()
        return (Clause(self._term(readable, BOOL, 2), free=self.pick.random() < 0.5),)

    def _body(self, head: Procedure, callees: Sequence[Procedure]) -> Procedure:
        own = self._variables(f"{head.name}_l", 1)
        readable = (*self.globals, *head.parameters, *head.returns, *own)
        if self.features.contracts:
            readable = (*readable, old(self.globals[1]))
        writable = (*self.globals, *head.returns, *own)
        labels = [f"b{i}" for i in range(self.pick.randint(1, self.features.blocks))]
        blocks = {}
        for number, label in enumerate(labels):
            statements = [
                self._statement(readable, writable, callees)
                for _ in range(self.pick.randint(0, self.features.statements))
            ]
            blocks[label] = Block(label, tuple(statements), self._successors(number, labels))
        return Procedure(
            name=head.name,
            parameters=head.parameters,
            returns=head.returns,
            locals=own,
            requires=head.requires,
            ensures=head.ensures,
            blocks=blocks,
        )

    def _successors(self, number: int, labels: list[str]) -> tuple[str, ...]:
        later = labels[number + 1 :]
        if not later:
            return ()
        chosen = self.pick.sample(later, min(len(later), self.pick.randint(1, 2)))
        if self.features.loops and self.pick.random() < 0.3:
            chosen.append(self.pick.choice(labels[: number + 1]))
        return tuple(chosen)

    def _statement(
        self, readable: tuple[Term, ...], writable: tuple[Term, ...], callees: Sequence[Procedure]
    ) -> Statement:
        pick = self.pick
        match pick.choice(("assign", "assume", "assert", "havoc", "call", "call")):
            case "assume":
                return Assume(self._term(readable, BOOL, 2))
            case "assert":
                return Assert(t.disj(self._term(readable, BOOL, 2), self._term(readable, BOOL, 2)))
            case "havoc":
                return Havoc((pick.choice(writable),))
            case "call" if callees:
                callee = pick.choice(callees)
                fitting = [v for v in writable if v.sort is callee.returns[0].sort]
                if fitting:
                    arguments = tuple(self._term(readable, parameter.sort, 1) for parameter in callee.parameters)
                    return Call(callee.name, arguments, (pick.choice(fitting),))
        targets = tuple(pick.sample(writable, pick.randint(1, 2)))
        return Assign(targets, tuple(self._term(readable, target.sort, 2) for target in targets))

    def _term(self, readable: tuple[Term, ...], sort: Sort, depth: int) -> Term:
        pick = self.pick
        here = [variable for variable in readable if variable.sort is sort]
        if depth == 0 or (here and pick.random() < 0.3):
            if here and pick.random() < 0.7:
                return pick.choice(here)
            return t.boolean(pick.random() < 0.5) if sort is BOOL else t.integer(pick.randint(-1, 2))

        def sub(inner: Sort) -> Term:
            return self._term(readable, inner, depth - 1)

        if sort is INT:
            operator = pick.choice((t.add, t.sub))
            return operator(sub(INT), sub(INT)) if pick.random() < 0.8 else t.ite(sub(BOOL), sub(INT), sub(INT))
        if INT in self.features.sorts and pick.random() < 0.7:
            return pick.choice((t.lt, t.le, t.eq))(sub(INT), sub(INT))
        return t.neg(sub(BOOL)) if pick.random() < 0.5 else pick.choice((t.conj, t.disj, t.eq))(sub(BOOL), sub(BOOL))


class LayeredMaker(ProgramMaker):
    """Hierarchical programs in which calls exclude each other and the deepest procedures matter, so that DAGs share.

    Each procedure chooses among branches, every branch changes a counter and calls procedures of the next layer; what
    can fail is in the last layer. Every instance is needed for a proof.
    """

    def __init__(self, pick: random.Random, layers: int = 3) -> None:
        super().__init__(pick)
        self.globals = (t.var("g", INT),)
        self.layers = layers

    def program(self) -> Program:
        procedures = {"main": self._main()}
        for layer in range(1, self.layers):
            for name in self._names(layer):
                procedures[name] = self._branching(name, self._names(layer + 1))
        for name in self._names(self.layers):
            procedures[name] = self._failing(name)
        return Program(globals=self.globals, procedures=procedures)

    def _names(self, layer: int) -> list[str]:
        return [f"p{layer}{letter}" for letter in "ab"]

    def _main(self) -> Procedure:
        counter = self.globals[0]
        calls = tuple(Call(self.pick.choice(self._names(1)), (), ()) for _ in range(self.pick.randint(1, 2)))
        return Procedure(name="main", blocks={"b": Block("b", (Assign((counter,), (t.integer(0),)), *calls), ())})

    def _branching(self, name: str, callees: list[str]) -> Procedure:
        pick = self.pick
        labels = [f"t{i}" for i in range(pick.randint(2, 3))]
        blocks = {"b": Block("b", (), tuple(labels)), "z": Block("z", (), ())}
        for label in labels:
            calls = [Call(pick.choice(callees), (), ()) for _ in range(pick.choice((1, 1, 2)))]
            blocks[label] = Block(label, (self._step(), *calls), pick.choice((("z",), ("z",), ("z", labels[-1]))))
        blocks[labels[-1]] = Block(labels[-1], blocks[labels[-1]].statements, ("z",))
        return Procedure(name=name, blocks=blocks)

    def _failing(self, name: str) -> Procedure:
        counter, pick = self.globals[0], self.pick
        sound = t.lt(counter, t.integer(pick.randint(6, 30)))
        blocks = {
            "b": Block("b", (self._step(),), ("t", "u")),
            "t": Block("t", (Assert(sound),), ()),
            "u": Block("u", (self._step(),), ()),
        }
        return Procedure(name=name, blocks=blocks)

    def _step(self) -> Statement:
        counter = self.globals[0]
        if self.pick.random() < 0.15:
            return Assume(t.lt(counter, t.integer(self.pick.randint(0, 4))))
        return Assign((counter,), (t.add(counter, t.integer(self.pick.randint(0, 3))),))


# --- concrete runs --------------------------------------------------------------------------------------------------


class Dice(Chooser):
    """Chooses by a seed: small integers, Booleans, any successor."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, variable: Term) -> Value:
        return self.random.random() < 0.5 if variable.sort is BOOL else self.random.randint(-3, 4)

    def successor(self, procedure: Procedure, block: Block) -> str:
        return self.random.choice(block.successors)


# --- the reference --------------------------------------------------------------------------------------------------


class Violates(Exception):  # noqa: N818
    """Some execution violates the property."""


class TooManyPaths(Exception):  # noqa: N818
    """The reference gave up."""


@dataclass(frozen=True, slots=True)
class _State:
    shared: dict[Term, Term]
    own: dict[Term, Term]

    def value(self, term: Term) -> Term:
        return substitute(term, {**self.shared, **self.own})

    def write(self, targets: Sequence[Term], values: Sequence[Term]) -> _State:
        shared, own = dict(self.shared), dict(self.own)
        for target, value in zip(targets, values, strict=True):
            (own if target in own else shared)[target] = value
        return _State(shared, own)


class Reference:
    """Follows every control path, asking a solver whether its conditions can hold.

    With a ``bound``, a call is not made when its callee would be on the stack more than that many times (and its
    ``extra_recursion``).
    """

    def __init__(self, program: Program, *, bound: int | None = None, steps: int = 3000) -> None:
        self._program = program
        self._bound = bound
        self._steps = steps
        self._solver = Z3Solver(profile=DEFAULT)
        self._numbers = count()
        for axiom in program.axioms:
            self._solver.add(axiom)

    def violates(self, entry: str) -> bool:
        """Raises `TooManyPaths` when it would take too long."""
        procedure = self._program.procedures[entry]
        shared = {v: self._fresh(v) for v in self._program.globals} | {v: v for v in self._program.constants}
        state = _State(shared, {v: self._fresh(v) for v in procedure.parameters})

        def end(_: _State) -> None:
            if self._program.property is Property.END_REACHABLE:
                raise Violates

        try:
            self._assume_all(
                [state.value(clause.condition) for clause in procedure.requires],
                lambda: self._activation(procedure, state.shared, state.own, (entry,), end),
            )
        except Violates:
            return True
        except RecursionError as error:  # one path is too long
            raise TooManyPaths from error
        return False

    def _fresh(self, like: Term) -> Term:
        return t.var(f"{like.name}!{next(self._numbers)}", like.sort)

    def _activation(
        self,
        procedure: Procedure,
        shared: dict[Term, Term],
        parameters: dict[Term, Term],
        stack: tuple[str, ...],
        then: Callable[[_State], None],
    ) -> None:
        own = dict(parameters)
        own |= {old(v): shared[v] for v in self._program.globals}
        own |= {v: self._fresh(v) for v in (*procedure.returns, *procedure.locals)}

        def leave(state: _State) -> None:
            self._check_all(
                [state.value(clause.condition) for clause in procedure.ensures if not clause.free], lambda: then(state)
            )

        self._block(procedure, procedure.entry, 0, _State(shared, own), stack, leave)

    def _block(
        self,
        procedure: Procedure,
        block: Block,
        position: int,
        state: _State,
        stack: tuple[str, ...],
        leave: Callable[[_State], None],
    ) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise TooManyPaths

        def go_on(after: _State) -> None:
            self._block(procedure, block, position + 1, after, stack, leave)

        if position == len(block.statements):
            for label in block.successors:
                self._block(procedure, procedure.blocks[label], 0, state, stack, leave)
            if not block.successors:
                leave(state)
            return
        match block.statements[position]:
            case Assume(condition):
                self._assume_all([state.value(condition)], lambda: go_on(state))
            case Assert(condition):
                self._check_all([state.value(condition)], lambda: go_on(state))
            case Assign(targets, values):
                go_on(state.write(targets, [state.value(value) for value in values]))
            case Havoc(targets):
                go_on(state.write(targets, [self._fresh(target) for target in targets]))
            case Call() as call:
                self._call(call, state, stack, go_on)

    def _call(self, call: Call, caller: _State, stack: tuple[str, ...], then: Callable[[_State], None]) -> None:
        callee = self._program.procedures[call.procedure]
        if self._bound is not None and stack.count(callee.name) >= self._bound + callee.extra_recursion:
            return
        values = [caller.value(argument) for argument in call.arguments]
        parameters = dict(zip(callee.parameters, values, strict=True))
        before = _State(caller.shared, parameters)

        def after(state: _State) -> None:
            results = [state.value(v) for v in callee.returns]
            assumed = [state.value(clause.condition) for clause in callee.ensures]
            back = _State(state.shared, caller.own)
            self._assume_all(assumed, lambda: then(back.write(call.results, results)))

        def enter() -> None:
            if callee.has_body:
                self._activation(callee, caller.shared, parameters, (*stack, callee.name), after)
                return
            olds = {old(v): caller.shared[v] for v in self._program.globals}
            shared = caller.shared | {v: self._fresh(v) for v in callee.modifies}
            after(_State(shared, parameters | olds | {v: self._fresh(v) for v in callee.returns}))

        self._clauses([(before.value(c.condition), c.free) for c in callee.requires], enter)

    def _clauses(self, clauses: list[tuple[Term, bool]], then: Callable[[], None]) -> None:
        if not clauses:
            then()
            return
        (condition, free), rest = clauses[0], clauses[1:]
        (self._assume_all if free else self._check_all)([condition], lambda: self._clauses(rest, then))

    def _check_all(self, conditions: list[Term], then: Callable[[], None]) -> None:
        if self._program.property is Property.ASSERTIONS and conditions:

            def fail() -> None:
                raise Violates

            self._assume_all([t.neg(conditions[0])], fail)
            self._assume_all(conditions[:1], lambda: self._check_all(conditions[1:], then))
        else:
            self._assume_all(conditions, then)

    def _assume_all(self, conditions: list[Term], then: Callable[[], None]) -> None:
        condition = t.conj_all(conditions)
        if condition.is_true:
            then()
        elif not condition.is_false:
            self._solver.push()
            self._solver.add(condition)
            answer = self._solver.check()
            assert answer is not Answer.UNKNOWN
            if answer is Answer.SAT:
                then()
            self._solver.pop()


# --- paths ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Activation:
    procedure: Procedure
    block: Block | None = None
    calls: list[str] | None = None  # of the block, not made yet


def is_path(program: Program, path: Path) -> bool:
    """Whether control can take ``path``, whatever the values."""
    if not path or not isinstance(path[0], Enter):
        return False
    stack: list[_Activation] = []
    return all(_can_step(program, stack, step) for step in path)


def _can_step(program: Program, stack: list[_Activation], step: PathStep) -> bool:
    """Takes the step, or tells that it is not there to take."""
    top = stack[-1] if stack else None
    match step:
        case Enter(procedure):
            if top is not None and (not top.calls or top.calls.pop(0) != procedure):
                return False
            stack.append(_Activation(program.procedures[procedure]))
            return True
        case Visit(label):
            if top is None or top.calls:
                return False
            allowed = (top.procedure.entry.label,) if top.block is None else top.block.successors
            if label not in allowed:
                return False
            top.block = top.procedure.blocks[label]
            called = [s.procedure for s in top.block.statements if isinstance(s, Call)]
            top.calls = [name for name in called if program.procedures[name].has_body]
            return True
        case Leave():
            if top is None or top.block is None or top.block.successors or top.calls:
                return False
            stack.pop()
            return True
