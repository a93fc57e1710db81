"""What was chosen and no part of the plan can use is an error in one sentence, never ignored."""

from __future__ import annotations

from dataclasses import asdict, fields

from cleave.engines.registry import engine, engines
from cleave.errors import UsageError
from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.c.options import COptions
from cleave.frontends.input import Input, Kind
from cleave.frontends.read import is_boogie
from cleave.run.plan import Plan, given_options
from cleave.run.request import Options

_OF_C = {
    "bits": "--32 and --64 are",
    "defines": "-D is",
    "includes": "-I is",
    "checks": "--check is",
    "only": "--only is",
    "loop_bound": "--loop-bound is",
    "memory_model": "--memory-model is",
    "spurious_wakeups": "--no-spurious-wakeups is",
    "malloc_may_fail": "--malloc-may-fail is",
    "trust": "--trust is",
    "assume_pure": "--assume-pure is",
}


def check_options(options: Options) -> None:
    """Raises `UsageError` for values that no engine could have."""
    if options.engines:
        from cleave.run.options import check  # looks through all types: most runs have the defaults

        for one in options.engines:
            check(one)


def check_fits(options: Options, plan: Plan) -> None:
    """Raises `UsageError` for options of engines that the plan does not run, and for such as exclude each other."""
    here = [engine(name) for name in dict.fromkeys(stage.engine for stage in plan.stages)]
    if options.runtime != "local" and not any(one.distributes for one in here):
        runs = " and ".join(one.name for one in here)
        raise UsageError(f"--on {options.runtime} is for engines with workers; this plan runs {runs}")
    changed = {name: value for one in options.engines for name, value in given_options(one).items()}
    told = dict.fromkeys(options.given) | changed
    if not told:
        return
    names = {field.name for one in here for field in fields(one.options)}
    from cleave.run.options import excluded, misfits

    if not told.keys() <= names:
        raise UsageError(misfits(told, here, engines())[0])
    if wrong := excluded(told, here):
        raise UsageError(wrong[0])


def _check_tables(input: Input, options: Options) -> None:
    """Options that ask for one verdict for each part of a program."""
    if options.each and not input.is_c:
        raise UsageError(f"{input.file}: --each is for programs in C")
    flag = "--each" if options.each else "--infer" if options.infer else "--modular" if options.modular else ""
    if flag and options.outputs:
        raise UsageError(f"--{next(iter(options.outputs))} is about one verdict, and {flag} gives many")
    if (options.modular or options.infer) and not is_boogie(input.file):
        raise UsageError(f"{input.file}: {flag} is for programs in Boogie")
    if (options.modular or options.infer) and options.entry is not None:
        raise UsageError(f"--entry names one procedure, and {flag} is about each of them")


def check_threads(input: Input, options: Options) -> None:
    """Raises `UsageError` for what says how threads run, where there are none."""
    if input.kind is not Kind.PROGRAM:
        return
    if not options.c.spurious_wakeups:
        raise UsageError(f"{input.file}: --no-spurious-wakeups is for programs with threads")
    if options.boogie.cooperative:
        raise UsageError(f"{input.file}: --cooperative is for programs with threads")


def check_language(input: Input, options: Options) -> None:
    """Raises `UsageError` for options of programs, or of programs in C, where there is none."""
    if not input.kind.is_program:
        for flag, value in (("--entry", options.entry), ("--property", options.property)):
            if value is not None:
                raise UsageError(f"{input.file}: {flag} is for programs, not for {input.kind.value}")
    if options.boogie != BoogieOptions() and not is_boogie(input.file):
        flag = "--cooperative" if options.boogie.cooperative else "--with"
        raise UsageError(f"{input.file}: {flag} is for programs in Boogie")
    _check_tables(input, options)
    usual, chosen = asdict(COptions()), asdict(options.c)
    for name, value in chosen.items():
        if name == "checks" and is_boogie(input.file):
            continue
        if not input.is_c and name in _OF_C and value != usual[name]:
            raise UsageError(f"{input.file}: {_OF_C[name]} for programs in C")
