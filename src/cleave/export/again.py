"""The files of a run, made again from its journal: for runs that were not asked for them.

export_again(path, "sarif")          # the text of the file
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from cleave.errors import UsageError
from cleave.export.exports import About, export
from cleave.export.inputs import Inputs
from cleave.journal.database import reading
from cleave.journal.journal import Journal
from cleave.run.merge import merge
from cleave.run.outcome import decode_outcome
from cleave.run.plan import Stage
from cleave.run.recorded import plan_of


def export_again(path: Path, name: str) -> str:
    """The text of the file. Raises `UsageError` with the reason where there is none."""
    one = export(name)
    with Journal.open(path) as journal, reading(path):
        plan, input, _ = plan_of(journal)
        if (why := one.refuses(input)) is not None:
            raise UsageError(why)
        rows = [row for row in journal.stages() if row.outcome is not None]
        stages = {stage.number: stage for stage in plan.stages}
        stages |= {row.number: msgspec.json.decode(row.spec, type=Stage) for row in rows}
        outcomes = {row.number: decode_outcome(row.outcome) for row in rows if row.outcome is not None}
        files, told, seconds = Inputs(journal.contents()), journal.result, journal.seconds()
    if told is None or "error" in told:
        raise UsageError("the run has no result yet")
    whole = msgspec.structs.replace(plan, stages=tuple(stages.values()))
    result = merge(whole, outcomes, input, seconds=float(told.get("seconds", seconds)))
    text = one.make(About(input=input, files=files, command=plan.command, journal=path), result)
    if text is None:
        raise UsageError(f"{one.nothing}, not of {result.verdict.word}")
    return text
