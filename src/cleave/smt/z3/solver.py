"""The Z3 backend.

    solver = Z3Solver()                       # the option set that Boogie gives to Z3
    solver = Z3Solver(profile=DEFAULT)        # Z3's own defaults

Each solver has a context of its own and shares nothing, so that solvers in different threads don't meet.

A **template** is translated with its parameters as constants, which are then replaced by de Bruijn variables; to
instantiate it, Z3 substitutes the arguments for these variables. Z3 shifts the variables below quantifiers itself.

**Interrupts.** Z3 only listens once its search has begun. An interrupt that comes between the start of `check` and that
moment would be lost, therefore it is repeated until the check is over. One that comes outside of any check is kept for
the next. SIGINT is left to Python: a caller that wants Ctrl-C to stop a check runs it in another thread than the main
one, or calls `interrupt` from one, because Python handles a signal only when the main thread comes back from Z3.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import ceil
from types import MappingProxyType

from cleave.errors import InternalError
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Op, Term, conj_all
from cleave.records import dataclass
from cleave.smt.solver import Answer, Capabilities, Template, Truths
from cleave.smt.z3.model import Z3Model
from cleave.smt.z3.native import Context, array, lib, text
from cleave.smt.z3.terms import Translator

_NO_LIMIT = 2**32 - 1


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A named set of Z3's options. ``incremental`` takes the plain SMT core, which keeps what it learned between
    checks; otherwise Z3 chooses among its solvers."""

    name: str
    incremental: bool
    options: Mapping[str, bool | int | float] = field(default_factory=dict)


# Of Boogie's set only nnf.sk_hack is missing: it can be set for the whole process only, and it has an effect only on
# triggers that apply a function of that name.
BOOGIE = Profile(
    name="boogie",
    incremental=True,
    options=MappingProxyType(
        {
            "auto_config": False,
            "mbqi": False,
            "case_split": 3,
            "delay_units": True,
            "phase_selection": 0,
            "restart_strategy": 0,
            "restart_factor": 1.5,
            "arith.random_initial_value": True,
            "arith.propagation_mode": 0,  # not Boogie's: a chain of 200 sums costs a fifth, drivers mostly less, too
            "qi.eager_threshold": 100.0,
            "array.weak": True,
            "array.extensional": False,
        }
    ),
)
ACTIVE = Profile(
    name="active",
    incremental=True,
    options=MappingProxyType({**BOOGIE.options, "case_split": 1, "phase_selection": 3}),
)
"""Boogie's, but a case split goes after what took part in recent conflicts instead of after the program, and begins
with the value that the literal had last instead of with false."""
EXTENSIONAL = Profile(
    name="extensional",
    incremental=True,
    options=MappingProxyType({k: v for k, v in BOOGIE.options.items() if not k.startswith("array.")}),
)
"""Boogie's, but maps with the same elements are equal, whatever made them. Drivers compare none."""
PLAIN = Profile(name="plain", incremental=True, options=MappingProxyType({"auto_config": False, "mbqi": False}))
CONJUNCTIVE = Profile(
    name="conjunctive",
    incremental=True,
    options=MappingProxyType({**PLAIN.options, "arith.propagation_mode": 0}),
)
"""Plain, but no bounds are derived from bounds, which does not pay where there is little to decide."""
DEFAULT = Profile(name="default", incremental=False)

_CAPABILITIES = Capabilities(
    sorts=frozenset(kind.name for kind in SortKind),
    quantifiers=True,
    candidate_model=True,
    uninterpreted_functions=True,
    deterministic_cost=True,
)


@dataclass(frozen=True)
class Z3Template:
    """The conjunction of the formulas, with the parameters as de Bruijn variables 0, 1, 2, ..."""

    context: Context
    formula: int
    sorts: list[Sort]


@dataclass(frozen=True)
class Trail:
    """The literals that the solver has assigned, as native terms. Only pointers of terms that the translator keeps are
    ever compared with them, so that no pointer can mean another term by now."""

    translator: Translator
    literals: frozenset[int]

    def is_true(self, term: Term) -> bool:
        return self.translator.ast(term) in self.literals


class Z3Solver:
    """See `solver.Solver` for the contract. `close` frees Z3's memory early; dropping the solver does, too.

    A context takes 16 MB and some milliseconds. A solver ``beside`` another one of the same thread shares that one's,
    and what was translated for it; their costs are one count.
    """

    capabilities = _CAPABILITIES

    def __init__(
        self,
        *,
        profile: Profile = BOOGIE,
        seed: int = 0,
        beside: Z3Solver | None = None,
        counts_checks: bool = False,
    ) -> None:
        self._lock = threading.RLock()  # guards the next three; re-entered by a signal handler that interrupts
        self._interrupted = False
        self._checks = 0
        self._running = 0  # the number of the check under way, or 0

        self._translator: Translator = Translator(Context()) if beside is None else beside._translator
        self._context = self._translator.context
        self._pointer = self._context.pointer
        self._incremental = profile.incremental
        make = lib.Z3_mk_simple_solver if profile.incremental else lib.Z3_mk_solver
        solver = make(self._pointer)
        if solver is None:
            raise self._context.error()
        self._solver: int = solver
        lib.Z3_solver_inc_ref(self._pointer, solver)
        self._options = {**profile.options, "random_seed": seed, "ctrl_c": False}
        self._limits = (_NO_LIMIT, 0)
        self._set_options(self._options)

        self._assumptions: dict[int, Term] = {}
        self._answer: Answer | None = None
        self._reason = ""
        self._depth = 0
        self._cost = 0
        self._counts_checks = counts_checks
        self._counted = -1  # how many checks of the context are in the cost

    def close(self) -> None:
        """Gives the memory back; the solver can't be used any more, its models can."""
        with self._lock:
            if self._solver and self._context.usable():
                lib.Z3_solver_dec_ref(self._pointer, self._solver)
            self._solver = 0
            self._answer = None

    def _native(self) -> int:
        """The solver's pointer, which Z3 would follow blindly."""
        if not self._solver:
            raise InternalError("the solver is closed")
        return self._solver

    def __del__(self) -> None:
        if getattr(self, "_solver", 0):
            self.close()

    # --- assertions -------------------------------------------------------------------------------------------------

    def add(self, formula: Term) -> None:
        self._assert(self._translator.ast(formula))

    def _assert(self, ast: int) -> None:
        self._answer = None
        lib.Z3_solver_assert(self._pointer, self._native(), ast)
        self._context.check()

    def push(self) -> None:
        self._answer = None
        lib.Z3_solver_push(self._pointer, self._native())
        self._context.check()
        self._depth += 1

    def pop(self) -> None:
        if not self._depth:
            raise InternalError("pop without push")
        self._answer = None
        lib.Z3_solver_pop(self._pointer, self._native(), 1)
        self._context.check()
        self._depth -= 1

    # --- templates --------------------------------------------------------------------------------------------------

    def template(self, parameters: Sequence[Term], formulas: Iterable[Term]) -> Z3Template:
        if len(set(parameters)) < len(parameters) or not all(p.op is Op.VAR for p in parameters):
            raise InternalError("the parameters of a template are different variables")
        constants = [self._translator.ast(p) for p in parameters]
        holes = [
            self._context.own(lib.Z3_mk_bound(self._pointer, place, self._translator.sort(p.sort)))
            for place, p in enumerate(parameters)
        ]
        ast = self._translator.ast(conj_all(formulas))
        made = lib.Z3_substitute(self._pointer, ast, len(holes), array(constants), array(holes))
        return Z3Template(self._context, self._context.own(made), [p.sort for p in parameters])

    def instantiate(self, template: Template, arguments: Sequence[Term]) -> None:
        if not isinstance(template, Z3Template) or template.context is not self._context:
            raise InternalError("a template of another solver")
        if [a.sort for a in arguments] != template.sorts:
            raise InternalError("the arguments of a template have the number and the sorts of its parameters")
        translate = self._translator.ast
        native = array([translate(a) for a in arguments])
        made = lib.Z3_substitute_vars(self._pointer, template.formula, len(arguments), native)
        instance = self._context.keep(made)
        try:
            self._assert(instance)
        finally:
            self._context.release(instance)

    # --- checks -----------------------------------------------------------------------------------------------------

    def check(self, assumptions: Sequence[Term] = (), *, cost_limit: int = 0, seconds: float = 0.0) -> Answer:
        native = [self._translator.ast(a) for a in assumptions]
        self._assumptions = dict(zip(native, assumptions, strict=True))
        self._limit(cost_limit, seconds)
        cost_end = self.cost() + cost_limit if cost_limit else 0
        self._context.checks += 1
        if not self._begin():
            return self._answered(Answer.UNKNOWN, "interrupted")
        try:
            result = lib.Z3_solver_check_assumptions(self._pointer, self._native(), len(native), array(native))
            complaint = self._context.error_message()
        finally:
            interrupted = self._end()
        if result == 0 or complaint:
            return self._answered(Answer.UNKNOWN, self._why(complaint, interrupted, cost_end, seconds))
        return self._answered(Answer.SAT if result > 0 else Answer.UNSAT)

    def _begin(self) -> bool:
        """Enters a check, unless an interrupt waits for it."""
        with self._lock:
            if self._interrupted:
                self._interrupted = False
                return False
            self._checks += 1
            self._running = self._checks
            return True

    def _end(self) -> bool:
        """Leaves a check; whether it was interrupted."""
        with self._lock:
            interrupted, self._interrupted = self._interrupted, False
            self._running = 0
            return interrupted

    def _answered(self, answer: Answer, reason: str = "") -> Answer:
        self._answer, self._reason = answer, reason
        return answer

    def _why(self, complaint: str, interrupted: bool, cost_end: int, seconds: float) -> str:
        """Z3's reason in the words of the protocol. It says "canceled" for interrupts, and for both limits, too."""
        reason = complaint or text(lib.Z3_solver_get_reason_unknown(self._pointer, self._solver))
        if "quantifiers" in reason:
            return "quantifiers"
        if "memory" in reason or "memout" in reason:
            return "memory"
        if not any(word in reason for word in ("cancel", "interrupt", "timeout", "resource limit")):
            return reason.removeprefix("(").removesuffix(")")
        if interrupted:
            return "interrupted"
        if cost_end and ("resource limit" in reason or self.cost() >= cost_end):
            return "cost"
        return "timeout" if seconds > 0 else "interrupted"

    def _limit(self, cost_limit: int, seconds: float) -> None:
        milliseconds = min(ceil(seconds * 1000), _NO_LIMIT - 1) if seconds > 0 else _NO_LIMIT
        limits = (milliseconds, min(cost_limit, _NO_LIMIT))
        if limits != self._limits:
            self._limits = limits
            self._set_options({**self._options, "timeout": limits[0], "rlimit": limits[1]})

    def _set_options(self, options: Mapping[str, bool | int | float]) -> None:
        params = lib.Z3_mk_params(self._pointer)
        lib.Z3_params_inc_ref(self._pointer, params)
        for name, value in options.items():
            if isinstance(value, bool):
                setter = lib.Z3_params_set_bool
            else:
                setter = lib.Z3_params_set_double if isinstance(value, float) else lib.Z3_params_set_uint
            setter(self._pointer, params, self._context.symbol(name), value)
        lib.Z3_solver_set_params(self._pointer, self._solver, params)
        complaint = self._context.error_message()
        lib.Z3_params_dec_ref(self._pointer, params)
        if complaint:
            raise InternalError(f"Z3 refuses an option: {complaint}")

    def interrupt(self) -> None:
        with self._lock:
            self._interrupted = True
            running = self._running
        if running:
            threading.Thread(target=self._keep_interrupting, args=(running,), daemon=True).start()

    def _keep_interrupting(self, number: int) -> None:
        while True:
            with self._lock:
                if self._running != number:
                    return
                lib.Z3_solver_interrupt(self._pointer, self._solver)
            time.sleep(0.01)

    # --- answers ----------------------------------------------------------------------------------------------------

    def model(self) -> Z3Model:
        if self._answer is not Answer.SAT and self._answer is not Answer.UNKNOWN:
            raise InternalError("a model is there after SAT, or after UNKNOWN as a candidate")
        return Z3Model(self._translator, lib.Z3_solver_get_model(self._pointer, self._solver))

    def assignment(self) -> Truths:
        """From the solver's trail; Z3 can take seconds to build the arrays of a model that nobody looks at."""
        if not self._incremental:
            return self.model()
        if self._answer is not Answer.SAT and self._answer is not Answer.UNKNOWN:
            raise InternalError("an assignment is there after SAT, or after UNKNOWN as a candidate")
        return Trail(self._translator, frozenset(self._read(lib.Z3_solver_get_trail(self._pointer, self._solver))))

    def core(self) -> list[Term]:
        if self._answer is not Answer.UNSAT:
            raise InternalError("a core is there after UNSAT")
        core = self._read(lib.Z3_solver_get_unsat_core(self._pointer, self._solver))
        return [self._assumptions[ast] for ast in core]

    def _read(self, vector: int | None) -> list[int]:
        if vector is None:
            raise self._context.error()
        pointer, get = self._pointer, lib.Z3_ast_vector_get
        lib.Z3_ast_vector_inc_ref(pointer, vector)
        found = [get(pointer, vector, place) for place in range(lib.Z3_ast_vector_size(pointer, vector))]
        lib.Z3_ast_vector_dec_ref(pointer, vector)
        return found

    def reason_unknown(self) -> str:
        return self._reason

    def cost(self) -> int:
        """Z3's "rlimit count"; it has 32 bits there and is unwound here, if asked for at least once a round. To ask Z3
        takes as long as many a question: whoever ``counts_checks`` does so only if there was one since the last."""
        if self._counts_checks and self._counted == self._context.checks:
            return self._cost
        self._counted = self._context.checks
        statistics = lib.Z3_solver_get_statistics(self._pointer, self._native())
        if statistics is None:
            raise self._context.error()
        lib.Z3_stats_inc_ref(self._pointer, statistics)
        for place in range(lib.Z3_stats_size(self._pointer, statistics)):
            if lib.Z3_stats_get_key(self._pointer, statistics, place) == b"rlimit count":
                count = lib.Z3_stats_get_uint_value(self._pointer, statistics, place)
                self._cost += (count - self._cost) % 2**32
        lib.Z3_stats_dec_ref(self._pointer, statistics)
        return self._cost
