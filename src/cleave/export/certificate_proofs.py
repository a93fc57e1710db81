"""Finds proofs in the form that certificates have, with the formulas of `cleave_check`.

| the program | tried in turn |
| --- | --- |
| has threads | all its executions, if they are few and no input matters; then all schedules within the bounds |
| has loop invariants (`pdr`, `cegar`) | the invariants, without those that are not inductive by themselves |
| other | a whole unfolding within the bound; then one that grows where Z3 finds an execution that leaves it |

The checker decides the result again, with another solver. What is found here is a proposal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import z3

from cleave.export.certificate_conditions import condition_texts
from cleave.smt.sat.refuting import refutation
from cleave.verdict import Invariant
from cleave_check.bits import clauses_of
from cleave_check.certificate import Certificate
from cleave_check.check import formulas_of, schedules, unfolding
from cleave_check.explore import explore
from cleave_check.loops import Loop, nest
from cleave_check.program import Program
from cleave_check.refusal import Refusal, Undecided
from cleave_check.refutation import packed
from cleave_check.smtlib import script
from cleave_check.terms import FALSE, Term, conj, disj
from cleave_check.unfold import Formula

_STATES = 30_000
_STATES_OF_ONE = 5_000  # of a program with one thread: beyond, a formula is faster
_GROW = 1_500  # instances of a whole unfolding
_ROUNDS = 200
_SPLITS = 3  # of a proof that is too hard as a whole: 8 parts
_COST = 30_000_000  # of Z3, in all
_HINTS = 5_000_000  # of a refutation: a few seconds to check


class NoProofError(Exception):
    """Why there is no certificate, as the end of a sentence."""


def proof_of(
    program: Program, entries: tuple[str, ...], bounds: Mapping[str, int], invariants: Sequence[Invariant]
) -> dict[str, Any]:
    tried = _executions(program, entries, bounds, _STATES if program.has_threads else _STATES_OF_ONE)
    if tried is not None:
        return tried
    if program.has_threads:
        return _schedules(program, entries, bounds)
    search = _Search(program, entries, bounds)
    if not bounds:
        told = [_evidence(one, program) for one in invariants]
        for proposal in (told, [*told, *_others(program, told)]):
            found = search.with_invariants(proposal) if proposal else None
            if found is not None:
                return found
    return search.unfolded()


def refutations(certificate: Certificate) -> list[str | None]:
    """For each formula that the checker will ask about: one that it can follow without a solver, if there is one in
    time. None: the formula is not about bits, or too hard."""
    found = [_refutation(formula) for formula in formulas_of(certificate)]
    return found if any(one is not None for one in found) else []


def _refutation(formula: Term) -> str | None:
    try:
        clauses = clauses_of(formula) if formula is not FALSE else None
    except Undecided:
        return None
    steps = None if clauses is None else refutation(clauses)
    return None if steps is None or sum(len(hints) for _, hints in steps) > _HINTS else packed(steps)


def in_parts(evidence: dict[str, Any]) -> bool:
    """Splits a proof that is too hard as a whole, if it can be: on the instances with the most others below them, but
    no more than half of all. Each part avoids or reaches each of these."""
    if "split" not in evidence:
        return False
    parents = [parent for parent, _ in evidence["instances"]]
    sizes = [1] * len(parents)
    for number in range(len(parents) - 1, 0, -1):
        if parents[number] >= 0:
            sizes[parents[number]] += sizes[number]
    fitting = sorted((n for n, size in enumerate(sizes) if size <= len(sizes) / 2), key=lambda n: -sizes[n])
    for number in fitting[:_SPLITS]:
        evidence["split"] = [number, evidence["split"], evidence["split"]]
    return bool(fitting)


def _executions(
    program: Program, entries: tuple[str, ...], bounds: Mapping[str, int], most: int
) -> dict[str, Any] | None:
    if set(bounds) - {"contexts"}:
        return None
    try:
        for entry in entries:
            explore(program, entry, bounds.get("contexts"), most)
    except Refusal:
        return None
    return {"kind": "executions", "states": most}


def _schedules(program: Program, entries: tuple[str, ...], bounds: Mapping[str, int]) -> dict[str, Any]:
    """The whole unfolding within the bounds: the checker decides it."""
    if not bounds:
        raise NoProofError("the program's threads have too many states, or inputs; only within bounds they have one")
    made, _ = schedules(program, entries, [], bounds, grow=_GROW)
    if made.encode().opens:
        raise NoProofError("the unfolding that the proof needs is too large")
    return {"kind": "schedules", "instances": [list(one) for one in made.instances], "split": None, "refutations": []}


def _others(program: Program, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All loops that have no invariant, with one that allows everything: nothing is unfolded there."""
    known = {(one["procedure"], one["head"]) for one in told}
    heads = [(name, head) for name, procedure in program.procedures.items() for head in _heads(nest(procedure))]
    return [{"procedure": name, "head": head, "conditions": []} for name, head in heads if (name, head) not in known]


def _heads(items: Sequence[str | Loop]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Loop):
            yield item.head
            yield from _heads(item.items)


def _evidence(one: Invariant, program: Program) -> dict[str, Any]:
    return {"procedure": one.procedure, "head": one.label, "conditions": condition_texts(one, program)}


class _Search:
    def __init__(self, program: Program, entries: tuple[str, ...], bounds: Mapping[str, int]) -> None:
        self._program = program
        self._entries = entries
        self._bounds = bounds
        self._cost = _COST

    def unfolded(self) -> dict[str, Any]:
        whole = unfolding(self._program, self._entries, _written([], []), self._bounds, grow=_GROW)
        formula = whole.encode()
        if not formula.opens and self._model(formula) is None:
            return _written(whole.instances, [])
        return _written(self._grown([], []), [])

    def with_invariants(self, invariants: list[dict[str, Any]]) -> dict[str, Any] | None:
        """None: they do not prove it. A condition that is broken in a model is dropped."""
        while True:
            try:
                return _written(self._grown([], invariants), invariants)
            except _BrokenError as broken:
                invariants = _without(invariants, broken.numbers)
            except NoProofError:
                return None

    def _grown(self, instances: list[tuple[int, str]], invariants: list[dict[str, Any]]) -> list[tuple[int, str]]:
        grow = 50
        for _ in range(_ROUNDS):
            evidence = _written(instances, invariants)
            made = unfolding(self._program, self._entries, evidence, self._bounds)
            formula = made.encode()
            model = self._model(formula)
            if model is None:
                return _trimmed(made.instances, formula.reached)
            reached = [place for place in formula.opens if model[_name("open", list(formula.opens).index(place))]]
            if not reached:
                broken = {number for at, (number, _) in enumerate(formula.broken) if model[_name("broken", at)]}
                raise _BrokenError(broken) if broken else NoProofError("the checker's own formula has a violation")
            instances = [*instances, *reached[:grow]]
            if len(instances) > _GROW:
                break
        raise NoProofError("the unfolding that the proof needs is too large")

    def _model(self, formula: Formula) -> dict[str, bool] | None:
        """None: there is none."""
        goal = conj(*formula.assumed, disj(*formula.bad))
        if goal is FALSE:
            return None
        named = {_name("open", at): term for at, term in enumerate(formula.opens.values())}
        named |= {_name("broken", at): term for at, (_, term) in enumerate(formula.broken)}
        solver: Any = z3.Solver(ctx=z3.Context())  # type: ignore[no-untyped-call]
        solver.set("rlimit", max(1, self._cost))
        solver.from_string(script([goal], named))
        answer = str(solver.check())
        self._cost -= _used(solver)
        if answer == "unsat":
            return None
        if answer != "sat":
            raise NoProofError("Z3 does not decide the checker's formula")
        model = solver.model()
        values = {str(d.name()): bool(z3.is_true(model[d])) for d in model.decls() if d.name() in named}
        return {name: values.get(name, False) for name in named}


class _BrokenError(Exception):
    def __init__(self, numbers: set[int]) -> None:
        super().__init__()
        self.numbers = numbers


def _trimmed(instances: Sequence[tuple[int, str]], reached: Collection[int]) -> list[tuple[int, str]]:
    """Without what turned out to be out of reach when more was unfolded."""
    numbers = {old: new for new, old in enumerate(sorted(reached))} | {-1: -1}
    return [(numbers[parent], place) for at, (parent, place) in enumerate(instances) if at in reached]


def _used(solver: Any) -> int:
    statistics = solver.statistics()
    return int(statistics.get_key_value("rlimit count")) if "rlimit count" in statistics.keys() else 0  # noqa: SIM118


def _name(kind: str, at: int) -> str:
    return f"{kind}{at}"


def _written(instances: Sequence[tuple[int, str]], invariants: list[dict[str, Any]]) -> dict[str, Any]:
    written = [list(one) for one in instances]
    return {"kind": "unfolding", "instances": written, "invariants": invariants, "split": None, "refutations": []}


def _without(invariants: list[dict[str, Any]], numbers: set[int]) -> list[dict[str, Any]]:
    """Conditions are numbered through, in the order in which they are written."""
    left: list[dict[str, Any]] = []
    count = 0
    for one in invariants:
        kept = [text for at, text in enumerate(one["conditions"], count) if at not in numbers]
        count += len(one["conditions"])
        left.append({**one, "conditions": kept})
    return left
