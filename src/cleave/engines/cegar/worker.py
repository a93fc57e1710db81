"""A worker of the cegar engine: abstract successors, and the analysis of counterexamples (the paper's figure 4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import lru_cache

from cleave.engines.cegar import refinement
from cleave.engines.cegar.abstraction import Abstraction
from cleave.engines.cegar.messages import (
    Analyse,
    Analysed,
    Answer,
    Expand,
    Expanded,
    Failed,
    Feasible,
    FromWorker,
    Learn,
    Learned,
    Ready,
    Refined,
    Successors,
    ToWorker,
    decode_task,
    encode,
    pack,
    to_worker,
    unpack,
)
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.cegar.task import CegarProblem, read_problem
from cleave.engines.coordination import Clock, Turn, Work
from cleave.ir.transition_system import TransitionSystem
from cleave.logic import encoding
from cleave.logic.terms import Term
from cleave.smt.z3.solver import Z3Solver

_ANALYSIS_FACTOR = 2.2
"""An analysis takes so many times as long as its solver does: rows and their multipliers are worked out here."""

_PREPARATION_COST = 5_000
"""Of a solver for an analysis, in the solver's units: to make it, and to free it."""


def work(task: bytes, number: int, clock: Clock | None) -> Work:
    """A worker's whole life."""
    decoded = decode_task(task)
    problem = _assigned(task)
    return CegarWorker(problem.system, decoded.options, problem.known, is_alone=decoded.workers == 1).run()


@lru_cache(maxsize=1)
def _assigned(task: bytes) -> CegarProblem:
    """Read once in a process, however many workers it simulates: nothing in it belongs to one of them."""
    return read_problem(decode_task(task))


class CegarWorker:
    def __init__(
        self,
        system: TransitionSystem,
        options: CegarOptions,
        known: Sequence[tuple[int, Term]] = (),
        *,
        is_alone: bool = False,
    ) -> None:
        """``known`` are predicates of locations to begin with."""
        self._system = system
        self._known = known
        self._abstraction = Abstraction(system, options, is_alone=is_alone)
        self._analysis_limit = options.analysis_cost
        self._budget: refinement.Budget | None = None  # of the analysis under way
        self._unused: Z3Solver | None = None  # for the next one
        self._used: Z3Solver | None = None  # by the last one
        self._analysis_cost = 0

    def run(self) -> Work:
        """One order after the other; each is answered before the next is looked at."""
        inbox: deque[ToWorker] = deque()
        transitions = tuple((one.source, one.target) for one in self._system.transitions)
        known = tuple(Learned(location, encoding.encode([formula])) for location, formula in self._known)
        outgoing: tuple[FromWorker, ...] = (Ready(transitions, known),)
        while True:
            messages = tuple(map(encode, outgoing))
            is_idle = not inbox and self._unused is not None
            inbox.extend(map(to_worker, (yield Turn(messages, idle=is_idle, cost=self.cost()))))
            outgoing = ()
            self._prepare()
            while inbox and not outgoing:
                match inbox.popleft():
                    case Learn(predicates=predicates):
                        self._learn(predicates)
                    case Expand() as order:
                        outgoing = (self._expand(order),)
                    case Analyse() as order:
                        outgoing = (self._analyse(order),)

    def cost(self) -> int:
        return self._abstraction.cost() + self._analysis_cost

    def interrupt(self) -> None:
        """From any thread."""
        self._abstraction.interrupt()
        budget = self._budget
        if budget is not None:
            budget.interrupt()

    def _learn(self, predicates: tuple[Learned, ...]) -> None:
        for predicate in predicates:
            (formula,) = encoding.decode(predicate.formula)
            self._abstraction.learn(predicate.location, formula)

    def _expand(self, order: Expand) -> Expanded:
        cost, queries = self._abstraction.cost(), self._abstraction.queries
        self._abstraction.tell(order.facts)
        found: list[Successors] = []
        for piece in order.pieces:
            bits = unpack(piece.bits)
            posts = ((number, self._abstraction.post(number, bits, since)) for number, since in piece.transitions)
            found.append(Successors(tuple((number, pack(after)) for number, after in posts if after is not None)))
        spent = self._abstraction.cost() - cost
        return Expanded(
            order.number, tuple(found), spent, self._abstraction.queries - queries, self._abstraction.news()
        )

    def _prepare(self) -> None:
        """A solver for the next analysis, which others will wait for; now nobody does, as the last answer is sent."""
        if self._unused is None:
            if self._used is not None:
                self._used.close()
            self._used, self._unused = None, refinement.unused_solver()
            self._analysis_cost += _PREPARATION_COST

    def _analyse(self, order: Analyse) -> Analysed:
        self._budget = refinement.Budget(self._analysis_limit)
        self._used, self._unused = self._unused, None
        found = refinement.refine(self._system, order.path, self._budget, self._used)
        self._budget = None
        cost = int(_ANALYSIS_FACTOR * found.cost)
        self._analysis_cost += cost
        return Analysed(order.number, self._answer(order.path, found), _PREPARATION_COST + cost)

    def _answer(
        self, path: tuple[int, ...], found: refinement.Feasible | refinement.Refined | refinement.Failed
    ) -> Answer:
        match found:
            case refinement.Feasible(states=states):
                return Feasible(tuple(encoding.encode(state) for state in states))
            case refinement.Failed(reason=reason):
                return Failed(reason)
            case refinement.Refined(predicates=predicates):
                targets = [self._system.transitions[number].target for number in path]
                named = zip(targets, predicates, strict=False)
                useful = [(at, one) for at, own in named for one in own if not one.is_false]  # false is no successor
                return Refined(tuple(Learned(at, encoding.encode([one])) for at, one in useful))
