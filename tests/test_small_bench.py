"""The tasks of bench/small: what they cover, and that BenchExec runs them by the tool-info module."""

from __future__ import annotations

import bz2
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from bench.fetch import SETS, Listed, Repository, TaskSet, fetch, read_set
from bench.small_tasks import FOLDER, small_tasks, write_definitions
from bench.tasks import SHARED

from cleave.batch.collect import collect
from cleave.engines.registry import names
from cleave.frontends.c.properties.built_in import BUILT_IN

_FEW = ("double_free", "average", "swap", "reach", "shift_far", "race", "toggle")


def test_there_are_forty_programs_for_all_engines_and_properties() -> None:
    tasks = small_tasks()
    assert len({task.files for task in tasks}) >= 40
    assert all(task.expected in ("safe", "unsafe") and Path(task.files[0]).is_file() for task in tasks)
    asked = {name for task in tasks for name in task.asked.split(",") if name}
    assert asked >= {one.name for one in BUILT_IN}
    told = " ".join(" ".join(task.arguments) for task in tasks)
    assert all(f"--engine {name}" in told or name == "threads" for name in names())
    assert any("threads/" in task.files[0] for task in tasks)


def test_every_program_has_a_task() -> None:
    listed = {os.path.realpath(file) for task in small_tasks() for file in task.files}
    programs = [
        file for ending in ("c", "bpl", "smt2", "btor2", "aag", "mcmt", "vmt") for file in FOLDER.rglob(f"*.{ending}")
    ]
    assert [file for file in programs if os.path.realpath(file) not in listed] == []


def test_benchexec_runs_them_and_no_row_is_wrong(tmp_path: Path) -> None:
    chosen = [task for task in small_tasks() if Path(task.files[0]).stem in _FEW]
    write_definitions(chosen, tmp_path)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "benchexec.benchexec", "--no-container", "-o", f"{tmp_path}/results/", "small.xml"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    found = {}
    for file in (tmp_path / "results").glob("*.xml.bz2"):
        for run in ElementTree.fromstring(bz2.decompress(file.read_bytes())).iter("run"):
            columns = {column.get("title"): column.get("value") for column in run.iter("column")}
            found[Path(run.get("name", "")).stem] = (columns["category"], columns["status"])
    assert found == {
        "double_free-memory": ("correct", "false(valid-free)"),
        "average-signed-overflow": ("correct", "false(no-overflow)"),
        "swap-usual": ("correct", "true"),
        "reach-usual": ("correct", "false"),
        "reach-usual-engine-cegar": ("correct", "false"),
        "toggle-usual": ("correct", "false"),
        "shift_far-shift": ("correct", "false"),
        "race-data-race": ("correct", "false(no-data-race)"),
    }


def test_every_task_has_a_definition_for_benchexec(tmp_path: Path) -> None:
    tasks = small_tasks()
    write_definitions(tasks, tmp_path)
    top = ElementTree.fromstring((tmp_path / "small.xml").read_text())
    told = [one.text or "" for one in top.iter("include")]
    assert len(told) == len(set(told)) == len(tasks)
    assert all((tmp_path / name).is_file() for name in told)
    assert all((tmp_path / (one.text or "")).is_file() for one in top.iter("propertyfile"))
    for run in top.iter("rundefinition"):
        files = [Path(FOLDER, one) for one in _inputs(run, tmp_path)]
        asks_by_option = "--check" in [option.get("name") for option in run.iter("option")]
        assert {file.suffix == ".c" for file in files} == {asks_by_option}
    assert {task.expected for task in collect([str(tmp_path / "small.xml")])} == {"safe", "unsafe"}


def _inputs(run: ElementTree.Element, folder: Path) -> list[str]:
    texts = [(folder / (one.text or "")).read_text() for one in run.iter("include")]
    return [text.partition("input_files: '")[2].partition("'")[0] for text in texts]


# --- public sets ----------------------------------------------------------------------------------------------------


def test_sets_name_tasks_that_benchmarks_know() -> None:
    for file in SETS.glob("*.toml"):
        found = read_set(file)
        tasks = [task for repository in found.repositories for task in repository.tasks]
        assert tasks
        assert len({(task.here, task.question) for task in tasks}) == len(tasks)
        assert {task.expected for task in tasks} <= {"safe", "unsafe", "unknown"}
        assert all(command.startswith("python -m bench ") for command in found.tables)
        assert not any(str(SHARED) in part for task in tasks for part in (task.here, task.there))


def test_a_set_is_fetched_by_git(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.c").write_text("int main(void) { return 0; }\n")
    git = ["git", "-C", str(source), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for arguments in (["init", "-q"], ["add", "a.c"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    repository = Repository(source.as_uri(), commit, (Listed("a.c", "x/a.c", "safe", "assertions", "-"),))
    for _ in range(2):  # again: what is there is used
        fetch(TaskSet("c", (), (repository,)), tmp_path / "to")
    folder = tmp_path / "to" / "bench" / "c"
    assert (folder / "x/a.c").read_text() == (source / "a.c").read_text()
    assert (folder / "index.tsv").read_text().splitlines()[1].startswith("x/a.c\tsafe\tassertions\t-\t")
