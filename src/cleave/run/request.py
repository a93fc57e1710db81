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
    """0 means: no limit.

    ``engine`` None (or ``auto``): a plan of several engines. ``engines`` are options of single engines, which must be
    among those of the plan. Journals are kept in the folder ``journal``; None: nowhere. ``outputs`` are files to write,
    by the names of exports (``witness``, ``sarif``, ``invariant``). ``memlimit_mb`` is for all processes of the run.
    """

    engine: str | None = None
    each: bool = False  # of a program in C: a verdict for each check
    engines: tuple[Any, ...] = ()
    entry: str | None = None
    property: Property | None = None  # None: what the program asks
    c: COptions = field(default_factory=COptions)  # how to read C; its entry is the one above
    modular: bool = False  # of a Boogie program: each procedure against its contract
    infer: str | None = None  # ``houdini``: the same, with the contracts that constants marked as existential stand for
    boogie: BoogieOptions = field(default_factory=BoogieOptions)  # how to read Boogie
    integers: Integers | None = None  # of a C program; None: BITS, and what gives the same verdicts if it helps
    invariants_from: str | None = None  # an engine that first finds invariants for `inline` to use
    timelimit: float = 0.0
    cputimelimit: float = 0.0  # of all processes of the run together
    memlimit_mb: int = 0
    workers: int = field(default_factory=usable_cores)
    runtime: Runtime = "local"
    address: str | None = None  # of a Ray cluster; None: one of our own
    journal: Path | None = field(default_factory=default_folder)
    outputs: Mapping[str, str] = field(default_factory=dict)
    model: bool = False  # of Horn clauses: `Safe.solution` holds the model, whether it is written to a file or not
    read: tuple[str, ...] = ()  # files beside the input that were read, such as a property file: never written to
    command: str = ""  # the command line, for evidence that names it
    since: float | None = None  # the moment of `time.monotonic` that seconds count from; None: the call
    before: float | None = None  # processor seconds that were not for this run; None: all that were used until the call
    run: str | None = None  # the id of the run; None: one that is made of the time and the file's name

    def wall_seconds(self) -> float:
        """About how long the run takes at most: all workers together use up a limit of processor time. 0: no limit."""
        return min(filter(None, (self.timelimit, self.cputimelimit / self.workers)), default=0.0)
