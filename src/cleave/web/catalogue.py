"""All runs that have a journal, newest first; a journal is read again only if it has changed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from cleave.errors import InputError
from cleave.frontends.clauses import holds_clauses
from cleave.journal.journal import Journal
from cleave.journal.lock import is_locked
from cleave.journal.places import SUFFIX, Listing, Run

_Stamp = tuple[tuple[int, int], ...]


class Wanted(NamedTuple):
    """What a reader looks for; empty: everything."""

    verdict: str = ""
    engine: str = ""
    text: str = ""

    def fits(self, run: Run) -> bool:
        told = run.result or {}
        words = {"running"} if run.going_on else {str(told.get("verdict") or ("error" if told else "stopped"))}
        named = (*run.info.files, run.info.id, properties_of(run))
        return (
            (not self.verdict or self.verdict in words)
            and (not self.engine or self.engine in (told.get("engine"), *run.info.engine.split()))
            and (not self.text or any(self.text.lower() in name.lower() for name in named))
        )


class Catalogue:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[_Stamp, Run | str]] = {}
        self._lock = threading.Lock()

    def runs(self, wanted: Wanted | None = None) -> Listing:
        with self._lock:
            paths = sorted(self._folder.glob("*" + SUFFIX), key=lambda path: path.stem, reverse=True)
            self._known = {path: self._read(path) for path in paths}
            found = [run for _, run in self._known.values()]
        runs = [run for run in found if isinstance(run, Run) and (wanted is None or wanted.fits(run))]
        runs.sort(key=lambda run: run.info.started, reverse=True)
        return Listing(runs, [note for note in found if isinstance(note, str)])

    def _read(self, path: Path) -> tuple[_Stamp, Run | str]:
        stamp = (*_stamp(path), (int(is_locked(path)), 0))
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known
        try:
            with Journal.open(path) as journal:
                run = Run(path, journal.info, journal.result, bool(stamp[-1][0]), journal.seconds())
        except InputError as error:
            return stamp, str(error)
        return stamp, run


def _stamp(path: Path) -> Iterable[tuple[int, int]]:
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            found = file.stat()
        except OSError:
            yield 0, 0
        else:
            yield found.st_mtime_ns, found.st_size


def properties_of(run: Run) -> str:
    """What was checked or, as long as there is no result, what was asked for."""
    checked = (run.result or {}).get("checked")
    if isinstance(checked, Mapping) and checked:
        return ", ".join(map(str, checked))
    about: Any = run.info.options.get("input")
    asked = about.get("c", {}).get("checks") if isinstance(about, Mapping) else None
    if run.info.files and holds_clauses(run.info.files[0]):
        return "satisfiability" if run.info.files[0].endswith(".smt2") else "reachability"
    return ", ".join(map(str, asked)) if isinstance(asked, list | tuple) else ""


def cost_of(result: Mapping[str, Any] | None) -> int:
    """Of all stages."""
    stages = (result or {}).get("stages") or ()
    return sum(int(stage.get("cost", 0)) for stage in stages) or int(
        ((result or {}).get("statistics") or {}).get("cost", 0)
    )
