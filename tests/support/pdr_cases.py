"""Runs of P3 that a seed chooses: small Horn systems whose truth is known, how they are solved, what goes wrong, and
workers that say what is not so.

case = random_case(7)
assert disagreement(case, case.run()) is None
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from cleave.engines.coordination import Turn, Work
from cleave.engines.findings import Violation
from cleave.engines.pdr.messages import (
    INVARIANT,
    Closed,
    Divide,
    Effort,
    Exchange,
    Lemma,
    Outcome,
    Solve,
    Task,
    encode,
    to_worker,
)
from cleave.engines.pdr.options import PdrOptions
from cleave.ir.horn import HornSystem
from cleave.runtime.simulation.faults import Faults
from support.pdr_runs import SLOW, PdrRun, random_faults, random_options, random_system, simulate


@dataclass(frozen=True)
class PdrCase:
    """``lies``: all workers are liars beside what they do."""

    seed: int
    given: HornSystem
    expected: str
    workers: int
    options: PdrOptions
    faults: Faults
    lies: bool

    def run(self) -> PdrRun:
        mutate = liar if self.lies else None
        faults, seed = self.faults, self.seed
        return simulate(self.given, self.options, self.workers, faults=faults, seed=seed, speed=SLOW, mutate=mutate)


def random_case(seed: int) -> PdrCase:
    pick = random.Random(seed)
    given, unsafe = random_system(pick)
    (workers, options), faults = random_options(pick), random_faults(pick)
    return PdrCase(seed, given, "unsafe" if unsafe else "safe", workers, options, faults, pick.random() < 0.3)


def disagreement(case: PdrCase, run: PdrRun) -> str | None:
    """What is wrong with a run. One that lost workers, or was told lies, may give up."""
    if run.word == "unknown":
        blamed = run.counters["lost_workers"] >= 2 or case.lies
        return None if blamed else str(run.answer)
    if run.word != case.expected:
        return f"{run.word} instead of {case.expected}"
    return run.wrong()


def liar(work: Work, number: int, task: Task) -> Work:
    """Says what its worker says, and much else: about other problems, other jobs, other levels, what is no lemma, and
    lemmas that are not true."""
    pick = random.Random(number)
    turn, said, job = next(work), list[bytes](), 0
    while True:
        said += turn.messages
        lies = list(_lies(pick, task, job, said)) if job and not turn.idle else []
        incoming = yield Turn((*turn.messages, *lies), turn.idle, turn.cost)
        for message in map(to_worker, incoming):
            if isinstance(message, Solve | Divide):
                job = message.job
        turn = work.send(incoming)


def _lies(pick: random.Random, task: Task, job: int, said: list[bytes]) -> Iterator[bytes]:
    texts = ["false", "(<= a0 3)", "(= a0 0)", "(> a0 b)", "(not (", "(<= p0_0_n 1)", "a0", "(assert false)"]
    names = ["count", "even", "sum", "at", "p0", "p1", "nobody", ""]
    levels = [INVARIANT, INVARIANT, 1, 2, 10, -7, 2**40]
    lemmas = tuple(Lemma(pick.choice(names), pick.choice(levels), pick.choice(texts)) for _ in range(3))
    for problem, number in ((task.digest(), job), (b"another", job), (task.digest(), job + 1)):
        yield encode(Exchange(number, problem, lemmas, pick.choice((0, 99)), 0))
    yield encode(Outcome(job, b"another", None, Closed(b"", ""), Effort()))
    yield encode(Outcome(job + 17, task.digest(), None, Violation(b""), Effort()))
    yield bytes(pick.randrange(256) for _ in range(9))
    outcomes = [one for one in said if one[1:2] != b"\x04"]
    if outcomes:
        yield pick.choice(outcomes)
