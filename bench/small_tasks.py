"""The tasks of bench/small: programs of our own with expected verdicts, for all engines and properties.

    python -m bench small                       runs them by `cleave batch`
    python -m bench small --definitions DIR     writes task definitions, and a benchmark definition for BenchExec

Each folder below bench/small that has a `tasks.tsv` takes part. The exit code is 0 if no verdict is wrong or unknown;
`bounded-safe`, as of a proof that the time is too short for, is counted beside.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import starmap
from pathlib import Path

from cleave.batch.collect import collect
from cleave.batch.task import Task
from cleave.frontends.read import is_c

FOLDER = Path(__file__).parent / "small"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--definitions", type=Path, metavar="DIR", help="write definitions there, and run nothing")
    parser.add_argument("--cputimelimit", default="120", metavar="T", help="processor time for a task (120)")
    parser.add_argument(
        "--out", type=Path, default=Path("build/small"), metavar="DIR", help="of the rows (build/small)"
    )


def main(options: argparse.Namespace) -> int:
    if options.definitions is not None:
        write_definitions(small_tasks(), options.definitions)
        return 0
    folders = [str(one.parent) for one in sorted(FOLDER.rglob("tasks.tsv"))]
    command = [sys.executable, "-m", "cleave.cli.main", "batch", *folders, f"--cputimelimit={options.cputimelimit}"]
    return subprocess.run([*command, f"--out={options.out}"]).returncode


def small_tasks() -> list[Task]:
    return collect(str(one.parent) for one in sorted(FOLDER.rglob("tasks.tsv")))


# --- for BenchExec --------------------------------------------------------------------------------------------------


def write_definitions(tasks: Iterable[Task], folder: Path) -> None:
    """A task definition for each task, and a run definition for each question with its options. SV-COMP's words say
    some of Cleave's properties only: run definitions ask by ``--check``, property files have the expected verdicts."""
    folder.mkdir(parents=True, exist_ok=True)
    runs: dict[str, list[str]] = {}
    for task in tasks:
        asked = task.asked or ("default" if is_c(task.files[0]) else "")  # other languages say it in the program
        name = re.sub(r"\W+", "-", " ".join((asked or "usual", *_further(task))))
        (folder / f"{name}.prp").write_text(f"{name}, as options say\n")
        file = Path(task.files[0])
        (folder / f"{file.stem}-{name}.yml").write_text(_definition(os.path.relpath(file, folder), name, task))
        options = (*(("--check", asked) if asked else ()), *_further(task))
        told = "".join(f'<option name="{one}"/>' for one in options)
        runs.setdefault(name, [told]).append(f"<include>{file.stem}-{name}.yml</include>")
    (folder / "small.xml").write_text(_BENCHMARK.format(runs="\n".join(starmap(_run, runs.items()))))


def _further(task: Task) -> list[str]:
    """The options beside the question."""
    return [one for one in task.arguments if one not in ("--check", task.asked)]


def _definition(file: str, name: str, task: Task) -> str:
    language = "C" if is_c(file) else "Boogie" if file.endswith(".bpl") else "SMT-LIB"
    verdict = "true" if task.expected == "safe" else "false"
    return (
        f"format_version: '2.0'\ninput_files: '{file}'\nproperties:\n  - property_file: {name}.prp\n"
        f"    expected_verdict: {verdict}\noptions:\n  language: {language}\n  data_model: LP64\n"
    )


def _run(name: str, told: Sequence[str]) -> str:
    options, *tasks = told
    return (
        f'  <rundefinition name="{name}">{options}<propertyfile>{name}.prp</propertyfile>'
        f'<tasks name="small">{"".join(tasks)}</tasks></rundefinition>'
    )


_BENCHMARK = """\
<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
<benchmark tool="cleave.benchexec" timelimit="120 s" walltimelimit="15 min">
  <option name="--workers">1</option>
{runs}
  <columns><column title="engine">engine</column><column title="cost">cost</column></columns>
</benchmark>
"""
