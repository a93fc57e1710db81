"""What was chosen and no part of the plan can use is an error in one sentence, never ignored."""

from __future__ import annotations

from dataclasses import asdict, fields

from cleave.engines.registry import engine, engines
from cleave.errors import UsageError
from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.c.options import COptions
from cleave.frontends.input import Input
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
}


def check_options(options: Options) -> None:
    """Raises `UsageError` for values that no engine could have."""
    if options.engines:
        from cleave.run.options import check  # looks through all types: most runs have the defaults

        for one in options.engines:
            check(one)


def check_fits(options: Options, plan: Plan) -> None:
    """Raises `UsageError` for options of engines that the plan does not run, and for such as exclude each other."""
    told = {name: value for one in options.engines for name, value in given_options(one).items()}
    if not told:
        return
    here = [engine(name) for name in dict.fromkeys(stage.engine for stage in plan.stages)]
    names = {field.name for one in here for field in fields(one.options)}
    from cleave.run.options import excluded, misfits

    if not told.keys() <= names:
        raise UsageError(misfits(told, here, engines())[0])
    if wrong := excluded(told, here):
        raise UsageError(wrong[0])


def check_language(input: Input, options: Options) -> None:
    """Raises `UsageError` for options of programs, or of programs in C, where there is none."""
    if not input.kind.is_program:
        for flag, value in (("--entry", options.entry), ("--property", options.property)):
            if value is not None:
                raise UsageError(f"{input.file}: {flag} is for programs, not for {input.kind.value}")
    if options.boogie != BoogieOptions() and not is_boogie(input.file):
        flag = "--cooperative" if options.boogie.cooperative else "--with"
        raise UsageError(f"{input.file}: {flag} is for programs in Boogie")
    if options.each and not input.is_c:
        raise UsageError(f"{input.file}: --each is for programs in C")
    if options.each and options.outputs:
        raise UsageError(f"--{next(iter(options.outputs))} is about one verdict, and --each gives many")
    if (options.modular or options.infer) and not is_boogie(input.file):
        raise UsageError(f"{input.file}: {'--infer' if options.infer else '--modular'} is for programs in Boogie")
    usual, chosen = asdict(COptions()), asdict(options.c)
    for name, value in chosen.items():
        if name == "checks" and is_boogie(input.file):
            continue
        if not input.is_c and name in _OF_C and value != usual[name]:
            raise UsageError(f"{input.file}: {_OF_C[name]} for programs in C")
