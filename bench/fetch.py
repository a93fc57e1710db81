"""Fetches public tasks that published figures use, by plain git, and writes the index that benchmarks read.

    python -m bench fetch sdv threads --to build/shared
    SHARED=build/shared python -m bench hydra --resume

`bench/sets/NAME.toml` says which repository, commit, paths and verdicts a set has, and which commands make its tables.
"""

from __future__ import annotations

import argparse
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SETS = Path(__file__).parent / "sets"
_HEADING = "#path\texpected\tproperty\tbounds\torigin"


@dataclass(frozen=True, slots=True)
class Listed:
    """A task: its path in the repository, and here; what is known of it."""

    there: str
    here: str
    expected: str
    question: str
    bounds: str


@dataclass(frozen=True, slots=True)
class Repository:
    url: str
    commit: str
    tasks: tuple[Listed, ...]


@dataclass(frozen=True, slots=True)
class TaskSet:
    folder: str
    tables: tuple[str, ...]
    repositories: tuple[Repository, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    known = sorted(file.stem for file in SETS.glob("*.toml"))
    parser.add_argument("sets", nargs="+", choices=known, metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--to", type=Path, default=Path("build/shared"), metavar="DIR", help="(build/shared)")


def main(options: argparse.Namespace) -> int:
    for name in options.sets:
        found = read_set(SETS / f"{name}.toml")
        fetch(found, options.to)
        print(f"{name}: {sum(len(one.tasks) for one in found.repositories)} tasks in {options.to}; its tables:")
        for command in found.tables:
            print(f"  SHARED={options.to} {command}")
    return 0


def read_set(file: Path) -> TaskSet:
    told = tomllib.loads(file.read_text("utf-8"))
    return TaskSet(told["folder"], tuple(told["tables"]), tuple(map(_repository, told["repository"])))


def _repository(told: dict[str, Any]) -> Repository:
    return Repository(told["url"], told["commit"], tuple(Listed(*task) for task in told["tasks"]))


def fetch(tasks: TaskSet, to: Path) -> None:
    """Files that are there already stay."""
    folder = to / "bench" / tasks.folder
    index = [_HEADING]
    for number, repository in enumerate(tasks.repositories):
        clone = to / "clones" / f"{tasks.folder}-{number}"
        if not clone.exists():
            clone.parent.mkdir(parents=True, exist_ok=True)
            _git("clone", "--quiet", "--filter=blob:none", "--no-checkout", repository.url, str(clone))
        _git(
            "-C", str(clone), "checkout", repository.commit, "--", *dict.fromkeys(one.there for one in repository.tasks)
        )
        for one in repository.tasks:
            place = folder / one.here
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((clone / one.there).read_bytes())
            origin = f"{repository.url}@{repository.commit}:{one.there}"
            index.append("\t".join((one.here, one.expected, one.question, one.bounds, origin)))
    (folder / "index.tsv").write_text("\n".join(index) + "\n", encoding="utf-8")


def _git(*arguments: str) -> None:
    if subprocess.run(["git", *arguments]).returncode:
        raise SystemExit(f"git {' '.join(arguments)[:200]} failed; what is there already stays")
