"""Candidates for Houdini: conditions that a constant switches on.

    const {:existential true} b: bool;
    ensures b ==> x > 0;                     a candidate, called b

All begin switched on. A violation of one says its name, and the search for an inductive set drops that one.
"""

from __future__ import annotations

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie_options import BoogieOptions

_PREFIX = "candidate "


class Candidates:
    def __init__(self, file: s.File, options: BoogieOptions) -> None:
        inferred = {c.variable.name for c in file.constants if c.inferred}
        self._names = inferred if options.candidates else set()

    def of(self, code: s.Code) -> str | None:
        """The constant that a condition hangs on, if it does."""
        name = code[0][2] if code and code[0][0] == s.NAME else None
        is_switched = code[-1][0] == s.BINARY and code[-1][2] == "==>" if code else False
        return name if is_switched and name in self._names else None


def candidate_text(name: str) -> str:
    return f"{_PREFIX}{name}"


def candidate_in(text: str) -> str | None:
    """The candidate that a violation is of, from what it says."""
    _, mark, rest = text.partition(_PREFIX)
    return rest.split(":")[0].split()[0] if mark and rest else None


def inferred_constants(file: s.File) -> list[str]:
    return [c.variable.name for c in file.constants if c.inferred]
