"""What a user can choose about a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cleave.distribute import Runtime
from cleave.engines.cegar.options import CegarOptions
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import InlineOptions
from cleave.engines.pdr.options import PdrOptions
from cleave.engines.threads.options import ThreadsOptions
from cleave.frontends.c.options import COptions
from cleave.ir.integers import Integers
from cleave.ir.program import Property


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """0 means: no limit.

    The engine `AUTO` lets several run side by side on a sequential program, each with a share of the workers.

    With one worker the search runs in this process and has no journal; with more, on ``runtime``, and its journal is
    kept in the folder ``journal`` if there is one.
    """

    engine: str | None = None  # None: what fits the file
    entry: str | None = None
    property: Property | None = None  # None: what the program asks
    c: COptions = field(default_factory=COptions)  # how to read C; its entry is the one above
    integers: Integers | None = None  # of a C program; None: BITS, and what gives the same verdicts if it helps
    recursion_bounds: tuple[int, ...] | None = None  # tried in turn; None: the default, and beyond while it is cheap
    merging: Merging = Merging.FIRST
    under_always: bool = False  # look for violations in what is inlined in every step, as in HYDRA's paper
    seed: int = 0
    timelimit: float = 0.0
    memlimit_mb: int = 0
    workers: int = 1
    inline: InlineOptions = field(default_factory=InlineOptions)  # but for the four above
    pdr: PdrOptions = field(default_factory=PdrOptions)
    cegar: CegarOptions = field(default_factory=CegarOptions)
    threads: ThreadsOptions = field(default_factory=ThreadsOptions)
    invariant: Path | None = None  # where to write what proves `safe` without bounds
    loop_invariants: bool = False  # whether a `safe` is to tell those that took part in its proof
    invariants_from: str | None = None  # an engine that first finds invariants for `inline` to use
    runtime: Runtime = "local"
    address: str | None = None  # of a Ray cluster; None: one of our own
    journal: Path | None = None
