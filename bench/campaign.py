"""Many runs into one file of rows: what is missing is run, each row is stored as soon as its run ends.

    conduct(options, planned, tables)      # the main of a benchmark, and its exit code

A benchmark says which runs there are to make, each with a function that makes it, and how tables are made of all rows.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.rows import Key, Row, Store, row_of
from bench.runs import HOME, Runs

_ALONE = ("real", "processor")  # what takes time that counts has the machine for itself


@dataclass(frozen=True, kw_only=True)
class Planned:
    """A run to make: what its row is called, what is expected, and a function that makes it and tells what it was."""

    task: str
    run: Callable[[Runs], Mapping[str, Any]]
    kind: str = "real"
    how: str = ""
    workers: int = 1
    seed: int = 0
    expected: str = "unknown"

    @property
    def key(self) -> Key:
        return Key(self.kind, self.task, self.how, self.workers, self.seed)


def add_arguments(
    parser: argparse.ArgumentParser, *, out: str, timelimit: float, jobs: int = 1, usual: str = ""
) -> None:
    """``usual`` says what the time limit is if there is not one for all kinds of runs."""
    default = usual or f"{timelimit:g}"
    parser.add_argument(
        "--timelimit", type=float, default=timelimit, metavar="S", help=f"real seconds for a run ({default})"
    )
    parser.add_argument("--jobs", type=int, default=jobs, metavar="J", help="runs at a time (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path(out), metavar="TSV", help="the file of rows (%(default)s)")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are in the file")


def add_simulated_arguments(
    parser: argparse.ArgumentParser, *, out: str, timelimit: float, virtual_limit: float, usual: str = ""
) -> None:
    add_arguments(parser, out=out, timelimit=timelimit, jobs=os.cpu_count() or 1, usual=usual)
    parser.add_argument(
        "--virtual-limit", type=float, default=virtual_limit, metavar="S", help="virtual seconds (%(default)s); 0: none"
    )
    parser.add_argument(
        "--memory", type=int, default=8000, metavar="MB", help="for a simulated run (8000); 0: no limit"
    )


def conduct(
    options: argparse.Namespace,
    planned: Iterable[Planned],
    tables: Callable[[list[Row]], str],
    *,
    is_bad: Callable[[list[Row]], bool] = lambda rows: False,
) -> int:
    """Makes the runs that are missing, unless ``--tables``, and publishes the tables; 1 if a row is wrong, or all
    together are bad."""
    found = carried_out(options, planned)
    if found is None:
        return 1
    options.out.with_name(f"{options.out.stem}_tables.md").write_text(text := tables(found))
    print(text)
    return int(any(row.wrong for row in found) or is_bad(found))


def carried_out(options: argparse.Namespace, planned: Iterable[Planned]) -> list[Row] | None:
    """All rows; None if the file may not be written to, or if somebody interrupted it."""
    only_tables = getattr(options, "tables", False)
    if options.out.exists() and not (options.resume or only_tables):
        print(f"{options.out} exists: go on with it by --resume, or choose another file by --out", file=sys.stderr)
        return None
    store = Store(options.out)
    if not only_tables and not Campaign(store, options).carry_out(list(planned)):
        return None
    options.out.parent.mkdir(parents=True, exist_ok=True)
    return list(store.latest().values())


class Campaign:
    """``options`` has the limits: of real time, of virtual time for runs with such a clock, and, with ``seconds``, the
    time after which no more runs are begun."""

    def __init__(self, store: Store, options: argparse.Namespace) -> None:
        self._store = store
        self._real_limit: float = options.timelimit
        self._virtual_limit: float = getattr(options, "virtual_limit", 0.0)
        self._until = perf_counter() + (getattr(options, "seconds", 0.0) or float("inf"))
        self._jobs: int = options.jobs
        self._version = version()

    def carry_out(self, planned: list[Planned]) -> bool:
        """Whether nothing interrupted it."""
        there = self._store.latest()
        missing = [one for one in planned if one.key not in there or not self._is_decided(one, there[one.key])]
        done = len(planned) - len(missing)
        print(f"{len(planned)} runs, {done} of them in {self._store.path} already", flush=True)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._run_all([one for one in missing if one.kind not in _ALONE], self._jobs)
            self._run_all([one for one in missing if one.kind in _ALONE], 1)
        except KeyboardInterrupt:
            print(f"interrupted; {self._store.path} has what was done, --resume goes on", file=sys.stderr)
            return False
        return True

    def _run_all(self, missing: list[Planned], jobs: int) -> None:
        """Whatever ends this also ends the runs that are under way; their rows are missing then, and nothing else."""
        runs = Runs()
        began = perf_counter()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                futures = [pool.submit(self._made, one, runs) for one in missing]
                for done, future in enumerate(as_completed(futures), start=1):
                    if (row := future.result()) is not None:
                        self._store.add(row)
                        print(f"{done}/{len(missing)} {perf_counter() - began:.0f} s: {row}", flush=True)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                runs.kill()
                raise

    def _made(self, planned: Planned, runs: Runs) -> Row | None:
        if perf_counter() > self._until:
            return None
        known = {"expected": planned.expected, "version": self._version, "real_limit": self._real_limit}
        known |= {"virtual_limit": self._limit(planned), **planned.key._asdict()}
        return row_of(planned.run(runs), **known)

    def _is_decided(self, planned: Planned, row: Row) -> bool:
        return row.decides(self._limit(planned), self._real_limit)

    def _limit(self, planned: Planned) -> float:
        return self._virtual_limit if planned.kind in ("simulated", "delayed") else 0.0


def told_by(command: Sequence[str], timelimit: float) -> Callable[[Runs], Mapping[str, Any]]:
    """What a process of its own tells."""
    return lambda runs: runs.reported(command, timelimit)


def version() -> str:
    """The commit that was measured, with a + if files of it had changed; nothing where there is no git."""
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty=+"], capture_output=True, text=True, cwd=HOME)
    except OSError:
        return ""
    return done.stdout.strip()
