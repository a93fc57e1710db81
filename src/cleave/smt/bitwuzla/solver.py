"""The Bitwuzla backend: bit vectors, Booleans, arrays, uninterpreted functions; the bit-precise solver for threads.

    solver = BitwuzlaSolver()
    solver.add(eq(bv_binary(Op.BV_ADD, x, x), bv(6, 8)))

Bitwuzla asks a callback now and then whether to continue. That is how interrupts and limits arrive. The number of these
questions depends only on the search, so that it serves as the cost.

Int and Real are refused with `UnsupportedError` when they come up. A model can be read until the next call that changes
the solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

import bitwuzla

from cleave.errors import InternalError, UnsupportedError
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Op, Term
from cleave.records import dataclass
from cleave.smt.bitwuzla.managers import free_managers, new_manager
from cleave.smt.bitwuzla.model import BitwuzlaModel
from cleave.smt.bitwuzla.terms import Translator
from cleave.smt.solver import Answer, Capabilities, Template

_CAPABILITIES = Capabilities(
    sorts=frozenset(kind.name for kind in (SortKind.BOOL, SortKind.BITVEC, SortKind.ARRAY)),
    quantifiers=True,
    candidate_model=False,
    uninterpreted_functions=True,
    deterministic_cost=True,
)


class _Stop:
    """Whether to stop, and why. Bitwuzla holds on to it: it must not refer to the solver, or neither is ever freed."""

    def __init__(self) -> None:
        self.interrupted = False
        self.questions = 0
        self.last_question = 0  # 0: no limit
        self.deadline = 0.0  # 0: none

    def __call__(self) -> bool:
        self.questions += 1
        return bool(self.reason())

    def reason(self) -> str:
        if self.interrupted:
            return "interrupted"
        if self.last_question and self.questions >= self.last_question:
            return "cost"
        if self.deadline and time.monotonic() >= self.deadline:
            return "timeout"
        return ""


class _Natives:
    """All that refers to Bitwuzla's own objects, for one solver."""

    def __init__(self, seed: int, stop: _Stop) -> None:
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        if seed:
            options.set(bitwuzla.Option.SEED, seed)
        self.terms = new_manager()
        self.translator = Translator(self.terms)
        self.solver = bitwuzla.Bitwuzla(self.terms, options)
        self.solver.configure_terminator(stop)
        self.assumptions: dict[Any, Term] = {}
        self.templates: list[tuple[list[Any], list[Any]]] = []  # parameters, formulas


_numbers = count()


@dataclass(frozen=True)
class BitwuzlaTemplate:
    """The number of a template of one solver."""

    owner: int
    number: int
    sorts: list[Sort]


class BitwuzlaSolver:
    """See `solver.Solver` for the contract."""

    capabilities = _CAPABILITIES

    def __init__(self, *, seed: int = 0) -> None:
        self._number = next(_numbers)
        self._stop = _Stop()
        self._natives: _Natives | None = _Natives(seed, self._stop)
        self._answer: Answer | None = None
        self._reason = ""
        self._depth = 0
        self._state = 0  # counts the calls that end the life of a model

    def close(self, _free: Callable[[], None] = free_managers) -> None:
        """Gives the memory back; neither the solver nor its models can be used any more. (The default argument is for
        the end of the process, when the module's own names are gone.)"""
        self._natives = None
        _free()

    __del__ = close

    @property
    def _native(self) -> _Natives:
        if self._natives is None:
            raise InternalError("the solver is closed")
        return self._natives

    def _changed(self) -> None:
        self._answer = None
        self._state += 1

    def add(self, formula: Term) -> None:
        native = self._native.translator.term(formula)
        self._changed()
        self._native.solver.assert_formula(native)

    def push(self) -> None:
        self._changed()
        self._native.solver.push()
        self._depth += 1

    def pop(self) -> None:
        if not self._depth:
            raise InternalError("pop without push")
        self._changed()
        self._native.solver.pop()
        self._depth -= 1

    def template(self, parameters: Sequence[Term], formulas: Iterable[Term]) -> BitwuzlaTemplate:
        if len(set(parameters)) < len(parameters) or not all(p.op is Op.VAR for p in parameters):
            raise InternalError("the parameters of a template are different variables")
        native = self._native
        translate = native.translator.term
        native.templates.append(([translate(p) for p in parameters], [translate(f) for f in formulas]))
        return BitwuzlaTemplate(self._number, len(native.templates) - 1, [p.sort for p in parameters])

    def instantiate(self, template: Template, arguments: Sequence[Term]) -> None:
        if not isinstance(template, BitwuzlaTemplate) or template.owner != self._number:
            raise InternalError("a template of another solver")
        if [a.sort for a in arguments] != template.sorts:
            raise InternalError("the arguments of a template have the number and the sorts of its parameters")
        native = self._native
        parameters, formulas = native.templates[template.number]
        replacements = {p: native.translator.term(a) for p, a in zip(parameters, arguments, strict=True)}
        self._changed()
        if formulas:
            native.solver.assert_formula(*native.terms.substitute_terms(formulas, replacements))

    def check(self, assumptions: Sequence[Term] = (), *, cost_limit: int = 0, seconds: float = 0.0) -> Answer:
        native = self._native
        native.assumptions = {native.translator.term(a): a for a in assumptions}
        self._changed()
        stop = self._stop
        if stop.interrupted:
            stop.interrupted = False
            return self._answered(Answer.UNKNOWN, "interrupted")
        stop.last_question = stop.questions + cost_limit if cost_limit else 0
        stop.deadline = time.monotonic() + seconds if seconds > 0 else 0.0
        try:
            result = native.solver.check_sat(*native.assumptions)
        except bitwuzla.BitwuzlaException as error:
            raise UnsupportedError(f"Bitwuzla: {error}") from error
        finally:
            reason, stop.interrupted = stop.reason(), False
        if result == bitwuzla.Result.UNKNOWN:
            return self._answered(Answer.UNKNOWN, reason or "unknown")
        return self._answered(Answer.SAT if result == bitwuzla.Result.SAT else Answer.UNSAT)

    def _answered(self, answer: Answer, reason: str = "") -> Answer:
        self._answer, self._reason = answer, reason
        return answer

    def assignment(self) -> BitwuzlaModel:
        return self.model()

    def model(self) -> BitwuzlaModel:
        if self._answer is not Answer.SAT:
            raise InternalError("a model is there after SAT")
        state = self._state

        def current() -> tuple[Translator, Any] | None:
            return (self._native.translator, self._native.solver) if self._state == state else None

        return BitwuzlaModel(current)

    def core(self) -> list[Term]:
        if self._answer is not Answer.UNSAT:
            raise InternalError("a core is there after UNSAT")
        return [self._native.assumptions[a] for a in self._native.solver.get_unsat_assumptions()]

    def reason_unknown(self) -> str:
        return self._reason

    def interrupt(self) -> None:
        self._stop.interrupted = True

    def cost(self) -> int:
        return self._stop.questions

    def size(self) -> dict[str, int]:
        """How large the propositional formula is that was made of the assertions so far."""
        known = self._native.solver.statistics()
        return {word: int(known[f"solver::bv::bitblast::cnf::num_{key}"]) for word, key in _SIZES.items()}


_SIZES = {"variables": "vars", "clauses": "clauses"}
