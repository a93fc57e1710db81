"""Options that the engines which unfold programs have in common, and how bounds of loops are said.

--unwind 8                      every loop, and recursion, eight times
--unwind 8,main.0:100           but the first loop of main a hundred times
--unwind ring.c:31:100          or the loop whose head is on that line
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from cleave.engines.options import MOST, option
from cleave.errors import UsageError
from cleave.ir.loops import LoopBounds, NamedLoop, named_loops
from cleave.ir.program import Program
from cleave.records import dataclass

Unwind = int | tuple[str, ...]
"""One bound, or texts such as "8" and "main.0:100"."""

AUTO, BITWUZLA, MINISAT, CADICAL = "auto", "bitwuzla", "minisat", "cadical"
SOLVERS = (AUTO, BITWUZLA, MINISAT, "glucose", CADICAL)  # the last three are those of `smt.sat`
_SHOWN = 12  # loops that a message names


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far loops that constants decide are unfolded: so many iterations of one loop, and in these so many positions
    where a thread can be interrupted."""

    iterations: int = 1_000
    positions: int = 250


USUAL = Extent()


def read_unwind(text: str) -> Unwind:
    """
    >>> read_unwind("8"), read_unwind("8,main.0:100")
    (8, ('8', 'main.0:100'))
    """
    parts = tuple(part.strip() for part in text.split(","))
    if len(parts) == 1 and re.fullmatch(r"-?[0-9]{1,18}", parts[0]):
        return int(parts[0])
    check_unwind(parts)
    return parts


def check_unwind(value: Unwind) -> None:
    """For `Option.valid`."""
    if isinstance(value, tuple):
        for part in value:
            _split(part)


def _split(part: str) -> tuple[str, int]:
    """The name, empty for all loops, and the bound."""
    found = re.fullmatch(r"(?:(.+):)?([0-9]{1,6})", part)
    if not found or not 1 <= int(found[2]) <= MOST:
        raise ValueError(f"{part!r} is neither a number from 1 to {MOST} nor LOOP:NUMBER, such as main.0:100")
    return found[1] or "", int(found[2])


def unwind_option(rule: str) -> Unwind | None:
    """The same for every engine that has one."""
    return option(
        None,
        flag="--unwind",
        metavar="N|LOOP:N",
        read=read_unwind,
        low=1,
        high=MOST,
        valid=check_unwind,
        help="how often loops and recursion are unfolded, not counting iterations that constants decide. A list"
        " sets single loops: 8,main.0:100 or 8,queue.c:31:100 (`cleave plan --loops` prints their names)",
        rule=rule,
    )


def solver_option(rule: str) -> str:
    return option(
        AUTO,
        flag="--solver",
        choices=SOLVERS,
        help=f"the solver for formulas of bit vectors. {rule}; all but {BITWUZLA} need the extra sat",
    )


def general_bound(unwind: Unwind | None, usual: int) -> int:
    """Of loops that have no bound of their own."""
    if isinstance(unwind, tuple):
        return next((bound for name, bound in map(_split, unwind) if not name), usual)
    return usual if unwind is None else unwind


def loop_bounds(unwind: Unwind | None, usual: int, program: Program) -> LoopBounds:
    """Names are those of loops of the program; a procedure's is for recursion."""
    own: dict[str, int] = {}
    if isinstance(unwind, tuple):
        loops = named_loops(program)
        for name, bound in map(_split, unwind):
            own |= dict.fromkeys(_meant(name, loops, program), bound) if name else {}
    return LoopBounds(general_bound(unwind, usual), own)


def _meant(name: str, loops: Sequence[NamedLoop], program: Program) -> list[str]:
    """A loop by its name, those whose head is on a line, or the procedure of a recursion."""
    found = [loop.name for loop in loops if loop.name == name or _is_at(loop, name)]
    if found or name in program.procedures:
        return found or [name]
    known = ", ".join(str(loop) for loop in loops[:_SHOWN])
    more = f", and {len(loops) - _SHOWN} more" if len(loops) > _SHOWN else ""
    raise UsageError(f"--unwind: there is no loop {name!r}; there are {known or 'none'}{more}")


def _is_at(loop: NamedLoop, place: str) -> bool:
    file, _, line = place.rpartition(":")
    where = loop.location
    if where is None or str(where.line) != line:
        return False
    return file in (where.file, PurePath(where.file).name)
