"""Many runs into one file of rows: what is missing is run, each row is stored as soon as its run ends.

    campaign = Campaign(store, planned, jobs=2)
    campaign.carry_out(run, is_done)       # run(planned, runs): a row

A run is a process of its own with limits that it keeps itself; if it does not, it is killed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from bench.rows import AnyRow, Store

HOME = Path(__file__).parents[1]
"""From where bench can be imported."""

_GRACE_SECONDS = 60.0  # a run ends by itself at its limits; later it is killed


class Planned(Protocol):
    @property
    def key(self) -> Hashable: ...


AnyPlanned = TypeVar("AnyPlanned", bound=Planned)


def add_arguments(
    parser: argparse.ArgumentParser, *, out: str, timelimit: float, virtual_limit: float, usual: str = ""
) -> None:
    """``usual`` says what the time limit is if there is not one for all kinds of runs."""
    default = usual or f"{timelimit:g}"
    parser.add_argument(
        "--timelimit", type=float, default=timelimit, metavar="S", help=f"real seconds for a run ({default})"
    )
    parser.add_argument(
        "--virtual-limit",
        type=float,
        default=virtual_limit,
        metavar="S",
        help=f"virtual seconds ({virtual_limit:g}); 0: none",
    )
    parser.add_argument(
        "--memory", type=int, default=8000, metavar="MB", help="for a simulated run (8000); 0: no limit"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="J", help="simulated runs at a time")
    parser.add_argument("--out", type=Path, default=Path(out), metavar="TSV")
    parser.add_argument("--resume", action="store_true", help="go on with the rows that are in the file")


class Runs:
    """The processes under way."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()

    def reported(self, command: Sequence[str], timelimit: float) -> dict[str, Any]:
        """What a process says in its last line, as JSON; or why it says nothing."""
        began = perf_counter()
        process = subprocess.Popen(command, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._running.add(process)
        try:
            out, err = process.communicate(timeout=timelimit + _GRACE_SECONDS if timelimit else None)
            told: dict[str, Any] = msgspec.json.decode(out.splitlines()[-1])
            return told
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return {"answer": "real limit", "real_seconds": perf_counter() - began}
        except (IndexError, msgspec.DecodeError):
            note = (err.splitlines() or [f"exit code {process.returncode}"])[-1]
            return {"answer": "error", "note": note[:200], "real_seconds": perf_counter() - began}
        finally:
            self._running.discard(process)

    def kill(self) -> None:
        for process in list(self._running):
            process.kill()


class Campaign(Generic[AnyPlanned, AnyRow]):
    def __init__(self, store: Store[AnyRow], planned: Iterable[AnyPlanned], *, jobs: int) -> None:
        self._store = store
        self._planned = list(planned)
        self._jobs = jobs

    def carry_out(self, run: Callable[[AnyPlanned, Runs], AnyRow], is_done: Callable[[AnyRow], bool]) -> bool:
        """Whether nothing interrupted it."""
        there = self._store.latest()
        missing = [one for one in self._planned if one.key not in there or not is_done(there[one.key])]
        done = len(self._planned) - len(missing)
        print(f"{len(self._planned)} runs, {done} of them in {self._store.path} already", flush=True)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self._run_all(missing, run)
        except KeyboardInterrupt:
            print(f"interrupted; {self._store.path} has what was done, --resume goes on", file=sys.stderr)
            return False
        return True

    def _run_all(self, missing: list[AnyPlanned], run: Callable[[AnyPlanned, Runs], AnyRow]) -> None:
        """Whatever ends this also ends the runs that are under way; their rows are missing then, and nothing else."""
        runs = Runs()
        began = perf_counter()
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                futures = [pool.submit(run, one, runs) for one in missing]
                for done, future in enumerate(as_completed(futures), start=1):
                    row = future.result()
                    self._store.add(row)
                    print(f"{done}/{len(missing)} {perf_counter() - began:.0f} s: {row}", flush=True)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                runs.kill()
                raise


def may_write(out: Path, resume: bool) -> bool:
    """Whether the file of rows is new or to be gone on with; says so if not."""
    if out.exists() and not resume:
        print(f"{out} exists: go on with it by --resume, or choose another file by --out", file=sys.stderr)
        return False
    return True


def publish(text: str, out: Path) -> None:
    """Prints the tables, and writes them beside the rows."""
    out.with_name(f"{out.stem}_tables.md").write_text(text)
    print(text)


def version() -> str:
    """The commit that was measured, with a + if files of it had changed; nothing where there is no git."""
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty=+"], capture_output=True, text=True, cwd=HOME)
    except OSError:
        return ""
    return done.stdout.strip()
