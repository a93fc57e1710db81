"""Long executions in machine code, confirmed by `validate.native`."""

from __future__ import annotations

from collections.abc import Callable

from cleave.engines.executions.native.running import Ended, Failed, run_natively
from cleave.engines.executions.options import ExecutionsOptions
from cleave.ir.program import Program
from cleave.validate.native.execution import long_violation, only_execution
from cleave.verdict import Safe, Unsafe

_LONGEST = 1_000_000  # jumps of the first execution with inputs
_SECONDS = 60  # of processor time, at most
_LEAST = 150_000_000  # jumps of executions with inputs: a fraction of a second, as compiling takes, too
_SLOW = 50_000_000  # jumps in a second: where they take longer, executions with inputs are left earlier


def settled_natively(
    program: Program, entry: str, options: ExecutionsOptions, check: Callable[[], None]
) -> Safe | Unsafe | None:
    """First without inputs, where the program may have one execution only, then with inputs by chance."""
    without, by_chance = options.steps * options.jumps, max(_LEAST, options.steps * options.random_jumps)
    brief = min(_SECONDS, 2 + by_chance // _SLOW)
    for seed, jumps, longest, most in ((0, without, without, _SECONDS), (options.seed + 1, by_chance, _LONGEST, brief)):
        found = run_natively(program, entry, seed=seed, jumps=jumps, longest=longest, seconds=most, check=check)
        if isinstance(found, Ended):
            judged = only_execution(program, entry, seconds=_SECONDS, check=check)
            if judged.holds:
                return Safe(judged.text)
        elif isinstance(found, Failed):
            judged = long_violation(program, entry, found.inputs, seconds=_SECONDS, check=check)
            if judged.trace is not None:
                return Unsafe(judged.trace, judged.text)
    return None
