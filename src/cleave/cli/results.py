"""Results as text for people and as JSON for programs. The text is made from the object that JSON prints."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from cleave.cli.printing import say, say_error
from cleave.cli.traces import trace_in, trace_text
from cleave.engines.registry import engine
from cleave.errors import CleaveError, InputError, InternalError
from cleave.export.objects import error_object, is_conclusive, only_deterministic, result_object
from cleave.journal.places import default_folder
from cleave.verdict import BoundedSafe, Result, Safe, Unsafe

_PREDICATES = 20  # that are shown of those that did not suffice

Found = Mapping[str, Any]
"""A result as `objects.result_object` makes it."""


def print_result(
    file: str, result: Result, *, as_json: bool, trace: str, journal: Path | None = None, deterministic: bool = False
) -> None:
    """``journal`` is the folder where the run's journal is, if it has one; ``deterministic`` leaves out what differs
    from run to run."""
    if as_json:
        found = result_object(file, result, trace=trace)
        print(json.dumps(only_deterministic(found) if deterministic else found), flush=True)
        return
    found = result_object(file, result, trace="full" if trace == "full" else "compact")  # tells what is violated
    found = only_deterministic(found) if deterministic else found
    say("\n".join((*as_text(found), *_about_run(found, journal), *trace_text(found, trace))))


def print_found(found: Found, *, as_json: bool, trace: str) -> None:
    """What a journal has kept of a result, with a compact trace."""
    if as_json:
        print(json.dumps(_without_trace(found) if trace == "none" else found), flush=True)
        return
    try:
        text = "\n".join((*as_text(found), *trace_text(found, trace if trace == "none" else "compact")))
    except (InternalError, LookupError, TypeError, ValueError, AttributeError) as error:
        told = f"{type(error).__name__}: {error}"
        raise InputError(f"the journal holds no result of this version of Cleave ({told})") from None
    say(text)


def print_error(file: str, error: CleaveError, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(error_object(file, error)), flush=True)
    say_error(error)


def as_text(found: Found) -> Iterable[str]:
    """Without the trace."""
    yield f"{found['verdict']}  {found['file']}"
    yield from _checked(found.get("checked"))
    checked = found.get("validation", "confirmed")  # how, may differ from run to run
    match found["verdict"]:
        case Safe.word if found.get("smtlib"):
            yield f"  the clauses have a solution ({found['smtlib']}); {checked}"
        case Safe.word:
            yield f"  no execution violates the property, whatever the bound; {checked}"
        case BoundedSafe.word:
            shown = ", ".join(f"{name} bound {value}" for name, value in found["bounds"].items())
            yield f"  no execution within {shown} violates the property; {checked}"
            yield f"  the bound took part in the proof: {_larger(found['bounds'])} may find more"
        case Unsafe.word if found.get("smtlib"):
            yield f"  the clauses have no solution ({found['smtlib']}): {_violation(found)}{checked}"
        case Unsafe.word:
            yield f"  {_violation(found)}{checked}"
            yield from (f"  {reason}" for reason in found.get("trace", {}).get("reasons", ()))
        case _:
            yield f"  {found['reason']}"
            yield from _predicates(found.get("predicates") or {})
    if found.get("reached") is False:
        within = " within the bound" if found["verdict"] == BoundedSafe.word else ""
        yield f"  no execution{within} reaches a check: nothing was checked"
    yield from _each(found)
    if "inferred" in found:
        held, dropped = ([n for n, one in found["inferred"].items() if one is value] for value in (True, False))
        yield f"  inferred: true {', '.join(held) or 'none'}; false {', '.join(dropped) or 'none'}"
    if found.get("expected") not in (None, found["verdict"]) and found["verdict"] != "unknown":
        yield f"  note: the task definition expects {found['expected']}"
    for assumption in found["assumptions"]:
        yield f"  note: {assumption}"
    for sentence in found.get("unwritten", ()):
        yield f"  note: {sentence}"
    done = _effort(found)
    if "seconds" in found:
        yield f"  {found['seconds']:.1f} s{f'; {done}' if done else ''}"
    elif done:
        yield f"  {done}"


def _effort(found: Found) -> str:
    return engine(found["engine"]).counters.of(found["statistics"]).line() if found["engine"] else ""


def _checked(found: Mapping[str, int] | None) -> Iterable[str]:
    """The properties; a program that has no place for any of them has nothing to check."""
    if found and any(found.values()):
        yield f"  checked: {', '.join(found)}"
    elif found:
        yield f"  nothing to check: the program has no place where {' or '.join(found)} could be violated"


def _each(found: Found) -> Iterable[str]:
    """A line for each check, and how many have which verdict."""
    each = found.get("each", ())
    if not each:
        return
    rows = [(one["verdict"], one["check"], _where(found["file"], one["location"]), one["text"]) for one in each]
    verdicts, names, places = (max(len(row[column]) for row in rows) for column in range(3))
    for verdict, name, place, text in rows:
        yield f"    {verdict:<{verdicts}}  {name:<{names}}  {place:>{places}}  {text}"
    counts = Counter(one["verdict"] for one in each)
    decided = sum(found["checked"].values()) - len(each)
    hold = "holds" if decided == 1 else "hold"
    more = f"; {decided} more {hold} by types and constants" if decided > 0 else ""
    yield f"  of {len(each)} checks, {', '.join(f'{number} {word}' for word, number in sorted(counts.items()))}{more}"


def _where(file: str, place: Mapping[str, Any] | None) -> str:
    if place is None:
        return ""
    name = "" if place["file"] == file else f"{PurePath(place['file']).name}:"
    return f"{name}{place['line']}:{place['column']}"


def _predicates(found: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """Those that an abstraction has got so far."""
    shown = [f"    {location}: {predicate}" for location, own in found.items() for predicate in own]
    if shown:
        yield "  predicates found:"
        yield from shown[:_PREDICATES]
        if len(shown) > _PREDICATES:
            yield f"    and {len(shown) - _PREDICATES} more; --json has them all"


def _larger(bounds: Mapping[str, int]) -> str:
    options = {"recursion": "--recursion-bound", "contexts": "--contexts", "rounds": "--rounds"}
    return " or ".join(dict.fromkeys(f"a larger {options.get(name, '--unwind')}" for name in bounds))


def _violation(found: Found) -> str:
    if "trace" not in found:
        return ""
    trace = trace_in(found)
    joint = ", at" if " at line " in trace.violated else " at"
    return f"{trace.violated}{f'{joint} {trace.location}' if trace.location else ''}; "


def _about_run(found: Found, journal: Path | None) -> Iterable[str]:
    if found.get("run") is None:
        return
    where = f" --journal {shlex.quote(str(journal))}" if journal not in (None, default_folder()) else ""
    if is_conclusive(found):
        yield f"  what happened: cleave show{where} {found['run']}"
    else:
        yield f"  to continue it: cleave resume{where} {found['run']}"


def _without_trace(found: Found) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key != "trace"}
