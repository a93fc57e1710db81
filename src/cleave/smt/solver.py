"""The solver interface that engines and validators see; backends are `z3`, `bitwuzla`, `cvc5`, `sat`.

    solver = Z3Solver()
    solver.add(lt(x, integer(3)))
    solver.check([a, b])      # Answer.SAT | UNSAT | UNKNOWN, under the assumptions a and b
    solver.model()            # after SAT (after UNKNOWN: a candidate, where `candidate_model` is a capability)
    solver.core()             # after UNSAT: the assumptions that were used

Solver objects stay inside `smt`: what goes in and comes out are Cleave's own terms. One solver belongs to one thread;
only `interrupt` may be called from another one.

**Templates** are the hot path of inlining: ``template(parameters, formulas)`` translates once, and each
``instantiate(template, arguments)`` is native substitution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Protocol

from cleave.logic.terms import Function, Term
from cleave.logic.values import FunctionTable
from cleave.records import dataclass


class Answer(Enum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do, as data, so that callers choose rather than try."""

    sorts: frozenset[str]  # names of SortKind
    quantifiers: bool
    candidate_model: bool  # a model can be read after UNKNOWN
    uninterpreted_functions: bool
    deterministic_cost: bool  # cost() counts work, the same in every run


class Truths(Protocol):
    """The truth of Boolean variables, a part of a model that some solvers give much faster than the rest."""

    def is_true(self, term: Term) -> bool:
        """Whether a variable is true; one that the solver did not need is false."""


class Model(Protocol):
    """Values are Python's: bool, int, Fraction, int (bit vectors, unsigned), MapValue, UninterpretedValue,
    DatatypeValue."""

    def value(self, term: Term) -> Any:
        """The value of any quantifier-free term, completed where the model leaves it open."""

    def is_true(self, term: Term) -> bool:
        """The value of a Boolean term."""

    def function(self, function: Function) -> FunctionTable:
        """The interpretation of an uninterpreted function."""


class Template(Protocol):
    """Formulas translated once, with holes for their parameters."""


class Solver(Protocol):
    """One incremental solver with its own context.

    fresh ──add──▶ ready ──check──▶ answered ──(model after SAT | core after UNSAT)
      ▲               ▲                 │
      └───────────────┴──add, push, pop─┘
    """

    capabilities: Capabilities

    def add(self, formula: Term) -> None:
        """Asserts ``formula`` from now on (until the matching pop)."""

    def push(self) -> None: ...

    def pop(self) -> None: ...

    def check(self, assumptions: Sequence[Term] = (), *, cost_limit: int = 0, seconds: float = 0.0) -> Answer:
        """Decides the assertions under ``assumptions`` (Boolean variables or their negations).

        UNKNOWN comes with `reason_unknown`. A limit of 0 is none.
        """

    def model(self) -> Model: ...

    def assignment(self) -> Truths:
        """What the model says about Boolean variables; valid until the solver changes."""

    def core(self) -> list[Term]:
        """The assumptions that the last UNSAT used; not minimal."""

    def reason_unknown(self) -> str:
        """``interrupted``, ``timeout``, ``memory``, ``cost``, ``quantifiers`` (a candidate model may exist),
        ``incomplete ...`` (likewise: Z3 says so of arrays that it treats weakly) or the solver's own word; empty after
        another answer than UNKNOWN."""

    def interrupt(self) -> None:
        """Makes a running (or the next) check answer UNKNOWN soon; from any thread."""

    def cost(self) -> int:
        """The work done so far, as a count that does not depend on the machine (0 where not supported)."""

    def template(self, parameters: Sequence[Term], formulas: Iterable[Term]) -> Template:
        """Translates ``formulas`` once; the variables among ``parameters`` become holes."""

    def instantiate(self, template: Template, arguments: Sequence[Term]) -> None:
        """Asserts the template's formulas with ``arguments``, variables or other terms, for its parameters."""
