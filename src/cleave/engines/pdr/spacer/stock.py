"""Z3 on Horn clauses as its own command does it: from their text, with Z3's own rewriting of clauses.

    run = StockRun(system, text)            # text: of an SMT-LIB file that asserts the clauses of the system
    event = run.resume()
    while isinstance(event, Paused | Busy):
        event = run.resume()
    run.stop()
    event      # SafeAnswer(interpretation of the system) | NoAnswer(reason)

What SPACER does depends on the form of the clauses as much as on its options, so this finds answers that the strategies
of `run` do not find, and the other way around. It can't pause, sends and receives no lemmas, and an "unsafe"
comes without a derivation: it is no answer here. Where the work has to be done in slices (``slice_cost``), each is a
try from the beginning with a limit of cost, `_GROWTH` times that of the one before.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue

from cleave.engines.pdr.spacer.events import Answered, Busy, Event, NoAnswer, Paused, SafeAnswer
from cleave.engines.pdr.spacer.lemmas import Lemma
from cleave.engines.pdr.spacer.native import SORTED_DISJUNCTIONS, native
from cleave.engines.pdr.spacer.problem import named_sorts
from cleave.errors import CleaveError, InternalError, UnsupportedError
from cleave.ir.horn import HornSystem, Relation
from cleave.logic.terms import Term, var
from cleave.records import dataclass
from cleave.smt.deep_thread import deep_thread
from cleave.smt.z3.native import Context, lib, text
from cleave.smt.z3.read import Reader

_INTERRUPT_SECONDS = 0.01
_GROWTH = 4
_SAFE, _UNSAFE = 1, -1
_LARGEST_LIMIT = 2**32 - 1


@dataclass(slots=True)
class _Try:
    """One query, in a thread and a context of its own."""

    source: bytes
    limit: int
    context: Context | None = None
    solver: int = 0
    verdict: int = 0
    reason: str = ""
    cost: int = 0

    def work(self) -> None:
        context = Context()
        pointer = context.pointer
        self.solver = native.Z3_mk_solver_for_logic(pointer, context.symbol("HORN"))
        lib.Z3_solver_inc_ref(pointer, self.solver)
        self._limit(context)
        self.context = context  # from here on it can be interrupted
        native.Z3_solver_from_string(pointer, self.solver, self.source)
        self.reason = context.error_message()
        if self.reason:
            return
        self.verdict = native.Z3_solver_check(pointer, self.solver)
        self.reason = context.error_message() or text(lib.Z3_solver_get_reason_unknown(pointer, self.solver))
        self.cost = self._spent(context)
        if self.limit and not self.verdict and "resource" in self.reason:
            self.cost = max(self.cost, self.limit)  # Z3 sets its count back when a limit was hit

    def _limit(self, context: Context) -> None:
        if not self.limit:
            return
        params = lib.Z3_mk_params(context.pointer)
        lib.Z3_params_inc_ref(context.pointer, params)
        lib.Z3_params_set_uint(context.pointer, params, context.symbol("rlimit"), self.limit)
        lib.Z3_solver_set_params(context.pointer, self.solver, params)
        lib.Z3_params_dec_ref(context.pointer, params)

    def _spent(self, context: Context) -> int:
        pointer, found = context.pointer, 0
        statistics = lib.Z3_solver_get_statistics(pointer, self.solver)
        if statistics is None:
            return self.limit
        lib.Z3_stats_inc_ref(pointer, statistics)
        for place in range(lib.Z3_stats_size(pointer, statistics)):
            if lib.Z3_stats_get_key(pointer, statistics, place) == b"rlimit count":
                found = max(found, lib.Z3_stats_get_uint_value(pointer, statistics, place))
        lib.Z3_stats_dec_ref(pointer, statistics)
        return found

    def close(self) -> None:
        """After its thread has ended."""
        if self.context is not None:
            lib.Z3_solver_dec_ref(self.context.pointer, self.solver)
            self.context.close()
        self.context = None


class StockRun:
    """One query. `stop` must be called in the end. ``poll_seconds`` as for `SpacerRun`. It ends without an answer after
    about ``cost_limit`` (0: never)."""

    def __init__(
        self,
        system: HornSystem,
        source: bytes,
        *,
        poll_seconds: float | None = None,
        slice_cost: int = 0,
        cost_limit: int = 0,
    ) -> None:
        self._system = system
        self._source = source
        self._poll_seconds = poll_seconds
        self._limit = min(slice_cost or cost_limit, cost_limit or slice_cost)
        self._cost_limit = cost_limit
        self._spent = 0  # by tries that are over
        self._answer: Answered | None = None
        self._try: _Try | None = None
        self._thread: threading.Thread | None = None
        self._ended: SimpleQueue[CleaveError | None] = SimpleQueue()
        if named_sorts(system):
            self._answer = NoAnswer("the model of clauses with sorts of their own is not read")

    def resume(self, imports: Sequence[Lemma] = ()) -> Event:
        """Lets Z3 work until it answers, or to the end of a slice (or, with ``poll_seconds``, for that long)."""
        if self._answer is not None:
            return self._answer
        if self._try is None:
            self._begin()
        try:
            failure = self._ended.get(timeout=self._poll_seconds)
        except Empty:
            return Busy((), 0, self._spent)
        assert self._thread is not None
        assert self._try is not None
        self._thread.join()
        SORTED_DISJUNCTIONS.end()
        tried, self._try, self._thread = self._try, None, None
        self._spent += tried.cost
        try:
            if failure is not None:
                raise failure
            self._answer = self._read(tried)
        finally:
            tried.close()
        return self._answer or Paused((), 0, self._spent)

    def stop(self) -> None:
        """Ends the query, wherever it is, and frees all memory; waits for both."""
        self._answer = self._answer or NoAnswer("stopped")
        while self._thread is not None and self._thread.is_alive():
            if self._try is not None and self._try.context is not None:
                native.Z3_interrupt(self._try.context.pointer)
            self._thread.join(_INTERRUPT_SECONDS)
        if self._try is not None:
            SORTED_DISJUNCTIONS.end()
            self._try.close()
        self._try = self._thread = None

    def cost(self) -> int:
        """The work done, without that of a try under way."""
        return self._spent

    def counts(self) -> Mapping[str, int]:
        return {}

    def _begin(self) -> None:
        begun = self._try = _Try(self._source, min(self._limit, _LARGEST_LIMIT))

        def work() -> None:
            failure: CleaveError | None = None
            try:
                begun.work()
            except CleaveError as error:
                failure = error
            except Exception as error:  # to the caller's thread
                failure = InternalError(f"in stock SPACER's thread: {error!r}")
            self._ended.put(failure)

        SORTED_DISJUNCTIONS.begin()
        self._thread = deep_thread(work, "cleave-stock-spacer")

    def _read(self, tried: _Try) -> Answered | None:
        """The answer; None if the slice is over."""
        if tried.verdict == _SAFE:
            try:
                return SafeAnswer(self._relations(tried))
            except UnsupportedError as error:
                return NoAnswer(f"the answer can't be read: {error}")
        if tried.verdict == _UNSAFE:
            return NoAnswer("unsafe, it says, without a derivation")
        if self._limit and tried.cost >= tried.limit:
            self._limit *= _GROWTH
            return NoAnswer("cost") if self._cost_limit and self._spent >= self._cost_limit else None
        return NoAnswer(tried.reason or "unknown")

    def _relations(self, tried: _Try) -> dict[str, Relation]:
        assert tried.context is not None
        pointer = tried.context.pointer
        functions = {function.name: function for function in self._system.functions if function.arguments}
        reader = Reader(tried.context, {}, functions, {})
        model = lib.Z3_solver_get_model(pointer, tried.solver)
        if model is None:
            raise UnsupportedError("Z3 gives no model")
        lib.Z3_model_inc_ref(pointer, model)
        try:
            return {
                name: Relation(parameters, reader.term(formula, parameters))
                for name, formula in _definitions(tried.context, model)
                if name in self._system.predicates
                for parameters in (self._parameters(name),)
            }
        finally:
            lib.Z3_model_dec_ref(pointer, model)

    def _parameters(self, name: str) -> tuple[Term, ...]:
        return tuple(var(f"a{place}", sort) for place, sort in enumerate(self._system.predicates[name].sorts))


def _definitions(context: Context, model: int) -> Iterator[tuple[str, int]]:
    """The names of the model's predicates, and formulas over de Bruijn variables that are numbered like arguments."""
    pointer = context.pointer
    for place in range(native.Z3_model_get_num_consts(pointer, model)):
        declaration = native.Z3_model_get_const_decl(pointer, model, place)
        value = lib.Z3_model_get_const_interp(pointer, model, declaration)
        if value is not None:
            yield _name(context, declaration), context.own(value)
    for place in range(native.Z3_model_get_num_funcs(pointer, model)):
        declaration = native.Z3_model_get_func_decl(pointer, model, place)
        meaning = lib.Z3_model_get_func_interp(pointer, model, declaration)
        if meaning is None:
            continue
        lib.Z3_func_interp_inc_ref(pointer, meaning)
        entries = lib.Z3_func_interp_get_num_entries(pointer, meaning)
        formula = lib.Z3_func_interp_get_else(pointer, meaning)
        if formula is not None and not entries:
            yield _name(context, declaration), context.own(formula)
        lib.Z3_func_interp_dec_ref(pointer, meaning)


def _name(context: Context, declaration: int) -> str:
    symbol = lib.Z3_get_decl_name(context.pointer, declaration)
    if lib.Z3_get_symbol_kind(context.pointer, symbol) == 0:
        return ""  # a number: one of Z3's own
    return text(lib.Z3_get_symbol_string(context.pointer, symbol))
