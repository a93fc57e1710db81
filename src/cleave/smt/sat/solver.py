"""SAT solvers behind Cleave's own bit-blasting: MiniSat, Glucose and CaDiCaL, by way of PySAT (the extra ``sat``).

    solver = SatSolver("minisat")
    solver.add(eq(bv_binary(Op.BV_ADD, x, x), bv(6, 8)))

All of them get the same clauses. Bit vectors, Booleans and arrays are handled, as far as `blasting` goes. Its clauses
hold in general and stay when an assertion is popped: what is asserted above the lowest level is guarded by a literal of
the level.

The cost is the number of conflicts. A solver is asked for so many conflicts at a time, and in between it is looked
whether to continue.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cleave.errors import InternalError, MissingExtraError
from cleave.logic.sorts import SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.walk import substitute
from cleave.records import dataclass
from cleave.smt.sat.clauses import Clauses
from cleave.smt.sat.model import SatModel
from cleave.smt.solver import Answer, Capabilities, Template

NAMES = {"minisat": "minisat22", "glucose": "glucose42", "cadical": "cadical195"}
"""What PySAT calls them."""

_SLICE = 200  # conflicts: a fraction of a second, where a formula has a million clauses
_SLICES = 8  # a search that has gone on for long is looked at again after this part of its cost
_CAPABILITIES = Capabilities(
    sorts=frozenset(kind.name for kind in (SortKind.BOOL, SortKind.BITVEC, SortKind.ARRAY)),
    quantifiers=False,
    candidate_model=False,
    uninterpreted_functions=True,
    deterministic_cost=True,
)


def is_installed() -> bool:
    return importlib.util.find_spec("pysat") is not None


def require_installed(name: str) -> None:
    if not is_installed():
        raise MissingExtraError(f"the solver {name} needs PySAT", "sat")


def _native(name: str) -> Any:
    require_installed(name)
    solvers: Any = importlib.import_module("pysat.solvers")
    return solvers.Solver(name=NAMES[name])


@dataclass(frozen=True, slots=True)
class SatTemplate:
    owner: SatSolver
    parameters: tuple[Term, ...]
    formulas: tuple[Term, ...]


class SatSolver:
    """See `solver.Solver` for the contract. There are no seeds: the same clauses give the same search."""

    capabilities = _CAPABILITIES

    def __init__(self, name: str) -> None:
        self._native = _native(name)
        # PySAT's own way of freeing it fails at the end of the process.
        self._close = weakref.finalize(self, self._native.delete)
        self._clauses = Clauses()
        self._levels: list[int] = []  # the literals that guard what was asserted since each push
        self._assumptions: dict[int, Term] = {}
        self._answer: Answer | None = None
        self._reason = ""
        self._interrupted = False

    def close(self) -> None:
        """Gives the memory back; the solver can't be used any more, its models can."""
        self._close()

    # --- assertions ---------------------------------------------------------------------------------------------------

    def add(self, formula: Term) -> None:
        self._answer = None
        self._clauses.add(formula, tuple(-level for level in self._levels[-1:]))

    def push(self) -> None:
        self._answer = None
        self._levels.append(self._clauses.gates.fresh())

    def pop(self) -> None:
        if not self._levels:
            raise InternalError("pop without push")
        self._answer = None
        self._clauses.gates.require((-self._levels.pop(),))

    def template(self, parameters: Sequence[Term], formulas: Iterable[Term]) -> SatTemplate:
        if len(set(parameters)) < len(parameters) or not all(p.op is Op.VAR for p in parameters):
            raise InternalError("the parameters of a template are different variables")
        return SatTemplate(self, tuple(parameters), tuple(formulas))

    def instantiate(self, template: Template, arguments: Sequence[Term]) -> None:
        if not isinstance(template, SatTemplate) or template.owner is not self:
            raise InternalError("a template of another solver")
        if [a.sort for a in arguments] != [p.sort for p in template.parameters]:
            raise InternalError("the arguments of a template have the number and the sorts of its parameters")
        replacements = dict(zip(template.parameters, arguments, strict=True))
        for formula in template.formulas:
            self.add(substitute(formula, replacements))

    # --- answers ------------------------------------------------------------------------------------------------------

    def check(self, assumptions: Sequence[Term] = (), *, cost_limit: int = 0, seconds: float = 0.0) -> Answer:
        self._assumptions = {self._clauses.blasting.literal(term): term for term in assumptions}
        self._native.append_formula(self._clauses.gates.take(), no_return=True)
        began = self.cost()
        deadline = time.monotonic() + seconds if seconds > 0 else 0.0
        literals = [*self._levels, *self._assumptions]
        while True:
            reason = self._why_stop(began + cost_limit if cost_limit else 0, deadline)
            if reason:
                return self._answered(Answer.UNKNOWN, reason)
            budget = max(_SLICE, (self.cost() - began) // _SLICES)
            self._native.conf_budget(min(budget, began + cost_limit - self.cost()) if cost_limit else budget)
            found = _apart(lambda: self._native.solve_limited(assumptions=literals, expect_interrupt=True))
            if found is not None:
                return self._answered(Answer.SAT if found else Answer.UNSAT)

    def _why_stop(self, last_cost: int, deadline: float) -> str:
        if self._interrupted:
            return "interrupted"
        if last_cost and self.cost() >= last_cost:
            return "cost"
        return "timeout" if deadline and time.monotonic() >= deadline else ""

    def _answered(self, answer: Answer, reason: str = "") -> Answer:
        self._answer, self._reason, self._interrupted = answer, reason, False
        return answer

    def model(self) -> SatModel:
        if self._answer is not Answer.SAT:
            raise InternalError("a model is there after SAT")
        return SatModel(self._clauses.blasting, self._native.get_model())

    def assignment(self) -> SatModel:
        return self.model()

    def core(self) -> list[Term]:
        if self._answer is not Answer.UNSAT:
            raise InternalError("a core is there after UNSAT")
        failed = self._native.get_core() or ()
        return [self._assumptions[literal] for literal in failed if literal in self._assumptions]

    def reason_unknown(self) -> str:
        return self._reason

    def interrupt(self) -> None:
        self._interrupted = True

    def cost(self) -> int:
        return int(self._native.accum_stats()["conflicts"])

    def size(self) -> dict[str, int]:
        """How large the propositional formula is that was made of the assertions so far."""
        return {"variables": self._clauses.gates.variables, "clauses": self._clauses.gates.made}


def _apart(work: Callable[[], bool | None]) -> bool | None:
    """Does it in another thread: in the main one, PySAT would take SIGINT for itself."""
    done: list[bool | None] = []
    thread = threading.Thread(target=lambda: done.append(work()), name="sat")
    thread.start()
    thread.join()
    return done[0]
