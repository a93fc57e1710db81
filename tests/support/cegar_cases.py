"""Small random transition systems as Horn clauses, what is true of them, and runs that a number chooses.

    case = numbered_case(4711)                 # a system, a number of workers, and what goes wrong
    disagreement(case, case.run()) is None     # it concludes what one worker does to whom nothing happens

Numbers go through the faults first, then through the numbers of workers, then through systems: a range of 80 is one
system on 1, 2, 5 and 40 workers with 20 kinds of bad luck each.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from cleave.engines.cegar.options import CegarOptions
from cleave.runtime.simulation.faults import Faults
from support.cegar_runs import CegarRun, simulate

WORKERS = (1, 2, 5, 40)
FAULTS = 20
_LARGEST = 9
_MOST_STATES = 20_000
_MOST_COST = 60_000
_SECONDS = 4.0  # virtual ones that a run of one worker takes: long enough for others to be hired, and to be lost
_INPUTS = range(3)

State = tuple[int, ...]
"""A location, and the values of the variables."""


@dataclass(frozen=True)
class Move:
    """Taken if the sum of ``weights`` times the variables is at most ``bound``; variables become ``factor`` times
    themselves plus a number, plus the input if ``reads``."""

    source: int
    target: int
    weights: tuple[int, ...]
    bound: int
    factors: tuple[int, ...]
    added: tuple[int, ...]
    reads: int | None  # the variable that the input is added to

    def after(self, values: Sequence[int], given: int) -> tuple[int, ...] | None:
        if sum(w * v for w, v in zip(self.weights, values, strict=True)) > self.bound:
            return None
        found = [f * v + a for f, v, a in zip(self.factors, values, self.added, strict=True)]
        if self.reads is not None:
            found[self.reads] += given
        return tuple(found)


@dataclass(frozen=True)
class SmallSystem:
    """``bad`` is a location with weights and a bound, as of a move: it must not hold there. If it is ``finite``, all
    variables stay in 0..9."""

    locations: int
    variables: int
    first: tuple[int, ...]
    moves: tuple[Move, ...]
    bad: tuple[tuple[int, tuple[int, ...], int], ...]
    finite: bool
    iterations: int

    def text(self) -> str:
        names = [f"x{number}" for number in range(self.variables)]
        lines = ["(set-logic HORN)"]
        lines += [f"(declare-fun l{one} ({' '.join(['Int'] * self.variables)}) Bool)" for one in range(self.locations)]
        clauses = [
            _implication([f"(= {n} {_number(v)})" for n, v in zip(names, self.first, strict=True)], _at(0, names))
        ]
        for move in self.moves:
            after = [_updated(move, place, name) for place, name in enumerate(names)]
            range_ = [f"(<= 0 {one} {_LARGEST})" for one in after] if self.finite else []
            given = [f"(<= 0 i {_INPUTS[-1]})"]
            body = [_at(move.source, names), _bound(names, move.weights, move.bound), *given, *range_]
            clauses.append(_implication(body, _at(move.target, after)))
        clauses += [_implication([_at(at, names), _bound(names, w, k)], "false") for at, w, k in self.bad]
        bound = " ".join(f"({name} Int)" for name in (*names, "i"))
        return "\n".join([*lines, *(f"(assert (forall ({bound}) {one}))" for one in clauses), "(check-sat)", ""])

    def truth(self) -> str | None:
        """By computing the states one by one; None if there are too many."""
        seen: set[State] = {(0, *self.first)}
        waiting = list(seen)
        for state in waiting:
            if self._is_bad(state):
                return "unsafe"
            new = [one for one in dict.fromkeys(self._successors(state)) if one not in seen]
            seen.update(new)
            waiting += new
            if len(seen) > _MOST_STATES:
                return None
        return "safe"

    def _is_bad(self, state: State) -> bool:
        at, *values = state
        return any(at == place and sum(a * b for a, b in zip(w, values, strict=True)) <= k for place, w, k in self.bad)

    def _successors(self, state: State) -> Iterator[State]:
        at, *values = state
        for move, given in product((move for move in self.moves if move.source == at), _INPUTS):
            after = move.after(values, given)
            if after is not None and (not self.finite or all(0 <= one <= _LARGEST for one in after)):
                yield (move.target, *after)


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _at(location: int, values: Sequence[str]) -> str:
    return f"(l{location} {' '.join(values)})"


def _implication(body: Sequence[str], head: str) -> str:
    return f"(=> (and {' '.join(body)}) {head})"


def _bound(names: Sequence[str], weights: Sequence[int], bound: int) -> str:
    terms = " ".join(f"(* {_number(weight)} {name})" for weight, name in zip(weights, names, strict=True))
    return f"(<= (+ 0 {terms}) {_number(bound)})"


def _updated(move: Move, place: int, name: str) -> str:
    given = " i" if move.reads == place else ""
    return f"(+ (* {move.factors[place]} {name}) {_number(move.added[place])}{given})"


# --- by a seed ------------------------------------------------------------------------------------------------------


def random_system(seed: int) -> SmallSystem:
    """One to four locations, one to three variables. What is not finite may never be settled, and is given up soon."""
    pick = random.Random(seed)
    locations, variables = pick.randint(1, 4), pick.randint(1, 3)
    finite = pick.random() < 0.7

    def weights() -> tuple[int, ...]:
        return tuple(pick.choice((-1, 0, 0, 1, 1)) for _ in range(variables))

    def move(source: int) -> Move:
        factors = tuple(pick.choice((0, 1, 1, 1)) for _ in range(variables))
        added = tuple(pick.choice((-1, 0, 0, 1, 1, 2)) for _ in range(variables))
        reads = pick.choice((None, None, pick.randrange(variables)))
        return Move(source, pick.randrange(locations), weights(), pick.randint(0, _LARGEST), factors, added, reads)

    moves = tuple(move(one) for one in range(locations) for _ in range(pick.randint(1, 3)))
    bad = tuple(
        (pick.randrange(locations), weights(), -pick.randint(1, _LARGEST)) for _ in range(pick.choice((1, 1, 2)))
    )
    first = tuple(pick.choice((0, 0, 1, 3)) for _ in range(variables))
    return SmallSystem(locations, variables, first, moves, bad, finite, 40 if finite else 5)


def random_faults(pick: random.Random) -> Faults:
    """Times are of the order of what the runs take."""
    return Faults(
        drop=pick.choice((0.0, 0.0, 0.1, 0.3)),
        repeat=pick.choice((0.0, 0.2)),
        delay=pick.choice((0.0, 0.3, 0.6)),
        delay_seconds=pick.choice((0.01, 0.2)),
        crash_every=pick.choice((math.inf, 1.5, 6.0)),
        zombie_every=pick.choice((math.inf, math.inf, 3.0)),
        start_seconds=pick.choice((0.0, 0.2, 1.0)),
    )


@dataclass(frozen=True)
class CegarCase:
    number: int
    system: SmallSystem
    workers: int
    options: CegarOptions
    faults: Faults

    def run(self) -> CegarRun:
        """So slow that a run of one worker takes some seconds, however small the system is."""
        cost = alone(self.system).counters["cost"]
        speed = max(1.0, cost / _SECONDS)
        text, faults, seed = self.system.text(), self.faults, self.number
        return simulate(text, self.options, self.workers, faults=faults, seed=seed, speed=speed)


def numbered_case(number: int) -> CegarCase:
    pick = random.Random(number)
    per_system = FAULTS * len(WORKERS)
    system = interesting_system(number // per_system)
    workers = WORKERS[number // FAULTS % len(WORKERS)]
    options = CegarOptions(iterations=system.iterations, chunk=pick.choice((1, 2, 16)))
    return CegarCase(number, system, workers, options, random_faults(pick))


@lru_cache(maxsize=8)
def interesting_system(number: int) -> SmallSystem:
    """A system whose proof or refutation takes a few refinements, none of them long: there are many runs to make."""
    seeds = (1_000 * number + attempt for attempt in range(1_000))
    return next(one for one in map(random_system, seeds) if _is_interesting(alone(one)))


def _is_interesting(run: CegarRun) -> bool:
    return run.counters["iterations"] >= 4 and run.counters["cost"] <= _MOST_COST


@lru_cache(maxsize=8)
def alone(system: SmallSystem) -> CegarRun:
    """One worker to whom nothing happens."""
    return simulate(system.text(), CegarOptions(iterations=system.iterations))


@lru_cache(maxsize=8)
def expected(system: SmallSystem) -> str | None:
    return system.truth()


@lru_cache(maxsize=8)
def printed_alone(system: SmallSystem) -> str:
    return alone(system).printed()


def disagreement(case: CegarCase, run: CegarRun) -> str | None:
    """What is wrong with a run: it does not conclude, or does not print, what one worker does to whom nothing happens;
    or that is not true."""
    first = alone(case.system)
    if run.was_lost:
        return None if run.counters["lost_workers"] else "it gave up for lost workers, and none was lost"
    if run.conclusion != first.conclusion:
        return f"it differs: {run.word} {run.conclusion[1]} instead of {first.word} {first.conclusion[1]}"
    if run.word != "unknown" and expected(case.system) not in (None, run.word):
        return f"{run.word} instead of {expected(case.system)}"
    if case.number % FAULTS == 0 and run.printed() != printed_alone(case.system):
        return f"it prints {run.printed()} instead of {printed_alone(case.system)}"
    if run.word != "unknown" and f'"verdict": "{run.word}"' not in printed_alone(case.system):
        return f"the evidence is not confirmed: {printed_alone(case.system)}"
    return None
