"""One part of a search of schedules, given to one solver, in a process of its own, as one line of JSON.

    python -m bench.threads_run bounded_buffer.i --unwind 2 --contexts 5 --solver minisat
    python -m bench.threads_run bounded_buffer.i --unwind 2 --contexts 5 --solver cadical --partitions 8 --part 3
    python -m bench.threads_run bounded_buffer.i --unwind 2 --contexts 5 --solver cryptominisat --threads 2

CryptoMiniSat gets the clauses that MiniSat, Glucose and CaDiCaL get; Z3 the formula, which it bit-blasts itself before
its SAT solver has it. Seconds are those from the unfolded program to the answer: making the formula, its clauses, and
solving. A violation is not replayed here.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from time import monotonic, process_time, sleep
from typing import Any

from bench.simulation import prepare_interpreter, print_report
from cleave.engines.engine import Setting
from cleave.engines.threads.coordinator import part_names
from cleave.engines.threads.encode import Formula, encode
from cleave.engines.threads.options import ThreadsOptions
from cleave.engines.threads.partition import Space
from cleave.engines.threads.search import ThreadsSearch
from cleave.engines.threads.task import read_task, unfold_task
from cleave.engines.unfolding.options import BITWUZLA
from cleave.engines.unfolding.solving import make_solver, size
from cleave.frontends.c.options import COptions
from cleave.frontends.input import read_input
from cleave.logic.smtlib import print_script
from cleave.smt.sat.clauses import Clauses
from cleave.smt.sat.solver import NAMES
from cleave.smt.solver import Answer
from cleave.watch import resident_bytes

CRYPTOMINISAT, Z3 = "cryptominisat", "z3"
SOLVERS = (BITWUZLA, *NAMES, CRYPTOMINISAT, Z3)
_Z3_SIMPLIFIES = ("simplify", "propagate-values", "solve-eqs", "elim-uncnstr")
_Z3_BIT_BLASTS = ("bvarray2uf", "ackermannize_bv", "simplify", "bit-blast")
_POLL_SECONDS = 0.25


def parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    found = argparse.ArgumentParser(prog="python -m bench.threads_run", description=__doc__, formatter_class=formatter)
    found.add_argument("file")
    found.add_argument("--unwind", type=int, required=True, metavar="N")
    found.add_argument("--contexts", type=int, required=True, metavar="N")
    found.add_argument("--solver", choices=SOLVERS, default=BITWUZLA)
    found.add_argument("--threads", type=int, default=1, metavar="N", help=f"of {CRYPTOMINISAT} and {Z3}")
    found.add_argument("--partitions", type=int, default=1, metavar="P")
    found.add_argument("--part", type=int, default=0, metavar="N")
    found.add_argument("--timelimit", type=float, default=0.0, metavar="SECONDS", help="processor time; 0: no limit")
    found.add_argument("--memory", type=int, default=0, metavar="MB", help="0: no limit")
    return found


def run(options: argparse.Namespace) -> dict[str, Any]:
    search = ThreadsOptions(
        unwind=options.unwind,
        contexts=(options.contexts,),
        solver=options.solver if options.solver in NAMES else BITWUZLA,
    )
    task = ThreadsSearch.make(read_input(options.file, c=COptions(bits=32)), search, Setting()).task
    unfolded = unfold_task(task, *read_task(task))
    began, began_cpu = monotonic(), process_time()
    threading.Thread(target=_watch, args=(options, began, began_cpu), daemon=True).start()
    name = part_names(options.partitions)[options.part]
    formula = encode(unfolded, options.contexts, Space.of(unfolded).facts(name, options.contexts))
    found = _SOLVED.get(options.solver, _by_cleave)(formula, search, options.threads)
    return found | {"make_seconds": round(found["made"] - began_cpu, 3)} | _spent(began, began_cpu)


def _spent(began: float, began_cpu: float) -> dict[str, Any]:
    cpu = round(process_time() - began_cpu, 3)
    return {"cpu_seconds": cpu, "real_seconds": round(monotonic() - began, 3), "rss_mb": resident_bytes() >> 20}


def _by_cleave(formula: Formula, search: ThreadsOptions, threads: int) -> dict[str, Any]:
    solver = make_solver(search.solver)
    for constraint in (*formula.constraints, formula.violation):
        solver.add(constraint)
    made = process_time()
    answer = solver.check()
    return {
        "answer": _WORDS[answer],
        "made": made,
        "cost": solver.cost(),
        **size((*formula.constraints, formula.violation), solver),
    }


def _by_cryptominisat(formula: Formula, search: ThreadsOptions, threads: int) -> dict[str, Any]:
    pycryptosat: Any = import_module("pycryptosat")  # in the extra bench
    made = Clauses()
    for term in (*formula.constraints, formula.violation):
        made.add(term)
    clauses = made.gates.take()
    solver = pycryptosat.Solver(threads=threads)
    solver.add_clauses(clauses)
    seconds = process_time()
    satisfiable, _ = solver.solve()
    return {"answer": _WORDS[_TRUTHS[satisfiable]], "made": seconds, "clauses": len(clauses)}


def _by_z3(formula: Formula, search: ThreadsOptions, threads: int) -> dict[str, Any]:
    z3: Any = import_module("z3")
    terms = z3.parse_smt2_string(print_script((*formula.constraints, formula.violation)))
    z3.set_param("sat.threads", threads)
    solver = z3.Then(*_Z3_SIMPLIFIES, *_Z3_BIT_BLASTS, "sat").solver()
    solver.add(terms)
    made = process_time()
    answer = solver.check()
    note = {"note": solver.reason_unknown()} if answer == z3.unknown else {}
    return {"answer": _WORDS[Answer(str(answer))], "made": made, **note}


_WORDS = {Answer.SAT: "unsafe", Answer.UNSAT: "safe", Answer.UNKNOWN: "given up"}
_TRUTHS = {True: Answer.SAT, False: Answer.UNSAT, None: Answer.UNKNOWN}
_SOLVED: dict[str, Callable[[Formula, ThreadsOptions, int], dict[str, Any]]] = {
    CRYPTOMINISAT: _by_cryptominisat,
    Z3: _by_z3,
}


def _watch(options: argparse.Namespace, began: float, began_cpu: float) -> None:
    """Ends the process at its limits, wherever its solver is."""
    while True:
        sleep(_POLL_SECONDS)
        late = options.timelimit and process_time() - began_cpu >= options.timelimit * options.threads
        large = options.memory and resident_bytes() >> 20 > options.memory
        if late or large:
            print_report({"answer": "real limit" if late else "memory", **_spent(began, began_cpu)})
            os._exit(0)


def main() -> int:
    prepare_interpreter()
    print_report(run(parser().parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
