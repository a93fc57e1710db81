"""Whether a proof is about anything: does an execution, within its bounds, reach a check?

    while (nondet()) n++;  if (n > 1000) assert(m == 5);        bounded-safe 6, and no check was reached

The program is asked again, with checks that are violated wherever they are reached: where there are no bounds, first by
some executions, which nearly always do; then within the same bounds by the inline engine, with a share of the time that
the proof took.
"""

from __future__ import annotations

from dataclasses import replace

from cleave.engines.executions.options import ExecutionsOptions
from cleave.engines.inline.options import InlineOptions
from cleave.frontends.input import Input, Kind
from cleave.ir.program import Assert
from cleave.run.request import Options
from cleave.verdict import BoundedSafe, Result, Safe, Unknown, Unsafe, Verdict

_STEPS = 30_000
_SHARE, _LEAST_SECONDS = 0.25, 1.0  # of the time that the proof took, for the second question


def questions(input: Input, result: Result, options: Options) -> list[Options]:
    """What to ask, one after the other, until one is answered; nothing where there is nothing to ask."""
    verdict = result.verdict
    if not input.is_c or not isinstance(verdict, Safe | BoundedSafe) or not any(result.checked.values()):
        return []
    if not any(isinstance(one, Assert) for p in input.program.procedures.values() for one in p.statements()):
        return []  # all were decided while the program was read
    plain = replace(options, engines=(), workers=1, runtime="local", address=None, outputs={}, integers=None)
    plain = replace(plain, invariants_from=None, each=False, cputimelimit=0.0)
    seconds = max(_LEAST_SECONDS, _SHARE * result.seconds)
    asked = []
    if isinstance(verdict, Safe):
        some = (ExecutionsOptions(steps=_STEPS, native=False),)
        asked.append(replace(plain, engine="executions", engines=some, timelimit=seconds))
    if input.kind is Kind.PROGRAM:
        bounds = verdict.bounds if isinstance(verdict, BoundedSafe) else {}
        bound = max(bounds.values(), default=None)
        own = (InlineOptions(bounds=(bound,)),) if bound is not None else ()
        asked.append(replace(plain, engine="inline", engines=own, timelimit=seconds))
    return asked


def answers(found: Verdict, proof: Verdict) -> bool | None:
    """What a question tells: an answer within bounds is none to a question without."""
    if isinstance(found, Unsafe) or (isinstance(found, Unknown) and found.check is not None):
        return True
    if isinstance(found, Safe) or (isinstance(found, BoundedSafe) and isinstance(proof, BoundedSafe)):
        return False
    return None
