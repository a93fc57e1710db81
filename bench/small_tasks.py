"""The tasks of bench/small: programs of our own with expected verdicts, for all engines and properties.

    python -m bench small                       runs them by `cleave batch`; the exit code is 0 if all are correct
    python -m bench small --definitions DIR     writes task definitions, and a benchmark definition for BenchExec

Each folder below bench/small that has a `tasks.tsv` takes part.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from cleave.batch.collect import collect
from cleave.batch.task import Task
from cleave.frontends.c.properties.registry import chosen
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
    return subprocess.run([*command, f"--out={options.out}", "--strict"]).returncode


def small_tasks() -> list[Task]:
    return collect(str(one.parent) for one in sorted(FOLDER.rglob("tasks.tsv")))


# --- for BenchExec --------------------------------------------------------------------------------------------------


def write_definitions(tasks: Iterable[Task], folder: Path) -> None:
    """Of tasks without options of their own, and with properties that property files can say."""
    folder.mkdir(parents=True, exist_ok=True)
    names: set[str] = set()
    for task in tasks:
        rules = _rules(task)
        if not rules or any("--engine" in argument for argument in task.arguments):
            continue
        name = task.asked.replace(",", "-") or "assertions"
        names.add(name)
        (folder / f"{name}.prp").write_text(rules)
        file = Path(task.files[0])
        definition = folder / f"{file.stem}-{name}.yml"
        definition.write_text(_definition(os.path.relpath(file, folder), name, task))
    runs = "\n".join(_run(name) for name in sorted(names))
    (folder / "small.xml").write_text(_BENCHMARK.format(runs=runs))


def _rules(task: Task) -> str:
    """What a property file says; nothing where there are no words for it."""
    if not is_c(task.files[0]):
        return "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
    formulas = [one.formulas for one in chosen(task.asked.split(","))]
    if not all(formulas):
        return ""
    return "".join(f"CHECK( init(main()), LTL({formula}) )\n" for own in formulas for formula in own[:2])


def _definition(file: str, name: str, task: Task) -> str:
    language = "C" if is_c(file) else "Boogie" if file.endswith(".bpl") else "SMT-LIB"
    verdict = "true" if task.expected == "safe" else "false"
    return (
        f"format_version: '2.0'\ninput_files: '{file}'\nproperties:\n  - property_file: {name}.prp\n"
        f"    expected_verdict: {verdict}\noptions:\n  language: {language}\n  data_model: LP64\n"
    )


def _run(name: str) -> str:
    return (
        f'  <rundefinition name="{name}"><propertyfile>{name}.prp</propertyfile>'
        f'<tasks name="small"><include>*-{name}.yml</include></tasks></rundefinition>'
    )


_BENCHMARK = """\
<?xml version="1.0"?>
<!DOCTYPE benchmark PUBLIC "+//IDN sosy-lab.org//DTD BenchExec benchmark 2.3//EN" "https://www.sosy-lab.org/benchexec/benchmark-2.3.dtd">
<benchmark tool="cleave.benchexec" walltimelimit="120 s">
  <option name="--workers">1</option>
{runs}
  <columns><column title="engine">engine</column><column title="cost">cost</column></columns>
</benchmark>
"""
