"""Random problems, one after the other, each verified in a few ways, against what is true of it.

    python -m bench.soundness_run 120 10         # problems 120 to 129; the last line is JSON

| front end | problems | the truth, by |
| --- | --- | --- |
| C | `small_programs`, with numbers of 8, 16, 32 or 64 bits | executing the program on every input |
| C with threads | `schedules_programs`: assertions, data races, deadlocks | every interleaving of single accesses |
| Boogie | `small_programs`, with mathematical integers | executing the program on every input |
| Horn | `support.horn_systems` | all facts that can be derived |
| BTOR2 | `small_models` | visiting every state |
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from time import process_time
from typing import NamedTuple

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # random clauses are the tests'

from bench.schedules_oracle import TooManyError, explored
from bench.schedules_programs import random_program as random_threads
from bench.small_models import random_model
from bench.small_programs import BOUND, as_boogie, as_c, random_program, violates
from cleave import Options, verify
from cleave.engines.engine import Runtime
from cleave.errors import CleaveError, UnsupportedError, UsageError
from cleave.frontends.c.options import COptions
from cleave.ir.horn_text import print_horn
from cleave.verdict import BoundedSafe, Result, Safe, Unknown, Unsafe
from support.horn_systems import is_safe, random_system

_SECONDS = 10.0  # for a run
_WAYS = 3  # for a problem
_WORKERS = (1, 2, 5)
_RUNTIMES: tuple[Runtime, ...] = ("local", "simulated")


class Problem(NamedTuple):
    """``is_unsafe`` is the truth; ``engines`` are those that fit, "" for the plan of several."""

    frontend: str
    file: str
    text: str
    is_unsafe: bool
    engines: tuple[str, ...]
    c: COptions = COptions()


class Way(NamedTuple):
    engine: str
    runtime: Runtime
    workers: int


class Ran(msgspec.Struct, frozen=True):
    """``says`` is a verdict, "refused", or "WRONG" with a verdict."""

    seed: int
    frontend: str
    engine: str
    way: str
    says: str

    @property
    def is_wrong(self) -> bool:
        return self.says.startswith("WRONG")


def _c(seed: int) -> Problem | None:
    random = Random(seed)
    bits, program = random.choice((8, 16, 32, 64)), random_program(random)
    unsafe = violates(program, bits)
    engines = ("", "inline", "bmc", "pdr", "cegar", "threads", "intervals", "executions")
    checked = COptions(checks=("assertions",))
    return None if unsafe is None else Problem("C", "program.c", as_c(program, bits), unsafe, engines, checked)


def _boogie(seed: int) -> Problem | None:
    program = random_program(Random(seed))
    unsafe = violates(program, 0)
    engines = ("", "inline", "bmc", "pdr", "cegar", "intervals", "executions")
    return None if unsafe is None else Problem("Boogie", "program.bpl", as_boogie(program), unsafe, engines)


def _threads(seed: int) -> Problem | None:
    program = random_threads(seed, 2)
    try:
        truth = explored(program.machine(spurious=True))
    except TooManyError:
        return None
    asked = Random(seed).choice(("assertions", "data-race", "deadlock"))
    unsafe = {"assertions": truth.violation, "data-race": truth.race, "deadlock": truth.deadlock}[asked]
    return Problem(
        "C with threads", "program.c", program.source, unsafe, ("", "threads", "executions"), COptions(checks=(asked,))
    )


def _horn(seed: int) -> Problem:
    random = Random(seed)
    system = random_system(random, random.choice(("lia", "bv")))
    return Problem("Horn", "clauses.smt2", print_horn(system), not is_safe(system), ("", "pdr", "cegar"))


def _btor2(seed: int) -> Problem:
    model = random_model(Random(seed))
    return Problem("BTOR2", "model.btor2", model.text, model.reaches_bad(), ("", "pdr", "cegar"))


MAKERS: tuple[Callable[[int], Problem | None], ...] = (_c, _threads, _boogie, _horn, _btor2)


def problem(seed: int) -> Problem | None:
    """Of each front end in turn; None if the truth is too far."""
    return MAKERS[seed % len(MAKERS)](seed)


def ways(seed: int, made: Problem) -> list[Way]:
    every = [
        Way(engine, runtime, workers)
        for engine, runtime, workers in product(made.engines, _RUNTIMES, _WORKERS)
        if runtime == "local" or workers > 1
    ]
    return Random(seed).sample(every, _WAYS)


def said(made: Problem, result: Result) -> str:
    """The verdict, and whether it is wrong. A bound that no execution needs more than must not hide a violation."""
    verdict = result.verdict
    match verdict:
        case Safe():
            wrong = made.is_unsafe
        case BoundedSafe(bounds=bounds):
            wrong = made.is_unsafe and set(bounds) <= {"recursion", "unwind"} and min(bounds.values()) >= BOUND
        case Unsafe():
            wrong = not made.is_unsafe
        case Unknown():
            wrong = False
    return f"WRONG {verdict.word}" if wrong else verdict.word


def ran(seed: int, folder: Path) -> Iterator[Ran]:
    made = problem(seed)
    if made is None:
        return
    file = folder / made.file
    file.write_text(made.text)
    for way in ways(seed, made):
        options = Options(
            engine=way.engine or None,
            workers=way.workers,
            runtime=way.runtime,
            timelimit=_SECONDS,
            c=made.c,
            journal=None,
        )
        try:
            says = said(made, verify(str(file), options))
        except (UsageError, UnsupportedError):
            says = "refused"  # the engine does not take such a problem
        except CleaveError as error:
            says = f"WRONG error {' '.join(str(error).split())[:200]}"
        yield Ran(seed, made.frontend, way.engine or "plan", f"{way.runtime}-{way.workers}", says)


def told(one: Ran) -> str:
    return f"problem {one.seed}, {one.engine}, {one.way}: {one.says}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = [one for seed in range(options.first, options.first + options.count) for one in ran(seed, Path(folder))]
    children = sum(os.times()[2:4])
    report = {
        "answer": "done",
        "wrong": [told(one) for one in found if one.is_wrong],
        "runs": found,
        "cpu_seconds": process_time() + children,
    }
    print(msgspec.json.encode(report).decode())


if __name__ == "__main__":
    main()
