"""The subject of a journal's run, read back from the journal: its plan, and its input without the files.

plan, input, digests = plan_of(journal)
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from cleave.engines.registry import engine
from cleave.errors import InputError
from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.c.options import COptions
from cleave.frontends.input import Input
from cleave.ir.program import Property
from cleave.journal.journal import Journal
from cleave.run.plan import VERSION, Plan, decode_plan


class Recorded(msgspec.Struct, frozen=True):
    """What an input was made of, beside its source."""

    file: str
    entry: str | None
    property: Property | None
    c: COptions
    digests: dict[str, str]
    boogie: BoogieOptions = msgspec.field(default_factory=BoogieOptions)


def plan_of(journal: Journal) -> tuple[Plan, Input, dict[str, str]]:
    """What a journal's run is about, and the digests of its files when they were read."""
    try:
        plan = decode_plan(journal.plan)
        about = msgspec.convert(journal.info.options["input"], Recorded)
    except (msgspec.MsgspecError, UnicodeDecodeError, KeyError) as error:
        raise InputError(f"the journal does not hold a run of this version of Cleave: {error}") from None
    if plan.version != VERSION:
        raise InputError(f"the run's plan has version {plan.version}, and this Cleave carries out version {VERSION}")
    for name, version in plan.engines.items():
        if engine(name).version != version:
            raise InputError(f"the run is one of another version of the engine {name}")
    c = replace(about.c, entry=about.entry)
    input = replace(Input.of(about.file, journal.source, about.entry, about.property), c=c, boogie=about.boogie)
    return plan, input, about.digests
