"""Forged certificates: one certificate, changed in one place, and sealed again as a forger would do it.

    for forgery in forgeries(content, others, random): ...        # endless

| kind | what is changed |
| --- | --- |
| verdict, bounds, property, entries | the claim |
| evidence | a number, a text or a list somewhere in the evidence: dropped, doubled, swapped, replaced |
| refutation | a literal, a hint or a step of a refutation; or it is another formula's |
| swapped | the evidence is another certificate's |
| program | a line of the subject is dropped, doubled, moved, or a word of it changed; the claim's digest fits |
| other program | the whole subject is another certificate's |
| bytes | the file is cut off, or bytes of it change: its seal does not fit |
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cleave_check.certificate import digest, sealed
from cleave_check.refutation import packed, unpacked

_CLAIMED = ("safe", "bounded-safe", "unsafe")
_WORDS = {
    "assert": "assume",
    "assume": "assert",
    "<": "<=",
    "<=": "<",
    "=": "distinct",
    "and": "or",
    "or": "and",
    "+": "-",
    "-": "+",
    "bvadd": "bvsub",
    "bvslt": "bvsle",
    "bvsle": "bvslt",
    "bvult": "bvslt",
    "true": "false",
    "false": "true",
    "0": "1",
    "1": "2",
}
_WORD = re.compile(r"[^\s()]+")


@dataclass(frozen=True, slots=True)
class Forgery:
    kind: str
    data: bytes


def forgeries(content: dict[str, Any], others: Sequence[dict[str, Any]], pick: random.Random) -> Iterator[Forgery]:
    """``content`` is a certificate as an object; ``others`` are certificates of other tasks."""
    makers: dict[str, Callable[[dict[str, Any], random.Random], bool]] = {
        "verdict": _verdict,
        "bounds": _bounds,
        "property": _property,
        "entries": _entries,
        "evidence": _evidence,
        "refutation": _refutation,
        "swapped": lambda made, p: _swapped(made, p, others),
        "program": _program,
        "other program": lambda made, p: _other_program(made, p, others),
    }
    weights = [2, 2, 1, 1, 12, 6, 2, 8, 1]
    while True:
        if pick.random() < 0.1:
            yield Forgery("bytes", _bytes(content, pick))
            continue
        kind = pick.choices(list(makers), weights)[0]
        made = {name: part for name, part in copy.deepcopy(content).items() if name not in ("format", "version")}
        if makers[kind](made, pick):
            made.pop("seal", None)
            yield Forgery(kind, sealed(made).encode())


# --- the claim -------------------------------------------------------------------------------------------------------


def _verdict(made: dict[str, Any], pick: random.Random) -> bool:
    claim = made["claim"]
    claim["verdict"] = pick.choice([word for word in _CLAIMED if word != claim["verdict"]])
    if claim["verdict"] == "bounded-safe":
        claim["bounds"] = {pick.choice(("recursion", "contexts", "unwind")): pick.randrange(1, 9)}
    else:
        claim["bounds"] = {}
    return True


def _bounds(made: dict[str, Any], pick: random.Random) -> bool:
    bounds = made["claim"]["bounds"]
    if not bounds:
        return False
    name = pick.choice(list(bounds))
    if pick.random() < 0.3:
        made["claim"]["bounds"] = {pick.choice(("contexts", "unwind", "rounds")): bounds[name]}
    else:
        bounds[name] += pick.choice((1, 2, 7, 1000, -1))
    return True


def _property(made: dict[str, Any], pick: random.Random) -> bool:
    words = ["assertions", "end-reachable", "clauses", "memory", "assertions, memory, leaks"]
    made["claim"]["property"] = pick.choice([word for word in words if word != made["claim"]["property"]])
    return True


def _entries(made: dict[str, Any], pick: random.Random) -> bool:
    names = re.findall(r"^proc (\S+?)\(", "\n".join(made["subject"]), re.MULTILINE)
    made["claim"]["entries"] = pick.choice([[], [pick.choice(names or ["main"])], names, ["nowhere"]])
    return True


# --- the evidence ----------------------------------------------------------------------------------------------------


def _evidence(made: dict[str, Any], pick: random.Random) -> bool:
    places = [place for place in _places(made["evidence"]) if place[1] != "kind"]
    if not places:
        return False
    holder, key = pick.choice(places)
    value = holder[key]
    draw = pick.random()
    if isinstance(holder, list) and draw < 0.3:
        del holder[key]
    elif isinstance(holder, list) and draw < 0.4:
        holder.insert(key, copy.deepcopy(value))
    elif isinstance(holder, list) and draw < 0.5 and len(holder) > 1:
        other = pick.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = _changed(value, pick)
    return True


def _places(root: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    pending = [root]
    while pending:
        holder = pending.pop()
        for key, value in list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder)):
            found.append((holder, key))
            if isinstance(value, dict | list):
                pending.append(value)
    return found


def _changed(value: Any, pick: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return max(0, value + pick.choice((1, -1, 5)))
        case str() if value.lstrip("-").isdigit():
            return str(int(value) + pick.choice((1, -1, 100)))
        case str():
            return _reworded(value, pick)
        case None:
            return [0, None, None]
        case list():
            return []
        case _:
            return {}


def _reworded(text: str, pick: random.Random) -> str:
    words = [match for match in _WORD.finditer(text) if match[0] in _WORDS or match[0].isdigit()]
    if not words:
        return text + pick.choice(("x", "0", " "))
    match = pick.choice(words)
    new = _WORDS.get(match[0]) or str(int(match[0]) + 1)
    return text[: match.start()] + new + text[match.end() :]


def _refutation(made: dict[str, Any], pick: random.Random) -> bool:
    refutations = made["evidence"].get("refutations", [])
    told = [number for number, one in enumerate(refutations) if one is not None]
    if not told:
        return False
    at = pick.choice(told)
    steps = [(list(literals), list(hints)) for literals, hints in unpacked(refutations[at])]
    here, draw = pick.randrange(len(steps)), pick.random()
    literals, hints = steps[here]
    if draw < 0.1 and len(told) > 1:
        refutations[at] = refutations[pick.choice([other for other in told if other != at])]
        return True
    if draw < 0.2:
        del steps[here]
    elif draw < 0.3:
        steps = steps[here + 1 :] or [([], [])]
    elif draw < 0.5 and literals:
        number = pick.randrange(len(literals))
        literals[number] = pick.choice((-literals[number], literals[number] + 1))
    elif draw < 0.6 and literals:
        del literals[pick.randrange(len(literals))]
    elif draw < 0.8 and hints:
        del hints[pick.randrange(len(hints))]
    elif hints:
        number = pick.randrange(len(hints))
        hints[number] = pick.choice((-hints[number], hints[number] + 1, pick.choice(hints)))
    refutations[at] = packed((a or [], b) for a, b in steps)
    return True


def _swapped(made: dict[str, Any], pick: random.Random, others: Sequence[dict[str, Any]]) -> bool:
    if not others:
        return False
    made["evidence"] = copy.deepcopy(pick.choice(list(others))["evidence"])
    return True


# --- the subject -----------------------------------------------------------------------------------------------------


def _program(made: dict[str, Any], pick: random.Random) -> bool:
    lines = made["subject"]
    at = pick.randrange(len(lines))
    draw = pick.random()
    if draw < 0.2:
        del lines[at]
    elif draw < 0.3:
        lines.insert(at, lines[at])
    elif draw < 0.4 and at + 1 < len(lines):
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        at = pick.choice(
            [n for n, line in enumerate(lines) if any(w[0] in _WORDS for w in _WORD.finditer(line))] or [at]
        )
        lines[at] = _reworded(lines[at], pick)
    made["claim"]["subject"] = digest("".join(f"{line}\n" for line in lines))
    return True


def _other_program(made: dict[str, Any], pick: random.Random, others: Sequence[dict[str, Any]]) -> bool:
    if not others:
        return False
    other = pick.choice(list(others))
    made["subject"] = list(other["subject"])
    made["claim"]["subject"] = other["claim"]["subject"]
    return True


# --- the file --------------------------------------------------------------------------------------------------------


def _bytes(content: dict[str, Any], pick: random.Random) -> bytes:
    data = bytearray(json.dumps(content, indent=1).encode())
    if pick.random() < 0.4:
        return bytes(data[: pick.randrange(len(data))])
    for _ in range(pick.randrange(1, 4)):
        data[pick.randrange(len(data))] = pick.randrange(256)
    return bytes(data)
