"""The coordinator of a distributed predicate abstraction, a pure state machine (the paper's figure 3).

    explore:   states whose successors are wanted go to workers that wait, until the exploration ends
    analyse:   one worker finds out whether the counterexample can be executed
    refine:    if not, all learn the predicates that exclude it, and the next iteration begins

It knows no formula: a state is a set of numbers, a predicate is bytes. Its conclusions depend only on the successors
and on the answers of analyses, and these are the same whichever worker finds them. Another worker repeats the work of a
lost one."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from cleave.engines.cegar.analysis import Analyses
from cleave.engines.cegar.diary import Diary, Iteration
from cleave.engines.cegar.exploration import Counterexamples, Covered, Exploration, Path
from cleave.engines.cegar.facts import FactBoard
from cleave.engines.cegar.guesses import guesses
from cleave.engines.cegar.messages import (
    Analyse,
    Analysed,
    Answer,
    Expand,
    Expanded,
    Finding,
    Learn,
    Learned,
    Ready,
    Task,
    encode,
    from_worker,
    pack,
    unpack,
)
from cleave.engines.cegar.messages import Covered as CoveredAnswer
from cleave.engines.cegar.naive import Naive
from cleave.engines.cegar.posts import Posts
from cleave.engines.cegar.predictable import Predictable
from cleave.engines.cegar.staff import Order, Staff
from cleave.engines.cegar.supply import Supply
from cleave.engines.coordination import (
    STOPPED,
    Command,
    Event,
    Finish,
    Hire,
    Joined,
    Lost,
    Passed,
    Received,
    Send,
    is_hopeless,
)
from cleave.engines.findings import GivenUp, Violation
from cleave.errors import InternalError

_MOST_IN_TROUBLE = 128  # losses after which work is given up, however many workers are lost with other work


class CegarCoordinator:
    def __init__(self, task: Task) -> None:
        self._options = task.options
        self._workers = task.workers
        self._transitions: tuple[tuple[int, int], ...] | None = None
        self._posts = Posts(())
        self._exploration: Exploration | None = None
        self._supply: Supply | None = None
        self._analyses = Analyses()
        self._log: list[Learned] = []  # all predicates, in the order in which they were learned
        self._predicates: dict[Learned, int] = {}  # with their numbers among those of their locations
        self._facts = FactBoard()
        self._staff = Staff(self._options.most_orders)
        self._again: deque[Order] = deque()  # what lost workers left behind
        self._diary = Diary()
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
        return [*self._hire_all(), *commands] if self._takes_long() else commands

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
                return self._hire_all() if seconds >= self._options.patience else []

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

    def diary(self) -> Diary:
        """Of all iterations, once the run is over or was stopped."""
        if self._diary.last < self._totals["iterations"]:
            self._note_iteration((), is_last=True)
        return self._diary

    # --- events -------------------------------------------------------------------------------------------------------

    def _on_message(self, worker: int, message: bytes) -> list[Command]:
        if worker not in self._staff:
            return []  # from a worker that was given up; its work is in other hands
        decoded = from_worker(message)
        match decoded:
            case Ready(transitions=transitions, predicates=predicates):
                self._set_up(transitions, predicates)
                self._staff.ready(worker)
            case Expanded():
                self._on_expanded(worker, decoded)
            case Analysed():
                self._on_analysed(worker, decoded)
        return self._go_on()

    def _set_up(self, transitions: tuple[tuple[int, int], ...], predicates: Iterable[Learned]) -> None:
        if self._transitions is None:
            self._transitions = transitions
            self._posts = Posts(transitions)
            self._learn(dict.fromkeys(predicates))
            self._begin_iteration()
        elif self._transitions != transitions:
            raise InternalError("workers read the same task differently")

    def _on_expanded(self, worker: int, done: Expanded) -> None:
        order = self._staff.done(worker, done.number)
        for fact in done.facts:
            self._facts.add(worker, fact)
        self._totals["posts"] += sum(len(piece.transitions) for _, piece in order.pieces)
        self._totals["queries"] += done.queries
        self._costs["cost"] += done.cost
        for (state, piece), successors in zip(order.pieces, done.successors, strict=True):
            taken = [(number, unpack(bits)) for number, bits in successors.taken]
            if self._posts.add(state, piece.transitions, taken) and self._supply is not None:
                self._supply.known(state)

    def _on_analysed(self, worker: int, done: Analysed) -> None:
        order = self._staff.done(worker, done.number)
        self._costs["cost"] += done.cost
        self._costs["refinement_cost"] += done.cost
        if order.path is None:
            raise InternalError("a worker analysed what it was not told to")
        self._analyses.answered(order.path, done.answer)

    def _on_lost(self, worker: int, reason: str) -> list[Command]:
        if worker not in self._staff:
            return []
        self._facts.forget(worker)
        if self._supply is not None:
            self._supply.forget(worker)
        self._totals["lost_workers"] += reason != STOPPED
        for place, order in enumerate(self._staff.leave(worker)):
            self._again.append(order)
            if place == 0 and reason != STOPPED:  # it had not begun with the next one
                self._blame(order, reason)
        return self._go_on()

    def _blame(self, order: Order, reason: str) -> None:
        """Bad luck that all work has is not the order's fault."""
        order.losses += 1
        elsewhere = self._totals["lost_workers"] - order.losses
        if is_hopeless(order.losses, reason, min(self._options.most_losses + elsewhere, _MOST_IN_TROUBLE)):
            why = "memory" if reason == "memory" else "lost"
            self._give_up(why, f"a piece of work took {order.losses} workers with it")

    # --- iterations ---------------------------------------------------------------------------------------------------

    def _begin_iteration(self, refined: Iterable[tuple[Path, Iterable[Learned]]] = ()) -> None:
        self._totals["iterations"] += 1
        limit = self._options.iterations
        if limit and self._totals["iterations"] > limit:
            self._totals["iterations"] = limit
            self._give_up("iterations", f"neither proof nor violation in {limit} iterations")
            return
        self._exploration = self._new_exploration(refined)
        if self._supply is None:
            chunk = self._options.together(self._workers)
            self._supply = Supply(self._posts, self._exploration, chunk, self._options.batch)
        self._supply.explore(self._exploration)

    def _new_exploration(self, refined: Iterable[tuple[Path, Iterable[Learned]]]) -> Exploration:
        """With guesses, and a look ahead, if there are some who may be idle."""
        lookup, last = self._posts.lookup, self._exploration
        if self._options.naive:
            return Naive(lookup)
        most, many = self._options.counterexamples, len(self._staff) > 1
        guessed = guesses(last, refined, self._predicates) if many and isinstance(last, Predictable) else ()
        return Predictable(lookup, most, guessed, ahead=many)

    def _learn(self, new: Iterable[Learned]) -> None:
        for one in new:
            self._predicates[one] = self._posts.learn(one.location)
            self._log.append(one)

    def _go_on(self) -> list[Command]:
        """Whoever waits gets something to do, if there is something."""
        while self._exploration is not None and self._finding is None:
            match self._exploration.end():
                case Covered() as end:
                    self._cover(end)
                case Counterexamples() as found:
                    if not self._analyses.under_way:
                        self._analyses.begin(found)
                    if not self._analyses.is_over:
                        return self._serve()
                    self._conclude()
                case None:
                    return self._serve()
        return []

    def _conclude(self) -> None:
        answers, refined = self._analyses.answers(), self._analyses.refined()
        match self._analyses.conclude(self._predicates):
            case Violation() as violated:
                self._note_iteration(answers, is_last=True)
                self._finding = Finding(violated)
            case GivenUp(reason=reason, detail=detail):
                self._note_iteration(answers, is_last=True)
                self._give_up(reason, detail)
            case predicates:
                self._note_iteration(answers, is_last=self._totals["iterations"] == self._options.iterations)
                self._learn(predicates)
                self._begin_iteration(refined)

    def _note_iteration(self, answers: Collection[tuple[Path, Answer]], *, is_last: bool) -> None:
        """Before predicates are learned: then the successors of its states are not known any more."""
        if self._exploration is not None:
            size, predicates = self._exploration.size(), len(self._log)
            about = Iteration(self._totals["iterations"], size, predicates, self._costs["cost"], len(answers))
            lookup = self._posts.lookup
            self._diary.note(about, self._exploration, lookup, answers, self._predicates, is_last=is_last)

    def _serve(self) -> list[Command]:
        """A worker gets a second order only while there is enough for all others."""
        commands: list[Command] = []
        while True:
            is_plenty = self._supply is not None and self._supply.has_plenty(len(self._staff))
            worker = self._staff.free(ahead=is_plenty)
            order = self._next_order(worker) if worker is not None else None
            if worker is None or order is None:
                return commands
            commands += self._send(worker, order)

    def _next_order(self, worker: int) -> Order | None:
        if self._again:
            return self._again.popleft()
        path = self._analyses.take()
        if path is not None:
            return Order(path=path)
        pieces = self._supply.take(worker, len(self._staff)) if self._supply is not None else ()
        return Order(pieces) if pieces else None

    def _send(self, worker: int, order: Order) -> list[Command]:
        number = self._staff.give(worker, order)
        commands: list[Command] = []
        news = self._log[self._staff.learn(worker, len(self._log)) :]
        if news:
            commands.append(Send(worker, encode(Learn(tuple(news)))))
        return [*commands, Send(worker, encode(self._message(worker, number, order)))]

    def _message(self, worker: int, number: int, order: Order) -> Analyse | Expand:
        if order.path is not None:
            return Analyse(number, order.path)
        asked = (number for _, piece in order.pieces for number, _ in piece.transitions)
        facts = self._facts.news(worker, asked)
        return Expand(number, tuple(piece for _, piece in order.pieces), facts)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _cover(self, end: Covered) -> None:
        states: dict[int, list[bytes]] = {}
        for state in end.states:
            states.setdefault(state.location, []).append(pack(state.bits))
        packed = {location: tuple(sets) for location, sets in states.items()}
        self._finding = Finding(CoveredAnswer(packed, tuple(self._log)))

    def _give_up(self, reason: str, detail: str) -> None:
        self._finding = Finding(GivenUp(reason, detail))

    def _takes_long(self) -> bool:
        many = len(self._transitions or ()) >= self._options.many_transitions
        return many or self._costs["cost"] >= self._options.patience_cost

    def _hire_all(self) -> list[Command]:
        if self._hired == self._workers:
            return []
        self._hired = self._workers
        return [Hire(self._hired)]
