"""Arguments for C programs, and for those with threads."""

from __future__ import annotations

import argparse

from cleave.cli.arguments import said, whole_number, whole_number_or_zero
from cleave.engines.threads.options import (
    AUTO,
    BITWUZLA,
    DEFAULT_CONTEXTS,
    DEFAULT_UNWIND,
    SOLVERS,
    ThreadsOptions,
    contexts,
)
from cleave.errors import UsageError
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.registry import DEFAULT, chosen, properties
from cleave.frontends.c.property_file import read_properties
from cleave.frontends.read import read_bytes
from cleave.ir.integers import Integers

INTEGERS: dict[str | None, Integers | None] = {
    None: None,
    "bits": Integers.BITS,
    "exact": Integers.EXACT,
    "math": Integers.UNBOUNDED,
}
_THREADS = """\
The threads engine searches all schedules of a multi-threaded program within a number of contexts. A context is a
stretch of the execution in which one thread runs; the first one is the main thread's, and every switch from a thread to
another one begins a new context. Threads switch only where others could notice it. With --timelimit and neither
--contexts nor --unwind, the search goes on with larger bounds until the limit.
"""


def add_c(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("C programs (need the extra c)")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--check", metavar="A,B", action="append", type=checks, help=_checks_help())
    what.add_argument(
        "--property-file",
        metavar="FILE",
        action="append",
        help="what to check, as SV-COMP writes it (.prp)",
    )
    model = group.add_mutually_exclusive_group()
    model.add_argument("--32", dest="bits", action="store_const", const=32, help="ILP32: int, long, pointers of 32 bit")
    model.add_argument("--64", dest="bits", action="store_const", const=64, help="LP64: long, pointers of 64 (default)")
    group.add_argument(
        "--integers",
        choices=[name for name in INTEGERS if name is not None],
        help="bits: as processors compute (default); exact: integers that wrap around as bits do, which prove the same"
        " by other means (pdr tries them first by itself); math: integers without bounds. That is assumed, and the"
        " result says so, unless it is proved, too, that nothing overflows",
    )
    group.add_argument(
        "--memory-model",
        choices=["sc"],
        help="sc: memory is sequentially consistent, also for atomics with a weaker order; without it, a program that"
        " has them can't be proved (default for a task or --property-file: sc)",
    )
    group.add_argument(
        "--no-spurious-wakeups",
        dest="spurious_wakeups",
        action="store_false",
        help="pthread_cond_wait returns only after a signal; POSIX allows otherwise, so the result says it",
    )
    group.add_argument("-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], help="define a macro")
    group.add_argument(
        "--trust",
        metavar="FUNCTION",
        action="append",
        default=[],
        help="this function without a body leaves memory alone and returns any value; otherwise it may change all"
        " memory that it can reach, and a violation that depends on it is unknown",
    )
    group.add_argument("--assume-pure", action="store_true", help="the same for all functions without a body")
    group.add_argument("-I", dest="includes", metavar="DIR", action="append", default=[], help="look for headers there")


def add_threads(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("threads", _THREADS)
    group.add_argument(
        "--contexts",
        type=said(contexts),
        metavar="N|M..N",
        help=f"how many; fewer are tried first, from M (default 2..{DEFAULT_CONTEXTS})",
    )
    group.add_argument(
        "--unwind",
        type=whole_number,
        metavar="N",
        help="how often loops and recursion are unfolded, not counting iterations that constants decide"
        f" (default {DEFAULT_UNWIND})",
    )
    group.add_argument(
        "--rounds", type=whole_number_or_zero, default=0, metavar="R", help="all threads in turn, R times, instead"
    )
    group.add_argument(
        "--solver",
        choices=SOLVERS,
        default=AUTO,
        help=f"who decides the formulas of bit vectors; {AUTO} (default) is minisat if it is installed and no array is"
        f" written, else {BITWUZLA}; the others get the same clauses and need the extra sat",
    )
    group.add_argument(
        "--from", dest="first", type=whole_number_or_zero, default=0, metavar="P", help="of --partitions, from this one"
    )
    group.add_argument("--to", dest="last", type=whole_number_or_zero, metavar="P", help="of --partitions, to this one")


def checks(text: str) -> tuple[str, ...]:
    """``division,shift``."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    try:
        chosen(names)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return names


def _checks_help() -> str:
    """What can be checked, from the table of properties."""
    known = properties().values()
    listed = "; ".join(f"{one.name}: {_lower(one.summary)}" for one in known)
    usual = ", ".join(one.name for one in chosen(None))
    return (
        f"what to check, as many as wanted: {listed}. {DEFAULT} stands for {usual}, which are checked where neither a"
        " task nor a property file says what; in programs without an error function a label named ERROR then counts as"
        " an assertion that fails"
    ).replace("%", "%%")


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:].rstrip(".")


def c_options(options: argparse.Namespace) -> COptions:
    found = list(options.check or ())
    found += [read_properties(file, read_bytes(file)) for file in options.property_file or ()]
    return COptions(
        bits=options.bits,
        defines=tuple(options.defines),
        includes=tuple(options.includes),
        checks=tuple(dict.fromkeys(name for own in found for name in own)) if found else None,
        memory_model=options.memory_model if options.property_file is None else "sc",
        spurious_wakeups=options.spurious_wakeups,
        trust=tuple(options.trust),
        assume_pure=options.assume_pure,
    )


def threads_options(options: argparse.Namespace) -> ThreadsOptions:
    if (options.first or options.last is not None) and not options.partitions:
        raise UsageError("--from and --to choose among --partitions")
    return ThreadsOptions(
        unwind=options.unwind,
        contexts=options.contexts,
        rounds=options.rounds,
        seed=options.seed,
        solver=options.solver,
        partitions=options.partitions or 0,
        first=options.first,
        last=options.last,
    )
