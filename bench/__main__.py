"""``python -m bench NAME``, where NAME is

chain     Figure 2 of the DAG paper: growth with the length of a chain of calls
merging   Figure 17: sizes of complete unfoldings under each merging strategy
inlining  tree against DAG inlining on SDV drivers
sdv       verdicts and times on SDV drivers against Corral's (also --folder boogie)
faults    simulated distributed runs under random faults against the engine alone
agreement one verdict for all numbers of workers and runtimes, also where processes are killed
engines   what several engines say about the same tasks, side by side
hydra     speed-up by many virtual workers on hard SDV drivers, and HYDRA's ideas against simpler ones
programs  what the pdr engine proves of programs, against plain SPACER on the same clauses
pdr       Horn clauses: what is solved in wall time, and P3's tables on many virtual workers
cegar     predicate abstraction: speed-up, predictability, against its naive distribution
threads   schedules: 1 to 8 parts as in the paper, and against parallel solvers on the same formulas
hostile   inputs and options that want to do harm: refused, within the limits, nothing left behind
soundness random problems for every front end, engine and runtime against the truth about them
schedules random programs with threads: races, deadlocks and assertions against every interleaving
boogie    random concurrent Boogie programs against every interleaving
boogie-back programs printed as Boogie and read again: the verdict stays
library   random calls of modelled library functions against the machine's own C library
certificates  forged certificates: none is accepted whose claim is not true
mutation  mistakes put into the validators: which of them the tests notice (make mutation)
messages  messages that the coordinator handles per second, and its memory
small     the programs of bench/small, with expected verdicts: needs nothing but this folder
shards    parts that are solved by themselves and joined, against the whole
validators what validators of others say about witnesses and models
executed  violation witnesses carried out by GCC, with nothing but the values that they tell
fetch     public tasks that published figures use, by git (bench/sets)
web       `cleave serve` with many viewers and jobs, and its API under random requests
prose     how hard pages are to read, and sentences that are too long

The exit code is 1 if a goal is not reached or a verdict is wrong.
"""

from __future__ import annotations

import argparse
import sys
from types import ModuleType

from bench import (
    agreement,
    boogie,
    boogie_back,
    cegar,
    certificates,
    chain,
    engines,
    executed,
    faults,
    fetch,
    hostile,
    hydra,
    inlining,
    library,
    merging,
    messages,
    pdr,
    programs,
    prose,
    schedules,
    sdv,
    shards,
    small_tasks,
    soundness,
    threads,
    validators,
    web,
)
from bench.mutation import campaign as mutation

BENCHMARKS: dict[str, ModuleType] = {
    "chain": chain,
    "merging": merging,
    "inlining": inlining,
    "sdv": sdv,
    "faults": faults,
    "agreement": agreement,
    "engines": engines,
    "hydra": hydra,
    "pdr": pdr,
    "programs": programs,
    "cegar": cegar,
    "threads": threads,
    "schedules": schedules,
    "boogie": boogie,
    "soundness": soundness,
    "boogie-back": boogie_back,
    "hostile": hostile,
    "library": library,
    "certificates": certificates,
    "messages": messages,
    "mutation": mutation,
    "prose": prose,
    "small": small_tasks,
    "fetch": fetch,
    "shards": shards,
    "validators": validators,
    "executed": executed,
    "web": web,
}


def main() -> int:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, formatter_class=formatter)
    names = parser.add_subparsers(required=True, metavar="NAME")
    for name, module in BENCHMARKS.items():
        one = names.add_parser(name, description=module.__doc__, formatter_class=formatter)
        module.add_arguments(one)
        one.set_defaults(main=module.main)
    options = parser.parse_args()
    code: int = options.main(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
