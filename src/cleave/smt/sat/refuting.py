"""Refutations that somebody else can check: CaDiCaL's LRAT proofs, without what the contradiction does not need.

    refutation([(1, 2), (-1, 2), (-2,)])         # [([], [3, 1, 2])]: literals and hints; None: there is none in time

Clauses have the numbers from 1 on, steps those that follow. `cleave_check.refutation` says what a step is.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from cleave.smt.sat.solver import is_installed

Step = tuple[list[int], list[int]]
_CONFLICTS = 30_000
_MOST_STEPS = 400_000
_UNSATISFIABLE = -1


def refutation(clauses: Sequence[Sequence[int]], conflicts: int = _CONFLICTS) -> list[Step] | None:
    if not is_installed():
        return None
    data = _proof(clauses, conflicts)
    if data is None:
        return None
    steps = dict(_steps(data))
    if len(steps) > _MOST_STEPS or any(hint < 0 for _, hints in steps.values() for hint in hints):
        return None  # a step that does not follow, but does no harm
    return _trimmed(steps, len(clauses))


def _proof(clauses: Sequence[Sequence[int]], conflicts: int) -> bytes | None:
    """In the binary form of LRAT. PySAT's own class can't ask for it."""
    import pysolvers  # type: ignore[import-not-found]

    native: Any = pysolvers
    solver = native.cadical195_new()
    with tempfile.TemporaryFile() as file:
        try:
            native.cadical195_set(solver, "lrat", 1)
            stream = native.cadical195_tracepr(solver, file)
            for clause in clauses:
                native.cadical195_add_cl(solver, list(clause))
            native.cadical195_cbudget(solver, conflicts)
            if native.cadical195_solve_lim(solver, [], 0) != _UNSATISFIABLE:
                return None
            native.flushpr(stream)
            file.seek(0)
            return file.read()
        finally:
            native.cadical195_del(solver, file)


def _steps(data: bytes) -> Iterator[tuple[int, Step]]:
    """By the solver's numbers."""
    at = 0

    def numbers() -> Iterator[int]:
        nonlocal at
        while True:
            number = shift = 0
            while data[at] > 127:
                number |= (data[at] & 127) << shift
                shift += 7
                at += 1
            number |= data[at] << shift
            at += 1
            if not number:
                return
            yield -(number >> 1) if number & 1 else number >> 1

    while at < len(data):
        kind = data[at]
        at += 1
        if kind == ord("a"):
            first, *literals = numbers()
            yield first, (literals, list(numbers()))
        else:  # deleted
            for _ in numbers():
                pass


def _trimmed(steps: dict[int, Step], given: int) -> list[Step] | None:
    """Of given clauses, the n-th has the n-th number that no step has."""
    last = next((number for number, (literals, _) in steps.items() if not literals), None)
    if last is None:
        return None
    needed, pending = set[int](), [last]
    while pending:
        number = pending.pop()
        if number not in needed and number in steps:
            needed.add(number)
            pending += steps[number][1]
    names: dict[int, int] = {}
    number = 0
    for place in range(1, given + 1):
        number += 1
        while number in steps:
            number += 1
        names[number] = place
    found: list[Step] = []
    for number in sorted(needed):
        literals, hints = steps[number]
        if any(hint not in names for hint in hints):
            return None
        found.append((literals, [names[hint] for hint in hints]))
        names[number] = given + len(found)
    return found
