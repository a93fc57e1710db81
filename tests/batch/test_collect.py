"""Tasks from folders, patterns, definitions, sets, lists and cleave.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.batch.collect import collect
from cleave.batch.project import project_tasks
from cleave.batch.task import Limits, Task
from cleave.errors import InputError

_TASK = """\
format_version: '2.0'
input_files: 'loop.c'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/no-overflow.prp
    expected_verdict: false
  - property_file: ../properties/termination.prp
    expected_verdict: true
options: {language: C, data_model: ILP32}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("loop.c", "other.c", "deep/clauses.smt2", "notes.txt", ".hidden/x.c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "loop.yml").write_text(_TASK)
    (tmp_path / "settings.yml").write_text("a: b")
    return tmp_path


def _told(tasks: list[Task], folder: Path) -> list[tuple[str, str, str | None]]:
    return [(task.name.replace(f"{folder}/", ""), " ".join(task.arguments), task.expected) for task in tasks]


LOOP = [
    ("loop.yml unreach-call", "--check assertions", "safe"),
    ("loop.yml no-overflow", "--check signed-overflow", "unsafe"),
]


def test_a_folder_has_its_definitions_and_the_programs_that_none_of_them_names(folder: Path) -> None:
    assert _told(collect([str(folder)]), folder) == [
        ("deep/clauses.smt2", "", None),
        *LOOP,
        ("other.c", "", None),
    ]


def test_a_set_that_names_itself_ends(folder: Path) -> None:
    (folder / "a.set").write_text("b.set\nother.c\n")
    (folder / "b.set").write_text("loop.c\n*.set\n")
    assert [task.name for task in collect([str(folder / "a.set")])] == [str(folder / "loop.c"), str(folder / "other.c")]


def test_a_project_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cleave.toml"
    file.write_text(f"x = {'[' * 50_000}")
    with pytest.raises(InputError, match="nested too deeply"):
        project_tasks(file)


def test_each_task_is_there_once(folder: Path) -> None:
    pattern, set_file = str(folder / "*.yml"), folder / "all.set"
    (folder / "settings.yml").unlink()
    set_file.write_text("# comment\nl*.yml\n\nother.c\n")
    found = collect([pattern, str(set_file), str(folder / "other.c")])
    assert _told(found, folder) == [*LOOP, ("other.c", "", None)]


def test_a_list_tells_expected_verdicts_options_and_checks(folder: Path) -> None:
    file = folder / "tasks.csv"
    file.write_text('file,expected,check,options\nloop.c;other.c,true,"memory,leaks","-D ""N=1 2"""\nother.c,maybe,,\n')
    first, second = collect([str(folder)])
    assert first.files == (str(folder / "loop.c"), str(folder / "other.c"))
    assert first.arguments == ("-D", "N=1 2", "--check", "memory,leaks")
    assert (first.expected, second.expected) == ("safe", None)


def test_an_index_may_begin_with_a_hash_and_have_other_columns(folder: Path) -> None:
    (folder / "index.tsv").write_text("#path\texpected\tproperty\nloop.c\tunsafe\tsome text\n")
    assert _told(collect([str(folder)]), folder) == [("loop.c", "", "unsafe")]


def test_a_definition_of_benchexec(folder: Path) -> None:
    file = folder / "b.xml"
    file.write_text(
        """<?xml version="1.0"?>
        <benchmark tool="cleave.benchexec" timelimit="2 min" memlimit="1 GB" walltimelimit="150">
          <option name="--witness">w.yml</option><option name="--engine">pdr</option>
          <rundefinition name="a"><option name="--seed">3</option></rundefinition>
          <tasks name="t"><include>*.yml</include><include>deep/*</include><exclude>settings.yml</exclude></tasks>
          <propertyfile>p/no-overflow.prp</propertyfile>
        </benchmark>"""
    )
    tasks = collect([str(file)])
    assert _told(tasks, folder) == [
        ("a loop.yml no-overflow", "--engine pdr --seed 3 --check signed-overflow", "unsafe"),
        ("a deep/clauses.smt2", "--engine pdr --seed 3", None),
    ]
    assert {task.limits for task in tasks} == {Limits(seconds=150, cpu_seconds=120, memory_mb=1000)}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "name\nx\n", "a row without a file"),
        ("a.csv", 'file,options\nx.c,"a \'b"\n', "the options can't be split"),
        ("a.xml", "<benchmark", "this is no XML"),
        ("a.xml", '<benchmark timelimit="9 parsecs"/>', "'9 parsecs' is not a number"),
        ("a.set", "\n", "no task is here"),
        ("a.yml", "input_files: a.c\nproperties:\n  - property_file: termination.prp\n", "no task is here"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        collect([str(file)])
    assert said in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="matches none"):
        collect([str(tmp_path / "*.c")])


# --- cleave.toml ----------------------------------------------------------------------------------------------------


def test_a_project_lists_its_programs(folder: Path) -> None:
    file = folder / "cleave.toml"
    file.write_text(
        """
        [defaults]
        timelimit = "60s"
        options = ["--64"]
        [[program]]
        name = "both"
        files = ["loop.c", "other.c"]
        check = ["memory", "leaks"]
        expected = "safe"
        memlimit = "2GB"
        [[program]]
        each = "deep/*.smt2"
        timelimit = "5m"
        options = ["--engine", "pdr"]
        """
    )
    both, clauses = project_tasks(file)
    assert both.name == "both"
    assert both.arguments == ("--64", "--check", "memory,leaks")
    assert both.limits == Limits(seconds=60, memory_mb=2000)
    assert clauses.files == (str(folder / "deep/clauses.smt2"),)
    assert clauses.arguments == ("--64", "--engine", "pdr")
    assert clauses.limits.seconds == 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "at least one"),
        ("[[program]]\nfiles = 3", "files: a text or a list"),
        ("[[program]]\nfile = 'a.c'", "'file' is not known"),
        ("[[program]]\nfiles = ['a.c']\neach = '*'", "either files"),
        ("[[program]]\neach = 'no/*.c'", "matches no file"),
        ("[[program]]\nfiles = ['a.c']\ntimelimit = 'soon'", "'soon' is not a time"),
        ("[[program]]\nfiles = ['a.c']\nmemlimit = 'much'", "'much' is not a size"),
        ("[[program]]\nfiles = ['a.c']\nexpected = 'maybe'", "neither safe nor unsafe"),
        ("[[program", "this is no TOML"),
    ],
)
def test_mistakes_in_a_project_are_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "cleave.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        project_tasks(file)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


# --- keys of rows ---------------------------------------------------------------------------------------------------


def test_a_task_is_another_one_when_something_that_it_reads_has_changed(folder: Path) -> None:
    (folder / "loop.c").write_text('#include "a.h"\n#  include <b.h>\nint main(void) { return 0; }\n')
    (folder / "a.h").write_text('#include "deep/c.h"\n')
    (folder / "inc").mkdir()
    read = ["loop.c", "a.h", "deep/c.h", "inc/b.h", "some.prp"]
    for name in read[2:]:
        (folder / name).write_text("1")
    definition, *_ = collect([str(folder / "loop.yml")])
    tasks = [
        Task(
            name="c",
            files=(str(folder / "loop.c"),),
            arguments=("-I", str(folder / "inc"), f"--spec={folder}/some.prp"),
        ),
        Task(
            name="yml",
            files=definition.files,
            arguments=(*definition.arguments, f"-I{folder}/inc", "--spec", f"{folder}/some.prp"),
        ),
    ]
    for name in read:
        before = [task.key() for task in tasks]
        assert before == [task.key() for task in tasks]
        with open(folder / name, "a") as stream:
            stream.write("\n/**/\n")
        assert all(old != task.key() for old, task in zip(before, tasks, strict=True)), name
