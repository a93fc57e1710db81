"""The coordinator of a distributed predicate abstraction, a pure state machine (the paper's figure 3).

    explore:   states whose successors are wanted go to workers that wait, until the exploration ends
    analyse:   one worker finds out whether the counterexample can be executed
    refine:    if not, all learn the predicates that exclude it, and the next iteration begins

It knows no formula: a state is a set of numbers, a predicate is bytes. What it concludes depends on the successors and
on the answers of analyses, which are the same whoever finds them, and on nothing else; a lost worker's work is done
again by another one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from cleave.engines.cegar.analysis import Analysis
from cleave.engines.cegar.exploration import Counterexamples, Covered, Exploration, State
from cleave.engines.cegar.facts import FactBoard
from cleave.engines.cegar.messages import (
    Analyse,
    Analysed,
    Expand,
    Expanded,
    Finding,
    GivenUp,
    Learn,
    Learned,
    Ready,
    Task,
    Violated,
    encode,
    from_worker,
    pack,
    unpack,
)
from cleave.engines.cegar.messages import Covered as CoveredAnswer
from cleave.engines.cegar.naive import Naive
from cleave.engines.cegar.pieces import PieceQueue
from cleave.engines.cegar.posts import Posts
from cleave.engines.cegar.predictable import Predictable
from cleave.engines.cegar.staff import Order, Staff
from cleave.engines.coordination import STOPPED, Command, Event, Finish, Hire, Joined, Lost, Passed, Received, Send
from cleave.errors import InternalError

_PATIENCE_SECONDS = 1.0  # a search that ends sooner needs one worker only, ...
_LEAST_CHUNK, _ROUND = 8, 64  # transitions of a piece, at least; of one piece for each worker, about
_PATIENCE_COST = 100_000  # ... and so does one that costs less
_MOST_LOSSES = 16  # work that has taken so many workers with it is given up, ...
_MOST_FOR_MEMORY = 2  # ... and sooner if they ran out of memory


class CegarCoordinator:
    def __init__(self, task: Task) -> None:
        self._options = task.options
        self._transitions: tuple[tuple[int, int], ...] | None = None
        self._posts = Posts(())
        self._exploration: Exploration | None = None
        self._analysis: Analysis | None = None
        self._log: list[Learned] = []  # all predicates, in the order in which they were learned
        self._predicates: set[Learned] = set()
        self._facts = FactBoard()
        self._named: set[State] = set()  # that this iteration asked for
        self._staff = Staff()
        self._again: deque[Order] = deque()  # what has to be done first: analyses, and what lost workers left behind
        self._pieces = PieceQueue(task.options.chunk or max(_LEAST_CHUNK, _ROUND // task.options.workers))
        self._hired = 1
        self._finding: Finding | None = None
        self._totals = {"iterations": 0, "posts": 0, "queries": 0, "lost_workers": 0}
        self._costs = {"cost": 0, "refinement_cost": 0}

    def start(self) -> list[Command]:
        return [Hire(self._hired)]

    def on(self, event: Event) -> list[Command]:
        if self._finding is not None:
            return []
        commands = self._on(event)
        if self._finding is not None:
            return [Finish(encode(self._finding))]
        return [*self._hire_all(), *commands] if self._costs["cost"] >= _PATIENCE_COST else commands

    def _on(self, event: Event) -> list[Command]:
        match event:
            case Joined(worker=worker):
                self._staff.join(worker)
                return []
            case Lost(worker=worker, reason=reason):
                return self._on_lost(worker, reason)
            case Received(worker=worker, message=message):
                return self._on_message(worker, message)
            case Passed(seconds=seconds):
                return self._hire_all() if seconds >= _PATIENCE_SECONDS else []

    def counters(self) -> dict[str, int | float]:
        """``states`` are those of the iteration's tree; ``cost`` includes that of refinements."""
        return {
            "workers": len(self._staff),
            "waiting": self._staff.waiting,
            "predicates": len(self._log),
            "states": self._exploration.size() if self._exploration is not None else 0,
            **self._totals,
            **self._costs,
        }

    def learned(self) -> tuple[Learned, ...]:
        """All predicates, in the order in which they were learned."""
        return tuple(self._log)

    # --- events -------------------------------------------------------------------------------------------------------

    def _on_message(self, worker: int, message: bytes) -> list[Command]:
        if worker not in self._staff:
            return []  # from a worker that was given up; its work is in other hands
        decoded = from_worker(message)
        match decoded:
            case Ready(transitions=transitions):
                self._set_up(transitions)
                self._staff.ready(worker)
            case Expanded():
                self._on_expanded(worker, decoded)
            case Analysed():
                self._on_analysed(worker, decoded)
        return self._go_on()

    def _set_up(self, transitions: tuple[tuple[int, int], ...]) -> None:
        if self._transitions is None:
            self._transitions = transitions
            self._posts = Posts(transitions)
            self._begin_iteration()
        elif self._transitions != transitions:
            raise InternalError("workers read the same task differently")

    def _on_expanded(self, worker: int, done: Expanded) -> None:
        order = self._staff.done(worker, done.number)
        for fact in done.facts:
            self._facts.add(worker, self._posts.source(fact.transition), fact)
        self._totals["posts"] += sum(len(piece.transitions) for _, piece in order.pieces)
        self._totals["queries"] += done.queries
        self._costs["cost"] += done.cost
        for (state, piece), successors in zip(order.pieces, done.successors, strict=True):
            taken = [(number, unpack(bits)) for number, bits in successors.taken]
            if self._posts.add(state, piece.transitions, taken):
                self._on_known(state)

    def _on_known(self, state: State) -> None:
        if self._posts.lookup(state) is None:  # predicates were learned meanwhile
            if state in self._named:
                self._enqueue(state)
        elif self._exploration is not None:
            self._exploration.known(state)

    def _on_analysed(self, worker: int, done: Analysed) -> None:
        order = self._staff.done(worker, done.number)
        self._costs["cost"] += done.cost
        self._costs["refinement_cost"] += done.cost
        if self._analysis is None or order.counterexample is None:
            raise InternalError("a worker analysed what it was not told to")
        self._analysis.answers[order.counterexample] = done.answer
        if self._analysis.is_over:
            self._conclude(self._analysis)

    def _conclude(self, analysis: Analysis) -> None:
        self._analysis = None
        match analysis.conclusion(self._predicates):
            case Violated() as violated:
                self._finding = Finding(violated)
            case GivenUp(reason=reason, detail=detail):
                self._give_up(reason, detail)
            case predicates:
                self._learn(predicates)
                self._begin_iteration()

    def _on_lost(self, worker: int, reason: str) -> list[Command]:
        if worker not in self._staff:
            return []
        self._facts.forget(worker)
        self._pieces.forget(worker)
        self._totals["lost_workers"] += reason != STOPPED
        orders = list(self._staff.leave(worker))
        if orders and reason != STOPPED:
            self._blame(orders[0], reason)  # it had not begun with the next one
        self._again.extend(orders)
        return self._go_on()

    def _blame(self, order: Order, reason: str) -> None:
        order.losses += 1
        if order.losses >= (_MOST_FOR_MEMORY if reason == "memory" else _MOST_LOSSES):
            why = "memory" if reason == "memory" else "lost"
            self._give_up(why, f"a piece of work took {order.losses} workers with it")

    # --- iterations ---------------------------------------------------------------------------------------------------

    def _begin_iteration(self) -> None:
        self._totals["iterations"] += 1
        limit = self._options.iterations
        if limit and self._totals["iterations"] > limit:
            self._totals["iterations"] = limit
            self._give_up("iterations", f"neither proof nor violation in {limit} iterations")
            return
        lookup = self._posts.lookup
        self._exploration = Naive(lookup) if self._options.naive else Predictable(lookup, self._options.counterexamples)
        self._named = set()

    def _learn(self, new: Iterable[Learned]) -> None:
        for one in new:
            self._predicates.add(one)
            self._log.append(one)
            self._posts.learn(one.location)

    def _go_on(self) -> list[Command]:
        """Whoever waits gets something to do, if there is something."""
        exploration = self._exploration
        if exploration is None or self._finding is not None:
            return []
        end = exploration.end()
        if isinstance(end, Covered):
            self._cover(end)
            return []
        if isinstance(end, Counterexamples) and self._analysis is None:
            self._analysis = Analysis(end.paths)
            self._again.extendleft(Order(counterexample=number) for number in reversed(range(len(end.paths))))
        return self._serve(exploration)

    def _serve(self, exploration: Exploration) -> list[Command]:
        """A worker gets a second order only while there is enough for all others."""
        commands: list[Command] = []
        while True:
            is_plenty = self._backlog(exploration) > len(self._staff)
            worker = self._staff.free(ahead=is_plenty)
            if worker is None:
                return commands
            order = self._again.popleft() if self._again else self._next_order(worker, exploration)
            if order is None:
                return commands
            commands += self._send(worker, order)

    def _next_order(self, worker: int, exploration: Exploration) -> Order | None:
        """Several pieces at once if there are more than enough for all workers."""
        most = min(self._options.batch, 1 + self._backlog(exploration) // (4 * max(1, len(self._staff))))
        while len(self._pieces) < most:
            state = exploration.wanted()
            if state is None:
                break
            self._named.add(state)
            self._enqueue(state)
        if not self._pieces:
            return None
        count = min(most, len(self._pieces))
        return Order(tuple(self._pieces.take(worker, len(self._staff)) for _ in range(count)))

    def _backlog(self, exploration: Exploration) -> int:
        """About how many pieces there are to give; none while all but the analyses could as well be left."""
        return 0 if self._analysis is not None else exploration.backlog() + len(self._pieces)

    def _enqueue(self, state: State) -> None:
        self._pieces.add(state, self._posts.begin(state))

    def _send(self, worker: int, order: Order) -> list[Command]:
        number = self._staff.give(worker, order)
        commands: list[Command] = []
        news = self._log[self._staff.learn(worker, len(self._log)) :]
        if news:
            commands.append(Send(worker, encode(Learn(tuple(news)))))
        return [*commands, Send(worker, encode(self._message(worker, number, order)))]

    def _message(self, worker: int, number: int, order: Order) -> Analyse | Expand:
        if self._analysis is not None and order.counterexample is not None:
            return Analyse(number, self._analysis.paths[order.counterexample])
        facts = self._facts.news(worker, (state.location for state, _ in order.pieces))
        return Expand(number, tuple(piece for _, piece in order.pieces), facts)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _cover(self, end: Covered) -> None:
        states: dict[int, list[bytes]] = {}
        for state in end.states:
            states.setdefault(state.location, []).append(pack(state.bits))
        packed = {location: tuple(sets) for location, sets in states.items()}
        self._finding = Finding(CoveredAnswer(packed, tuple(self._log)))

    def _give_up(self, reason: str, detail: str) -> None:
        self._finding = Finding(GivenUp(reason, detail, tuple(self._log)))

    def _hire_all(self) -> list[Command]:
        if self._hired == self._options.workers:
            return []
        self._hired = self._options.workers
        return [Hire(self._hired)]
