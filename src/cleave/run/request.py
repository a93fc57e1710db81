"""The options of a run: the same for the command line and for Python, with the same defaults.

Options()                                              # the best verdict that the limits allow
Options(engine="threads", engines=(ThreadsOptions(unwind=5),), timelimit=60, workers=8)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from cleave.engines.engine import Runtime
from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.c.options import COptions
from cleave.ir.integers import Integers
from cleave.ir.program import Property
from cleave.journal.places import default_folder
from cleave.records import dataclass
from cleave.watch import usable_cores

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What to verify and how. A limit of 0 is no limit."""

    engine: str | None = None  # one engine; None or auto: a plan of several
    each: bool = False  # of C: a verdict for each check
    engines: tuple[Any, ...] = ()  # options of single engines, such as InlineOptions()
    given: tuple[str, ...] = ()  # engines' options that were given, also those that say the default
    entry: str | None = None  # the procedure to start from
    property: Property | None = None  # of Boogie: what a violation is; None: what the program asks
    c: COptions = field(default_factory=COptions)  # how to read C; its entry is the one above
    modular: bool = False  # of Boogie: verify each procedure against its contract
    infer: str | None = None  # of Boogie: houdini infers contracts first
    boogie: BoogieOptions = field(default_factory=BoogieOptions)  # how to read Boogie
    integers: Integers | None = None  # of C: what integers are; None: bit vectors
    invariants_from: str | None = None  # an engine that first finds invariants for inline
    timelimit: float = 0.0  # seconds of wall time
    cputimelimit: float = 0.0  # seconds of processor time, of all processes together
    memlimit_mb: int = 0  # megabytes, of all processes together
    workers: int = field(default_factory=usable_cores)  # number of workers
    runtime: Runtime = "local"  # where workers run: local, ray or simulated
    address: str | None = None  # address of a Ray cluster; None: a new Ray on this machine
    journal: Path | None = field(default_factory=default_folder)  # folder of the journal; None: no journal
    outputs: Mapping[str, str] = field(default_factory=dict)  # files to write, by name: witness, sarif, invariant, ...
    model: bool = False  # of Horn clauses: Safe.solution has the model
    read: tuple[str, ...] = ()  # further input files, which are never overwritten
    command: str = ""  # the command line, for evidence that names it
    since: float | None = None  # the moment of time.monotonic() at which seconds begin; None: the call
    before: float | None = None  # processor seconds that do not belong to the run; None: all before the call
    run: str | None = None  # the id of the run; None: made of the time and the file's name

    def wall_seconds(self) -> float:
        """About how long the run takes at most: all workers together use up a limit of processor time. 0: no limit."""
        return min(filter(None, (self.timelimit, self.cputimelimit / self.workers)), default=0.0)
