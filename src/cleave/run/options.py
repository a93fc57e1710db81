"""The options of engines: flags of the command line, checks of the Python call, and tables for people.

    flags(parser, engines)                 # each flag once, whatever engines have it
    told = given(namespace, engines)       # {"unwind": 5}: what was said, not what is by default
    ThreadsOptions(**options_for(threads, told))
    check(ThreadsOptions(unwind=0))        # UsageError: --unwind: 0 is not a number from 1 to 999999
    misfits({"unwind": 5}, [inline, pdr], engines)
                                           # ["--unwind is for the engines threads and bmc; this plan runs …"]

All of it is made from the fields of the engines' options (`engines.options`), as docs/guide/options.md is
(`options_page`).
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from cleave.errors import UsageError
from cleave.run.choices import Choice, choices_of


class Described(Protocol):
    """What is needed of an `Engine`."""

    @property
    def name(self) -> str: ...

    @property
    def purpose(self) -> str: ...

    @property
    def options(self) -> type[Any]: ...


# --- the command line -----------------------------------------------------------------------------------------------


def flags(parser: argparse.ArgumentParser, engines: Iterable[Described], only: Collection[str] = ()) -> None:
    """Adds the flags of all engines, or ``only`` some by their names in Python, grouped by engine; those that several
    engines have come first."""
    holders = {flag: held for flag, held in _holders(engines).items() if not only or held[0][1].name in only}
    shared = [flag for flag, held in holders.items() if len(held) > 1]
    group = parser.add_argument_group("options of several engines")
    for flag in shared:
        _add(group, holders[flag])
    own: dict[str, argparse._ArgumentGroup] = {}
    for (engine, choice), *others in holders.values():
        if not others:
            if engine.name not in own:
                own[engine.name] = parser.add_argument_group(f"options of the engine {engine.name}", engine.purpose)
            _add(own[engine.name], [(engine, choice)])


Held = list[tuple[Described, Choice]]


def _holders(engines: Iterable[Described]) -> dict[str, Held]:
    """By flag, who has it."""
    found: dict[str, Held] = {}
    for engine in engines:
        for choice in choices_of(engine.options):
            if choice.about.flag:
                found.setdefault(choice.about.flag, []).append((engine, choice))
    return found


def _add(group: argparse._ArgumentGroup, held: Held) -> None:
    choice = held[0][1]
    common: dict[str, Any] = {"dest": choice.name, "default": argparse.SUPPRESS, "help": _help(held).replace("%", "%%")}
    if choice.type is bool:
        action = argparse.BooleanOptionalAction if choice.is_switch else "store_true"
        group.add_argument(choice.about.flag, action=action, **common)
        return
    metavar = f"{{{','.join(map(str, choice.words))}}}" if choice.words else choice.about.metavar or None
    group.add_argument(choice.about.flag, type=_reader(choice), metavar=metavar, **common)


def _reader(choice: Choice) -> Any:
    def read(text: str) -> Any:
        try:
            return choice.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _help(held: Held) -> str:
    texts = {_help_of(choice): None for _, choice in held}
    if len(texts) == 1:
        return next(iter(texts)) + (f"; for {_listed([e.name for e, _ in held])}" if len(held) > 1 else "")
    return "; ".join(f"{engine.name}: {_help_of(choice)}" for engine, choice in held)


def _help_of(choice: Choice) -> str:
    if choice.type is bool and not choice.is_switch:
        return choice.about.help
    return f"{choice.about.help} (default{':' if choice.default is None else ''} {choice.default_text()})"


def given(namespace: argparse.Namespace, engines: Iterable[Described]) -> dict[str, Any]:
    """What was given on the command line, by the names of fields."""
    names = [held[0][1].name for held in _holders(engines).values()]
    return {name: getattr(namespace, name) for name in names if hasattr(namespace, name)}


def options_for(engine: Described, told: Mapping[str, Any]) -> dict[str, Any]:
    """What of it the engine has."""
    names = {choice.name for choice in choices_of(engine.options)}
    return {name: value for name, value in told.items() if name in names}


# --- checks ---------------------------------------------------------------------------------------------------------


def check(options: Any) -> None:
    """Raises `UsageError` for the first value that is none an option may have."""
    for choice in choices_of(type(options)):
        try:
            choice.check(getattr(options, choice.name))
        except ValueError as error:
            raise UsageError(f"{choice.said}: {error}") from None


def misfits(told: Mapping[str, Any], plan: Sequence[Described], known: Iterable[Described]) -> list[str]:
    """A sentence for each option that was given and that no engine of the plan has."""
    here = {choice.name for engine in plan for choice in choices_of(engine.options)}
    found = []
    engines = list(known)
    for name in told:
        if name not in here:
            held = [(e.name, c) for e in engines for c in choices_of(e.options) if c.name == name]
            others = _listed([engine for engine, _ in held])
            runs = _listed(list(dict.fromkeys(engine.name for engine in plan)))
            plural = "s" if len(held) > 1 else ""
            found.append(f"{held[0][1].said} is for the engine{plural} {others}; this plan runs {runs}")
    return found


def excluded(told: Mapping[str, Any], plan: Sequence[Described]) -> list[str]:
    """A sentence for each option that was given and has no effect beside another one that was given."""
    every = {choice.name: choice for engine in plan for choice in choices_of(engine.options)}
    return [
        f"{one.said} is instead of {every[one.about.instead_of].said}: give one of them"
        for name, one in every.items()
        if name in told and one.about.instead_of in told
    ]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
