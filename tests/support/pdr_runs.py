"""Horn systems by hand and by seed, and simulated runs of P3 on them: for tests of the distributed pdr engine."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from bench.pdr_run import combined

from cleave.engines.coordination import STOPPED, Clock, Command, Event, Finish, Joined, Lost, Work
from cleave.engines.findings import GivenUp, Violation
from cleave.engines.pdr.coordinator import P3Coordinator
from cleave.engines.pdr.evidence import decode_derivation
from cleave.engines.pdr.messages import Proofs, Task, decode_finding
from cleave.engines.pdr.options import PdrOptions, Share
from cleave.engines.pdr.task import HornProblem, horn_problem
from cleave.engines.pdr.worker import Assigned, P3Worker
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.logic.sorts import INT
from cleave.logic.terms import Term, add, conj, eq, ge, integer, le, lt, var
from cleave.runtime.crew import Assignment
from cleave.runtime.drive import drive
from cleave.runtime.simulation.crew import COST_PER_SECOND, SimulatedCrew
from cleave.runtime.simulation.faults import NO_FAULTS, Faults
from cleave.validate.clauses.derivation import check_derivation
from cleave.validate.clauses.invariant import check_interpretation

# --- systems --------------------------------------------------------------------------------------------------------

X, Y, Z = (var(name, INT) for name in "xyz")
N = integer


def system(*clauses: Clause) -> HornSystem:
    atoms = [atom for clause in clauses for atom in clause.atoms()]
    predicates = {a.predicate: Predicate(a.predicate, tuple(t.sort for t in a.arguments)) for a in atoms}
    return HornSystem(predicates=predicates, clauses=clauses)


def rule(head: Atom, constraint: Term, *body: Atom) -> Clause:
    return Clause(head, body, constraint)


def query(constraint: Term, *body: Atom) -> Clause:
    return Clause(None, body, constraint)


def atom(name: str, *arguments: Term) -> Atom:
    return Atom(name, arguments)


def counter(last: int, bad: Term) -> HornSystem:
    """Counts to ``last``; ``bad`` is about x."""
    return system(
        rule(atom("count", X), eq(X, N(0))),
        rule(atom("count", add(X, N(1))), lt(X, N(last)), atom("count", X)),
        query(bad, atom("count", X)),
    )


def pairs(bad: int) -> HornSystem:
    """Sums of two even numbers up to 20: not linear."""
    return system(
        rule(atom("even", X), eq(X, N(0))),
        rule(atom("even", add(X, N(2))), lt(X, N(20)), atom("even", X)),
        rule(atom("sum", add(X, Y)), le(X, Y), atom("even", X), atom("even", Y)),
        query(eq(X, N(bad)), atom("sum", X)),
    )


def modes(bad: int) -> HornSystem:
    """Four ways to come to ``at``, and two queries: there are partitions to make."""
    ways = [
        rule(atom("at", X, add(Y, N(step))), conj(eq(X, N(mode)), lt(Y, N(40))), atom("at", Z, Y))
        for mode, step in enumerate((2, 4, 6, 8))
    ]
    return system(
        rule(atom("at", X, Y), conj(eq(X, N(0)), eq(Y, N(0)))),
        *ways,
        query(conj(eq(Y, N(bad)), ge(X, N(0))), atom("at", X, Y)),
        query(lt(Y, N(0)), atom("at", X, Y)),
    )


LARGEST = 7


def random_system(pick: random.Random) -> tuple[HornSystem, bool]:
    """Facts over 0..7, and whether ``false`` can be derived, by computing all of them."""
    names = [f"p{number}" for number in range(pick.choice((1, 2, 3)))]
    moves: list[tuple[str, tuple[str, ...], int, int]] = []
    for _ in range(pick.randint(2, 6)):
        body = tuple(pick.choice(names) for _ in range(pick.choice((1, 1, 1, 2))))
        moves.append((pick.choice(names), body, pick.randint(-3, 4), pick.randint(0, LARGEST)))
    starts = [(pick.choice(names), pick.randint(0, LARGEST)) for _ in range(pick.choice((1, 2)))]
    bad = [(pick.choice(names), pick.randint(0, LARGEST)) for _ in range(pick.choice((1, 1, 2)))]
    clauses = [rule(atom(name, X), eq(X, N(value))) for name, value in starts]
    for head, body, step, least in moves:
        variables = (X, Y)[: len(body)]
        total = add(X, Y) if len(body) == 2 else X
        constraint = conj(eq(Z, add(total, N(step))), le(N(0), Z), le(Z, N(LARGEST)), ge(X, N(least)))
        clauses.append(rule(atom(head, Z), constraint, *(atom(n, v) for n, v in zip(body, variables, strict=True))))
    clauses += [query(eq(X, N(value)), atom(name, X)) for name, value in bad]
    facts = _all_facts(set(starts), moves)
    return system(*clauses), any(one in facts for one in bad)


def _all_facts(facts: set[tuple[str, int]], moves: list[tuple[str, tuple[str, ...], int, int]]) -> set[tuple[str, int]]:
    while True:
        new = set(facts)
        for head, body, step, least in moves:
            values = [[value for name, value in facts if name == one] for one in body]
            for chosen in product(*values):
                if chosen[0] >= least and 0 <= sum(chosen) + step <= LARGEST:
                    new.add((head, sum(chosen) + step))
        if new == facts:
            return facts
        facts = new


# --- runs -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PdrRun:
    task: Task
    problem: HornProblem
    answer: Proofs | Violation[bytes] | GivenUp
    events: list[Event]
    counters: dict[str, int | float]
    seconds: float

    @property
    def word(self) -> str:
        return {Proofs: "safe", Violation: "unsafe", GivenUp: "unknown"}[type(self.answer)]

    def wrong(self) -> str | None:
        """What is wrong with the evidence, checked on the clauses that were given."""
        match self.answer:
            case Proofs():
                judged = check_interpretation(
                    self.problem.given,
                    combined(self.problem, self.answer),
                    unfold=self.problem.inlined,
                    seconds=60.0,
                )
            case Violation(derivation):
                judged = check_derivation(self.problem.given, decode_derivation(derivation), seconds=60.0)
            case GivenUp():
                return None
        return None if judged.holds else judged.text


Mutate = Callable[[Work, int, Task], Work]
"""Makes another worker of a worker, whose number and task it is told."""


def simulate(
    given: HornSystem,
    options: PdrOptions,
    workers: int = 1,
    *,
    faults: Faults = NO_FAULTS,
    seed: int = 0,
    speed: float = COST_PER_SECOND,
    mutate: Mutate | None = None,
    before: Sequence[Event] = (),
) -> PdrRun:
    """``speed`` is the cost of what a worker does in a virtual second. With events from ``before``, the run goes on
    where those leave it, as `run.team` does it with a journal."""
    task = Task("problem.smt2", b"", None, None, options, workers, virtual=True)
    problem = horn_problem(given)

    def start(_task: bytes, number: int, clock: Clock | None) -> Work:
        work = P3Worker(Assigned(task, problem), clock).run()
        return work if mutate is None else mutate(work, number, task)

    coordinator = P3Coordinator(task)
    events = list(before)
    commands = [command for event in events for command in coordinator.on(event)]
    joined = [event.worker for event in events if isinstance(event, Joined)]
    lost = {event.worker for event in events if isinstance(event, Lost)}
    stopped = [Lost(worker, STOPPED) for worker in joined if worker not in lost]
    finish: list[Command] = [command for command in commands if isinstance(command, Finish)]
    after = [command for event in stopped for command in coordinator.on(event)]
    crew = SimulatedCrew(
        Assignment("", b""),
        worker=start,
        cost_per_second=speed,
        faults=faults,
        seed=seed,
        first=max(joined, default=0) + 1,
    )
    events += stopped
    with crew:
        outcome = drive(
            coordinator, crew, events.extend, timelimit=3600.0, commands=finish or [*coordinator.start(), *after]
        )
        assert isinstance(outcome, bytes), "the run must end"
        seconds = crew.now()
    return PdrRun(task, problem, decode_finding(outcome).answer, events, coordinator.counters(), seconds)


# --- by a seed ------------------------------------------------------------------------------------------------------

SLOW = COST_PER_SECOND / 20
"""So slow that small problems take long: there is time to share, to divide, and to be lost."""


def random_options(pick: random.Random) -> tuple[int, PdrOptions]:
    """And the number of workers."""
    return pick.choice((1, 2, 3, 6)), PdrOptions(
        share=pick.choice(list(Share)),
        share_parts=pick.choice((None, *Share)),
        partitions=pick.choice((0, None, 2, 5)),
        partition_after=pick.choice((0, 2_000, 20_000)),
        levels=pick.choice((1, 2, 4)),
        whole=pick.random() < 0.5,
        width=pick.choice((1, 3)),
        seed=pick.randrange(100),
        exchange_interval=pick.choice((0.01, 0.1)),
        slice_cost=pick.choice((500, 5_000)),
        patience=pick.choice((0.0, 0.05, 1.0)),
    )


def random_faults(pick: random.Random) -> Faults:
    """Times are of the order of what runs with slow workers take."""
    return Faults(
        drop=pick.choice((0.0, 0.0, 0.1, 0.3)),
        repeat=pick.choice((0.0, 0.2)),
        delay=pick.choice((0.0, 0.3)),
        crash_every=pick.choice((math.inf, 2.0, 8.0)),
        zombie_every=pick.choice((math.inf, math.inf, 4.0)),
        start_seconds=pick.choice((0.0, 0.2, 1.0)),
    )
