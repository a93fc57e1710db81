"""SPACER's frames, read and strengthened from inside a callback.

SPACER's answer "safe" rests on its frames being a trace: what one application of the clauses gives from frame k-1 is in
frame k. A lemma that is true of the first k rounds, but that this run can't prove from its own frame k-1, breaks that:
with ``x = 0; x++; bad x = 20`` and ``x <= 10`` added at level 10, SPACER pushes the lemma to infinity and says safe
(Theorem 1 of the paper has that gap). So foreign lemmas of a level are *proved first*: of all candidates the greatest
set is kept such that, for each of level k and for each clause with its predicate as head,

    frame k-1 and the kept candidates of level k-1 or more, for the body, with the constraint, imply the lemma,

where infinity less one is infinity. As frames only grow weaker with the level, and facts are clauses without a body,
the kept ones hold in the same way at every level below; the frames remain a trace, whatever the others sent.

All frames of another run together are such a set, so that nothing is lost by proving them but the work, of which there
is a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cleave.engines.pdr.spacer.lemmas import INFINITY, Lemma, LemmaTexts
from cleave.engines.pdr.spacer.native import Fixedpoint, native
from cleave.engines.pdr.spacer.problem import NativeRule, Problem
from cleave.records import dataclass
from cleave.smt.z3.native import array, lib

_PROOF_COST = 20_000
"""How much solver work one test of one candidate may take: those that pass need far less, mostly."""
_UNSAT = -1


@dataclass(frozen=True, eq=False)
class Candidate:
    """A lemma and its native formula over the parameters."""

    lemma: Lemma
    formula: int

    @property
    def level(self) -> int:
        return self.lemma.level


class Frames:
    """The frames of one run; belongs to the query's thread, and may be used only in the unfold callback."""

    def __init__(self, problem: Problem, fixedpoint: Fixedpoint, texts: LemmaTexts) -> None:
        self._problem = problem
        self._fixedpoint = fixedpoint
        self._texts = texts
        self._context = problem.context
        self._pointer = problem.context.pointer
        self._solver = 0
        self._borrowed: list[int] = []

    def _release(self) -> None:
        for formula in self._borrowed:
            self._context.release(formula)
        self._borrowed = []

    def close(self) -> None:
        self._release()
        if self._solver:
            lib.Z3_solver_dec_ref(self._pointer, self._solver)
            self._solver = 0

    # --- reading ----------------------------------------------------------------------------------------------------

    def height(self) -> int:
        """The number of the highest frame that any predicate has."""
        levels = [
            native.Z3_fixedpoint_get_num_levels(
                self._pointer, self._fixedpoint.pointer, self._problem.declarations[name]
            )
            for name in self._problem.used
        ]
        return max(levels, default=0)

    def infinite(self) -> list[Lemma]:
        """What is known to hold at all levels."""
        found = []
        for name in self._problem.used:
            delta = self._delta(name, -1)
            if delta is not None:
                self._context.keep(delta)
                texts = (text for _, text in self._texts.conjuncts(delta))
                found += [Lemma(name, INFINITY, text) for text in texts if text not in ("", "true")]
                self._context.release(delta)
        return found

    def all(self) -> list[Candidate]:
        """The lemmas of all frames from 1 up, each at the highest level where it holds."""
        return self._read((*range(1, self.height() + 1), -1))

    def _read(self, levels: Iterable[int]) -> list[Candidate]:
        """The formulas live until the next time, or the end: frames are read often, and new each time."""
        self._release()
        found = []
        for name in self._problem.used:
            for level in levels:
                delta = self._delta(name, level)
                if delta is None:
                    continue
                self._borrowed.append(self._texts.over_parameters(name, delta))
                for formula, text in self._texts.conjuncts(self._borrowed[-1]):
                    if text not in ("", "true"):
                        found.append(Candidate(Lemma(name, INFINITY if level < 0 else level, text), formula))
        return found

    def _delta(self, predicate: str, level: int) -> int | None:
        declaration = self._problem.declarations[predicate]
        found: int | None = native.Z3_fixedpoint_get_cover_delta(
            self._pointer, self._fixedpoint.pointer, level, declaration
        )
        return found

    # --- writing ----------------------------------------------------------------------------------------------------

    def add(self, candidate: Candidate) -> bool:
        """Adds a lemma to the frames up to its level; not if Z3 refuses, as when a limit of work is hit.

        Not by ``Z3_fixedpoint_add_constraint``, which was made for this: it lets C++ exceptions (of an interrupt, for
        example) fly through Python's frames, after which no thread ever gets the interpreter's lock again.
        """
        name = candidate.lemma.predicate
        variables = self._texts.variables(name)
        formula = self._instance(candidate.formula, name, variables)
        level = -1 if candidate.level == INFINITY else candidate.level
        declaration = self._problem.declarations[name]
        native.Z3_fixedpoint_add_cover(self._pointer, self._fixedpoint.pointer, level, declaration, formula)
        complaint = self._context.error_message()
        self._context.release(formula)
        return not complaint

    def _instance(self, formula: int, predicate: str, arguments: Sequence[int]) -> int:
        """Counted, to be released."""
        parameters = self._texts.parameters(predicate)
        made = lib.Z3_substitute(self._pointer, formula, len(parameters), array(parameters), array(list(arguments)))
        return self._context.keep(made)

    # --- proving ----------------------------------------------------------------------------------------------------

    def provable(self, candidates: Sequence[Candidate], own: Sequence[Candidate], cost_limit: int) -> list[Candidate]:
        """The greatest subset that the frames ``own`` and the subset itself prove (see above); none of them if the work
        exceeds the limit."""
        kept = list(candidates)
        end = self._fixedpoint.cost() + cost_limit
        while kept:
            passed: list[Candidate] = []
            for level in sorted({candidate.level for candidate in kept}):
                support = [c for c in (*own, *kept) if c.level >= (level if level == INFINITY else level - 1)]
                group = [candidate for candidate in kept if candidate.level == level]
                proved = self._proved(group, support, end)
                if proved is None:
                    return []
                passed += proved
            if len(passed) == len(kept):
                return passed
            kept = passed
        return []

    def _proved(self, group: Sequence[Candidate], support: Sequence[Candidate], end: int) -> list[Candidate] | None:
        """Those of ``group`` that every clause preserves, if ``support`` holds of its body; None after too much."""
        passed = list(group)
        for rule in self._problem.rules:
            if rule.head is None or not any(c.lemma.predicate == rule.head.predicate for c in passed):
                continue
            if self._fixedpoint.cost() > end:
                return None
            self._begin(rule, support)
            try:
                passed = [c for c in passed if c.lemma.predicate != rule.head.predicate or self._holds(c, rule, end)]
            finally:
                lib.Z3_solver_pop(self._pointer, self._solver, 1)
        return passed

    def _begin(self, rule: NativeRule, support: Sequence[Candidate]) -> None:
        """A new scope of the solver with the clause's body."""
        if not self._solver:
            self._solver = self._make_solver()
        lib.Z3_solver_push(self._pointer, self._solver)
        lib.Z3_solver_assert(self._pointer, self._solver, rule.constraint)
        for atom in rule.body:
            for known in support:
                if known.lemma.predicate == atom.predicate:
                    instance = self._instance(known.formula, atom.predicate, atom.arguments)
                    lib.Z3_solver_assert(self._pointer, self._solver, instance)
                    self._context.release(instance)

    def _holds(self, candidate: Candidate, rule: NativeRule, end: int) -> bool:
        if self._fixedpoint.cost() > end:
            return False
        assert rule.head is not None
        instance = self._instance(candidate.formula, rule.head.predicate, rule.head.arguments)
        negation = self._context.keep(lib.Z3_mk_not(self._pointer, instance))
        self._context.release(instance)
        lib.Z3_solver_push(self._pointer, self._solver)
        lib.Z3_solver_assert(self._pointer, self._solver, negation)
        self._context.release(negation)
        answer = lib.Z3_solver_check_assumptions(self._pointer, self._solver, 0, array([]))
        complaint = self._context.error_message()
        lib.Z3_solver_pop(self._pointer, self._solver, 1)
        return bool(answer == _UNSAT) and not complaint

    def _make_solver(self) -> int:
        solver = lib.Z3_mk_simple_solver(self._pointer)
        if solver is None:
            raise self._context.error()
        lib.Z3_solver_inc_ref(self._pointer, solver)
        params = lib.Z3_mk_params(self._pointer)
        lib.Z3_params_inc_ref(self._pointer, params)
        lib.Z3_params_set_uint(self._pointer, params, self._context.symbol("rlimit"), _PROOF_COST)
        lib.Z3_params_set_bool(self._pointer, params, self._context.symbol("ctrl_c"), False)
        lib.Z3_solver_set_params(self._pointer, solver, params)
        lib.Z3_params_dec_ref(self._pointer, params)
        return int(solver)
