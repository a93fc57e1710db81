"""Runs of `bench.threads` as rows of a TSV file (see `bench.rows`)."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from bench import rows

VIOLATION, NOTHING = "violation", "none"
CRYPTOMINISAT, Z3 = "cryptominisat", "z3"


class Key(NamedTuple):
    """What a run was: of ``partitions``, the part; or, with ``threads``, all schedules by one solver's own threads."""

    program: str
    unwind: int
    contexts: int
    solver: str
    threads: int
    partitions: int
    part: int


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds are real time, from the unfolded program to the answer; ``cpu_seconds`` the processor time of these, in
    all threads together; ``make_seconds`` what it took of that, in one thread, until the solver had the formula."""

    program: str
    unwind: int
    contexts: int
    solver: str
    threads: int = 1
    partitions: int = 1
    part: int = 0
    expected: str = "unknown"  # violation | none: of all schedules, in the paper's Table 2
    answer: str  # violation | none | given up | real limit | memory | error
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    make_seconds: float = 0.0
    variables: int = 0
    clauses: int = 0
    nodes: int = 0
    cost: int = 0
    rss_mb: int = 0
    real_limit: float = 0.0
    version: str = ""
    note: str = ""

    virtual_seconds: None = None  # nothing is simulated
    virtual_limit: float = 0.0

    @property
    def key(self) -> Key:
        return Key(self.program, self.unwind, self.contexts, self.solver, self.threads, self.partitions, self.part)

    @property
    def solved(self) -> bool:
        return self.answer in (VIOLATION, NOTHING)

    @property
    def wrong(self) -> bool:
        """A part may well be without a violation; no part has one where there is none."""
        if self.partitions > 1 and self.answer == NOTHING:
            return False
        return self.solved and self.expected in (VIOLATION, NOTHING) and self.answer != self.expected

    @property
    def least_seconds(self) -> float:
        """On a machine with as many processors as the solver has threads, if none of them ever waits: what other
        processes do meanwhile makes no difference to it."""
        return self.make_seconds + (self.cpu_seconds - self.make_seconds) / self.threads

    def __str__(self) -> str:
        part = f", part {self.part} of {self.partitions}" if self.partitions > 1 else ""
        how = f"{self.solver}{f', {self.threads} threads' if self.threads > 1 else ''}{part}"
        wrong = " WRONG" if self.wrong else ""
        bounds = f"unwind {self.unwind}, {self.contexts} contexts"
        return (
            f"{self.program}, {bounds}, {how}: {self.answer}{wrong}, {self.cpu_seconds:.1f} s of processor time,"
            f" {self.seconds:.1f} s {self.note}".rstrip()
        )


def store(path: Path) -> rows.Store[Row]:
    return rows.Store(path, Row)
