"""Random concurrent Boogie programs against every interleaving of their statements.

    python -m bench boogie --programs 300

Each is made in Corral's notation, in the same with threads that give way, and in Ultimate's, and executed from the
statements that its text was made from. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from cleave.frontends.boogie import read_boogie
from cleave.frontends.boogie_options import BoogieOptions
from cleave.validate.violations.concurrent import replay

CONTEXTS = 14  # more than a program without loops has switches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--programs", type=int, default=300, metavar="N", help="how many of each kind (300)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the first one's number (0)")


def main(options: argparse.Namespace) -> int:
    from support.boogie_threads import KINDS

    wrong = failing = 0
    for number in range(options.first, options.first + options.programs):
        for kind in KINDS:
            expected, found = _compare(kind, number)
            failing += expected
            if expected != found:
                wrong += 1
                print(f"{kind} {number}: {'can' if expected else 'can not'} fail, which is not found")
    print(f"{options.programs * len(KINDS)} programs, {failing} with a violation, {wrong} wrong")
    return 1 if wrong else 0


def _compare(kind: str, number: int) -> tuple[bool, bool]:
    from support.boogie_threads import KINDS, BoogieMaker, can_fail
    from support.concurrent_programs import violating_schedule

    ultimate, cooperative = KINDS[kind]
    made = BoogieMaker(random.Random(number), ultimate, cooperative).made()
    source = BoogieOptions(cooperative=cooperative).added_to(made.text.encode(), {})
    program = read_boogie(source.decode(), "random.bpl")
    schedule = violating_schedule(program, CONTEXTS)
    if schedule is not None and not replay(program, "main", schedule).holds:
        return can_fail(made), not can_fail(made)
    return can_fail(made), schedule is not None
