"""Arguments for C programs."""

from __future__ import annotations

import argparse
import re

from cleave.cli.arguments import whole_number_or_zero
from cleave.errors import UsageError
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import BUILT_IN
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


def add_c(parser: argparse.ArgumentParser, *, everything: bool = True) -> None:
    group = parser.add_argument_group("C programs (need the extra c)")
    what = group.add_mutually_exclusive_group()
    what.add_argument("--check", metavar="A,B", action="append", type=checks, help=_checks_help(everything=everything))
    what.add_argument(
        "--property-file",
        "--spec",
        metavar="FILE",
        action="append",
        help="what to check, as SV-COMP writes it (.prp)",
    )
    group.add_argument(
        "--each",
        action="store_true",
        help="a verdict for each check, in one table; the time limit holds for all of them together",
    )
    group.add_argument(
        "--only",
        metavar="A.N,B.M",
        action="append",
        default=[],
        help="verify only these checks, by their names in the table of --each: division.1,memory.3",
    )
    group.add_argument(
        "--loop-bound",
        type=whole_number_or_zero,
        metavar="N",
        help="for --check unwinding: how many iterations a loop may have, and how deep a function may call itself",
    )
    model = group.add_mutually_exclusive_group()
    model.add_argument("--32", dest="bits", action="store_const", const=32, help="ILP32: int, long, pointers of 32 bit")
    model.add_argument("--64", dest="bits", action="store_const", const=64, help="LP64: long, pointers of 64 (default)")
    group.add_argument(
        "--integers",
        choices=[name for name in INTEGERS if name is not None],
        help="bits: bit vectors, as processors compute (default); exact: integers that wrap around like bit vectors, "
        "with the same verdicts (pdr tries them first by itself); math: integers without bounds. The result lists this"
        " as an assumption, unless Cleave also proved that nothing overflows",
    )
    group.add_argument(
        "--memory-model",
        choices=["sc", "tso", "pso"],
        help="sc: memory is sequentially consistent, even for atomics with a weaker order; without this option, a"
        " program with such atomics can't be safe (default sc for a task or --property-file). tso: each thread has one"
        " buffer for its stores, as on x86; pso: one for each place",
    )
    group.add_argument(
        "--no-spurious-wakeups",
        dest="spurious_wakeups",
        action="store_false",
        help="pthread_cond_wait returns only after a signal. POSIX allows it to return without one, so the result lists"
        " this as an assumption",
    )
    group.add_argument(
        "--malloc-may-fail",
        action=argparse.BooleanOptionalAction,
        help="malloc and similar functions may return null, if memory or leaks are checked. This is the default, except"
        " for tasks of SV-COMP: with --property-file, a task, or a program that calls __VERIFIER_ functions",
    )
    group.add_argument(
        "-D", dest="defines", metavar="NAME[=VALUE]", type=_macro, action="append", default=[], help="define a macro"
    )
    group.add_argument(
        "--trust",
        metavar="FUNCTION",
        action="append",
        default=[],
        help="this function without a body changes no memory and returns any value. Without this option it may change"
        " all memory that it can reach, and a violation that depends on it is unknown",
    )
    group.add_argument("--assume-pure", action="store_true", help="the same for all functions without a body")
    group.add_argument("-I", dest="includes", metavar="DIR", action="append", default=[], help="look for headers there")


def checks(text: str) -> tuple[str, ...]:
    """``division,shift``."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    try:
        chosen(names)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return names


def _checks_help(*, everything: bool) -> str:
    """What can be checked, from the table of properties."""
    known = properties().values() if everything else BUILT_IN
    listed = "; ".join(f"{one.name}: {_lower(one.summary)}" for one in known)
    usual = ", ".join(one.name for one in chosen(None))
    return (
        f"what to check, one or several: {listed}. {DEFAULT} stands for {usual}. These are checked if no option, task"
        " or property file names a property; in a program without an error function, a label named ERROR then counts"
        " as a failing assertion. For Boogie programs with threads: assertions and data-race"
    ).replace("%", "%%")


def _macro(text: str) -> str:
    if not re.match(r"(?!\d)[\w$]+(?:$|[=(])", text) or "\n" in text:
        raise argparse.ArgumentTypeError("NAME or NAME=VALUE expected, on one line")
    return text


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
        only=tuple(name.strip() for text in options.only for name in text.split(",") if name.strip()),
        loop_bound=options.loop_bound,
        memory_model=options.memory_model or ("sc" if options.property_file is not None else None),
        spurious_wakeups=options.spurious_wakeups,
        malloc_may_fail=False if options.malloc_may_fail is None and options.property_file else options.malloc_may_fail,
        array_bounds=not options.property_file,
        trust=tuple(options.trust),
        assume_pure=options.assume_pure,
    )
