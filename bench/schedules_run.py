"""Random programs with threads, one after the other: what Cleave says of each against every interleaving.

    python -m bench.schedules_run 120 10         # programs 120 to 129; the last line is JSON

Of each program, for assertions, data races and deadlocks: the lowered program, every interleaving of which is tried on
the concrete machine, against the program as C means it (`schedules_oracle`); the formulas of the engine `threads`
against these interleavings, at the fewest contexts that violate anything, and at one less; and the checker of thread
proofs against both, for these contexts and for any number.
"""

from __future__ import annotations

import argparse
import random
from contextlib import nullcontext
from dataclasses import dataclass, field
from time import process_time

import msgspec

from bench.schedules_oracle import Found, TooManyError, explored, ordered_race
from bench.schedules_programs import RandomProgram, random_program
from cleave.engines.threads.encode import encode
from cleave.engines.threads.schedule import schedule_of
from cleave.engines.unfolding.instances import Unfolded, unfold
from cleave.engines.unfolding.options import AUTO
from cleave.engines.unfolding.solving import chosen, make_solver
from cleave.frontends.c.options import COptions
from cleave.frontends.c.read import read_c
from cleave.ir.program import Program
from cleave.ir.schedule import Schedule
from cleave.smt.solver import Answer
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs.interleavings import TooLargeError, explore
from cleave.validate.proofs.schedules.check import Claim, checked
from cleave.validate.proofs.second_solver import MINISAT
from cleave.validate.violations.concurrent import replay

STATES = 4_000
MOST_CONTEXTS = 5
_UNWIND = 4  # more than a loop goes round on the way to a violation with few contexts
_SECONDS = 20.0  # for one proof
_EXECUTIONS = 10  # in which happens-before is looked at


@dataclass(slots=True)
class Tally:
    programs: int = 0
    questions: int = 0  # a program and a property
    tried: int = 0  # all interleavings of the lowered program were
    formulas: int = 0  # of the engine
    proofs: int = 0  # that were checked
    wrong: list[str] = field(default_factory=list)


def judge(seed: int, tally: Tally) -> None:
    """Compares all that is said of one program."""
    program = random_program(seed)
    spurious = seed % 4 != 0
    try:
        truth = explored(program.machine(spurious=spurious))
    except TooManyError:
        return
    tally.programs += 1
    if not truth.race and _is_unordered(program, spurious):
        tally.wrong.append(f"{seed}: the two definitions of a race differ")
    for check, expected in _questions(truth):
        tally.questions += 1
        options = COptions(checks=(check,), spurious_wakeups=spurious)
        lowered = read_c({"program.c": program.source.encode()}, options).program
        for said in (*_differences(lowered, expected, tally), *_in_any_order(lowered, expected, tally)):
            tally.wrong.append(f"{seed} {check}: {said}")


def _questions(truth: Found) -> list[tuple[str, bool]]:
    return [("assertions", truth.violation), ("data-race", truth.race), ("deadlock", truth.deadlock)]


def _is_unordered(program: RandomProgram, spurious: bool) -> bool:
    machine = program.machine(spurious=spurious)
    return any(ordered_race(machine, random.Random(number)) for number in range(_EXECUTIONS))


def _differences(program: Program, expected: bool, tally: Tally) -> list[str]:
    try:
        least = explore(program, "main", states=STATES).contexts
    except TooLargeError:
        return _formula(program, MOST_CONTEXTS - 1, None, expected, tally)
    tally.tried += 1
    if (least is not None) != expected:
        return [f"interleavings say {'' if least else 'no '}violation"]
    if least is None or least > MOST_CONTEXTS:
        return _formula(program, MOST_CONTEXTS - 2, False, expected, tally)
    fewer = _formula(program, least - 1, False, expected, tally) if least > 1 else []
    return [*fewer, *_formula(program, least, True, expected, tally)]


def _formula(program: Program, contexts: int, found: bool | None, expected: bool, tally: Tally) -> list[str]:
    """What the engine finds; ``found``: whether it should, None if that is not known for so few contexts."""
    tally.formulas += 1
    unfolded = unfold(program, "main", _UNWIND)
    schedule = _violation(unfolded, contexts)
    outcome = _checked(program, unfolded, contexts, tally)
    if outcome.holds if schedule is not None else outcome.is_wrong:
        return [f"the checker does not agree with the formula of {contexts} contexts"]
    if schedule is None:
        return [f"the formula of {contexts} contexts has no violation"] if found else []
    if not expected or found is False:
        return [f"the formula of {contexts} contexts has a violation"]
    return [] if replay(program, "main", schedule).holds else ["the schedule does not replay"]


def _violation(unfolded: Unfolded, contexts: int) -> Schedule | None:
    formula = encode(unfolded, contexts)
    solver = make_solver(chosen(unfolded, AUTO))
    for constraint in (*formula.constraints, formula.violation):
        solver.add(constraint)
    return schedule_of(unfolded, formula, solver.model()) if solver.check() is Answer.SAT else None


def _in_any_order(program: Program, expected: bool, tally: Tally) -> list[str]:
    """With no bound on contexts, and none on loops."""
    unfolded = unfold(program, "main", _UNWIND)
    outcome = _checked(program, unfolded, None, tally)
    if outcome.holds and expected:
        return ["the checker proves that there is no violation"]
    if outcome.is_wrong and not expected and not unfolded.is_cut:
        return ["the checker finds a violation"]
    return []


def _checked(program: Program, unfolded: Unfolded, contexts: int | None, tally: Tally) -> Confirmation:
    shape = [thread.shape for thread in unfolded.threads]
    claim = Claim(program, "main", shape, _UNWIND, contexts, all_iterations=contexts is None)
    outcome = checked(claim, MINISAT, _SECONDS, lambda _: nullcontext())
    tally.proofs += not outcome.undecided
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.schedules_run", description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    options = parser.parse_args()
    tally, began = Tally(), process_time()
    for seed in range(options.first, options.first + options.count):
        judge(seed, tally)
    names = ("programs", "questions", "tried", "formulas", "proofs")
    counts = {name: getattr(tally, name) for name in names}
    told = {"answer": "done", **counts, "wrong": tally.wrong, "cpu_seconds": process_time() - began}
    print(msgspec.json.encode(told).decode())


if __name__ == "__main__":
    main()
