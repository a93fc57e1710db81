"""The options that a submission may have, from the same tables as the command line: for the form, the API's document
and the words of a job's command.

    told = chosen({"engine": "threads", "unwind": "3"}, settings)      # UsageError with one sentence if it can't be
    arguments(told)                                                    # ["--engine=threads", "--unwind=3"]

Options that name files of this machine (``-I``, ``--property-file``, outputs), macros (``-D``) and clusters are not
among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from cleave.engines.options import seconds
from cleave.engines.registry import engine, names
from cleave.errors import UsageError
from cleave.frontends.c.properties.registry import properties
from cleave.ir.program import Property
from cleave.records import dataclass
from cleave.run.choices import Choice, choices_of
from cleave.run.request import AUTO
from cleave.web.settings import Settings

_WORD = 100  # characters of a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """``values``: all there are, else any text that ``choice`` reads. ``group`` is where it stands in the form, and
    ``engines`` those that have it; none: all. ``many``: several values, each with a box of its own or, where they are
    not known, separated by commas."""

    name: str
    flag: str
    help: str
    group: str
    values: tuple[str, ...] = ()
    default: str = ""
    is_flag: bool = False
    engines: tuple[str, ...] = ()
    choice: Choice | None = None
    many: bool = False
    pattern: str = ""  # of each word of a text


GENERAL, C, BOOGIE = "General", "C programs", "Boogie programs"
_SWITCH = ("yes", "no")
_INTEGERS = ("bits", "exact", "math")


@cache
def fields() -> dict[str, Field]:
    """By name."""
    general = (
        Field(
            name="engine",
            flag="--engine",
            help="one engine instead of a plan of several",
            group=GENERAL,
            values=(AUTO, *names()),
            default=AUTO,
        ),
        Field(name="timelimit", flag="--timelimit", help="wall time: 60, 90s, 5m, 1h", group=GENERAL),
        Field(name="workers", flag="--workers", help="processes that search", group=GENERAL),
        Field(name="memlimit", flag="--memlimit", help="memory of the job in MB", group=GENERAL),
        Field(name="entry", flag="--entry", help="the procedure to start from", group=GENERAL, default="main"),
        Field(
            name="property",
            flag="--property",
            help="what a violation is",
            group=GENERAL,
            values=tuple(one.value for one in Property),
            default="what the program asks",
        ),
    )
    c = (
        Field(
            name="check",
            flag="--check",
            help="what to check; none: what is checked by default",
            group=C,
            values=tuple(properties()),
            many=True,
        ),
        Field(name="bits", flag="--", help="the data model", group=C, values=("32", "64"), default="64"),
        Field(
            name="integers",
            flag="--integers",
            help="bits: as processors compute; exact: integers that wrap around; math: without bounds",
            group=C,
            values=_INTEGERS,
            default="bits",
        ),
        Field(
            name="memory_model",
            flag="--memory-model",
            help="sc: memory is sequentially consistent; tso, pso: threads have store buffers",
            group=C,
            values=("sc", "tso", "pso"),
        ),
        Field(
            name="no_spurious_wakeups",
            flag="--no-spurious-wakeups",
            help="pthread_cond_wait returns only after a signal",
            group=C,
            is_flag=True,
        ),
        Field(
            name="assume_pure",
            flag="--assume-pure",
            help="functions without a body leave memory alone and return any value",
            group=C,
            is_flag=True,
        ),
        Field(
            name="trust",
            flag="--trust",
            help="these functions without a body leave memory alone: f,g",
            group=C,
            many=True,
            pattern=r"[A-Za-z_$][\w$.]*",
        ),
        Field(
            name="malloc_may_fail",
            flag="--malloc-may-fail",
            help="malloc may return null, where memory or leaks are checked",
            group=C,
            values=_SWITCH,
        ),
        Field(
            name="loop_bound",
            flag="--loop-bound",
            help="for the check unwinding: how many iterations a loop may have",
            group=C,
            pattern=r"[0-9]{1,9}",
        ),
        Field(
            name="only",
            flag="--only",
            help="only these checks: division.1,memory.3",
            group=C,
            many=True,
            pattern=r"[a-z-]+\.[0-9]+",
        ),
    )
    boogie = (
        Field(
            name="cooperative",
            flag="--cooperative",
            help="threads are interrupted only where they yield",
            group=BOOGIE,
            is_flag=True,
        ),
    )
    return {one.name: one for one in (*general, *c, *boogie, *_of_engines())}


def _of_engines() -> Iterable[Field]:
    held: dict[str, list[tuple[str, Choice]]] = {}
    for name in names():
        for choice in choices_of(engine(name).options):
            if choice.about.flag:
                held.setdefault(choice.name, []).append((name, choice))
    for name, own in held.items():
        choice = own[0][1]
        engines = tuple(one for one, _ in own)
        is_flag = choice.type is bool and not choice.is_switch
        values = _SWITCH if choice.is_switch else tuple(map(str, choice.words))
        yield Field(
            name=name,
            flag=choice.about.flag,
            help=choice.about.help,
            group=f"Engine {engines[0]}" if len(engines) == 1 else "Several engines",
            values=() if is_flag else values,
            default="" if is_flag else choice.default_text(),
            is_flag=is_flag,
            engines=engines,
            choice=choice,
        )


# --- what was chosen ------------------------------------------------------------------------------------------------


def chosen(given: Mapping[str, Any], settings: Settings) -> dict[str, str]:
    """What was given, as text and checked, with the server's limits."""
    told: dict[str, str] = {}
    known = fields()
    for name, value in given.items():
        text = _text(name, value)
        if name not in known:
            raise UsageError(f"there is no option {name[:_WORD]!r} for submitted programs")
        if text:
            told[name] = _checked(known[name], text)
    told["timelimit"] = _timelimit(told.get("timelimit", ""), settings)
    told["workers"] = _number(told.get("workers", ""), "workers", min(2, settings.workers), settings.workers)
    told["memlimit"] = _number(told.get("memlimit", ""), "memlimit", settings.job_memory_mb, settings.memory_mb)
    return told


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    if value is None or isinstance(value, str | int | float):
        return "" if value is None else str(value).strip()
    raise UsageError(f"{name[:_WORD]}: the value is no text, number, flag or list of texts")


def _checked(field: Field, text: str) -> str:
    words = text.split(",") if field.many else [text]
    if len(text) > 1000 or any(ord(one) < 32 for one in text):
        raise UsageError(f"{field.name}: the value is too long, or holds control characters")
    if field.is_flag:
        if text not in ("yes", "on", "true"):
            raise UsageError(f"{field.name}: {text[:_WORD]!r} is not yes")
    elif field.values:
        wrong = next((word for word in words if word not in field.values), None)
        if wrong is not None:
            raise UsageError(f"{field.name}: {wrong[:_WORD]!r} is not one of {', '.join(field.values)}")
    elif field.pattern:
        wrong = next((word for word in words if not re.fullmatch(field.pattern, word, re.ASCII)), None)
        if wrong is not None:
            raise UsageError(f"{field.name}: {wrong[:_WORD]!r} does not fit: {field.help}")
    elif field.choice is not None:
        try:
            field.choice.read(text)
        except ValueError as error:
            raise UsageError(f"{field.name}: {str(error)[:300]}") from None
    return text


def _timelimit(text: str, settings: Settings) -> str:
    try:
        wanted = seconds(text) if text else settings.timelimit
    except ValueError as error:
        raise UsageError(f"timelimit: {str(error)[:300]}") from None
    if wanted > settings.timelimit:
        raise UsageError(f"timelimit: this server gives a job at most {settings.timelimit:g} s")
    return f"{wanted:g}"


def _number(text: str, name: str, default: int, most: int) -> str:
    if text and not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and 1 <= int(text) <= most):
        raise UsageError(f"{name}: {text[:_WORD]!r} is not a number from 1 to {most}")
    return text or str(default)


def arguments(told: Mapping[str, str]) -> list[str]:
    """Of ``cleave verify``. A value is never a word of its own, so none is taken for a flag or a file."""
    words = []
    for name, text in told.items():
        field = fields()[name]
        if field.name == "bits":
            words.append(f"--{text}")
        elif field.is_flag:
            words.append(field.flag)
        elif field.values == _SWITCH:
            words.append(field.flag if text == "yes" else f"--no-{field.flag.removeprefix('--')}")
        elif field.many and not field.values:
            words += [f"{field.flag}={word}" for word in text.split(",")]
        elif text != AUTO or field.name != "engine":
            words.append(f"{field.flag}={text}")
    return words


def described() -> list[dict[str, Any]]:
    """The table, as an object that JSON can hold."""
    return [
        {
            "name": one.name,
            "flag": f"--{'|--'.join(one.values)}" if one.name == "bits" else one.flag,
            "help": one.help,
            "values": list(one.values) or None,
            "default": one.default or None,
            "engines": list(one.engines) or None,
        }
        for one in fields().values()
    ]
