"""The tasks of a benchmark folder, from its ``index.tsv``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SHARED = Path(os.environ.get("SHARED", Path(__file__).resolve().parents[2] / "shared")).absolute() / "bench"
_BOUND = "--recursion-bound="


@dataclass(frozen=True, slots=True)
class Task:
    folder: str
    path: str
    expected: str  # safe, unsafe or unknown
    question: str  # the index's column "property"
    bounds: str

    @property
    def file(self) -> Path:
        return SHARED / self.folder / self.path

    @property
    def arguments(self) -> list[str]:
        """What the index says about bound, entry and data model, as options of ``cleave verify``."""
        found: list[str] = []
        if bound := re.search(r"(?:recursionBound|loopUnroll)=(\d+)", self.bounds):
            found.append(f"{_BOUND}{bound[1]}")
        if entry := re.search(r"/main:([\w.$]+)", self.question):
            found.append(f"--entry={entry[1]}")
        if "data_model=ILP32" in self.bounds:
            found.append("--32")
        return found

    def arguments_with(self, given: Iterable[str]) -> list[str]:
        """The index's options and those that are given. A bound on recursion is for the engine inline: with it no other
        engine is tried, and another engine has no use for it."""
        own, chosen = self.arguments, list(given)
        has_bound = any(one.startswith(_BOUND) for one in own)
        engines = [one for one in chosen if one.startswith("--engine=")]
        if has_bound and not engines:
            own.append("--engine=inline")
        elif engines and engines[-1] != "--engine=inline":
            own = [one for one in own if not one.startswith(_BOUND)]
        return [*own, *chosen]

    @property
    def name(self) -> str:
        return self.path.removesuffix(".bpl").removesuffix(".bpl")


def tasks(folder: str) -> Iterator[Task]:
    for line in (SHARED / folder / "index.tsv").read_text().splitlines():
        if not line.startswith("#"):
            path, expected, prop, bounds, *_ = line.split("\t")
            # A contract that can't be proved by itself says nothing about executions from the entry.
            says = "unknown" if prop.startswith("modular") and expected == "unsafe" else expected
            yield Task(folder, path, says, prop, bounds)


def named(index: Iterable[Task], name: str) -> Task:
    """The task of the index whose path ends so, or a file that is in no index: nothing is expected of that."""
    found = [task for task in index if task.path.endswith(name)]
    if len(found) == 1:
        return found[0]
    if found or not Path(name).is_file():
        raise SystemExit(f"{name} is {'not one task' if found else 'neither a task of the index nor a file'}")
    return Task("", str(Path(name).resolve()), "unknown", "", "")


def name_of(task: Task) -> str:
    """As in the index; the name of a file that is in none."""
    return f"{task.folder}/{task.path}" if task.folder else Path(task.path).stem


def corral_times() -> dict[str, tuple[str, float]]:
    """Corral's answer and CPU seconds for each SDV task, as measured once."""
    found: dict[str, tuple[str, float]] = {}
    for line in (SHARED / "sdv" / "corral_times.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, _, answer, seconds, *_ = line.split("\t")
            found[name] = (answer, float(seconds))
    return found
