"""One verdict from the results of parts: what they say together, if they are all there.

join(whole, results)       # Joined("safe", "the closed parts cover the search")

A missing, doubled or foreign result gives `unknown` and is named. That the closed parts cover the whole is checked by
`validate`, from the decisions that the parts stand for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from cleave.frontends.horn import read_horn
from cleave.ir.split_tree import Closed, Divided, Record
from cleave.records import dataclass
from cleave.run.parts import PartText, Whole, divide, text_digest
from cleave.validate.clauses import resolvents
from cleave.validate.confirmation import Confirmation
from cleave.validate.proofs import coverage
from cleave.verdict import BoundedSafe, Safe, Unknown, Unsafe

_PROVED = (Safe.word, BoundedSafe.word)


@dataclass(frozen=True, slots=True)
class PartResult:
    """What a file of results says: the part that it is about, by the digests of the whole and of its own text, and the
    verdict."""

    file: str
    whole: str
    name: str
    digest: str
    verdict: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    verdict: str
    reason: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    file: str = ""  # of the result that decides


def join(whole: Whole, results: Sequence[PartResult]) -> Joined:
    parts = {part.name: part for part in divide(whole)}
    foreign = [one.file for one in results if one.whole != whole.digest or not _is_of(one, parts)]
    if foreign:
        return Joined(Unknown.word, f"{_listed(foreign)}: no result of a part of this whole")
    twice = [name for name, number in Counter(one.name for one in results).items() if number > 1]
    if twice:
        files = [one.file for one in results if one.name in twice]
        return Joined(Unknown.word, f"{_listed(files)}: two results of the same part")
    violated = next((one for one in results if one.verdict == Unsafe.word), None)
    if violated is not None:
        return Joined(Unsafe.word, f"part {violated.name!r} is unsafe", file=violated.file)
    missing = sorted(parts.keys() - {one.name for one in results})
    if missing:
        return Joined(Unknown.word, f"no result of part {_listed(map(repr, missing))}")
    open_parts = [one for one in results if one.verdict not in _PROVED]
    if open_parts:
        first = open_parts[0]
        return Joined(Unknown.word, f"part {first.name!r} is {first.verdict}: {first.reason}", file=first.file)
    closed = [parts[one.name] for one in results if one.verdict in _PROVED]
    cover = _covered(whole, closed)
    if not cover.holds:
        return Joined(Unknown.word, f"the closed parts do not cover the whole: {cover.text}")
    bounds = _bounds(results)
    word = BoundedSafe.word if any(one.verdict == BoundedSafe.word for one in results) else Safe.word
    return Joined(word, cover.text, bounds if word == BoundedSafe.word else {})


def _is_of(result: PartResult, parts: Mapping[str, PartText]) -> bool:
    part = parts.get(result.name)
    return part is not None and result.digest == text_digest(part.text.encode())


def _covered(whole: Whole, closed: Sequence[PartText]) -> Confirmation:
    if whole.kind == "clauses":
        system = read_horn("whole.smt2", whole.text)
        return resolvents.covered(system, [query for part in closed for query in part.queries])
    return coverage.covered(_records(closed))


def _records(closed: Sequence[PartText]) -> Iterable[Record]:
    """The tree that the parts are the leaves of, from the root down, and what closed them."""
    divided: dict[str, bytes] = {}
    for part in closed:
        for depth, (meaning, _) in enumerate(part.decisions):
            divided.setdefault(part.name[:depth], meaning)
    yield from (Divided(name, divided[name]) for name in sorted(divided, key=lambda name: (len(name), name)))
    yield from (Closed(part.name, part.decisions) for part in closed)


def _bounds(results: Sequence[PartResult]) -> dict[str, int]:
    """What holds for all parts."""
    found: dict[str, int] = {}
    for one in results:
        for name, bound in one.bounds.items():
            found[name] = min(bound, found.get(name, bound))
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
