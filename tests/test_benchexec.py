"""The tool-info module of BenchExec, read by BenchExec."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

from cleave.benchexec import Tool
from cleave.version import __version__
from support.benchexec_tool import command, result_of, value_of

_BIN = Path(sys.executable).parent
_USUAL = ["cleave", "verify", "--json", "--quiet", "--journal", "none"]


def test_benchexecs_own_test_of_tool_info_modules_has_nothing_to_say(tmp_path: Path) -> None:
    environment = os.environ | {"PATH": f"{_BIN}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    told = [sys.executable, "-m", "benchexec.test_tool_info", "cleave.benchexec", "--no-container"]
    done = subprocess.run(told, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"Version: “{__version__}”" in done.stderr
    warnings = [line for line in done.stderr.splitlines() if "WARNING" in line and "absolute" not in line]
    assert warnings == []


@pytest.mark.parametrize("place", ["cleave", "bin/cleave"])
def test_a_tool_directory_is_the_archive_or_an_environment(tmp_path: Path, place: str) -> None:
    file = tmp_path / place
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    found = Tool().executable(BaseTool2.ToolLocator(tool_directory=str(tmp_path)))
    assert found == str(file)
    assert Tool().program_files(found) == [str(file), *([str(tmp_path / "lib")] if place == "cleave" else [])]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"verdict": "safe"}, "true"),
        ({"verdict": "bounded-safe"}, "unknown"),
        ({"verdict": "unknown", "reason": "solver gave up"}, "unknown"),
        ({"verdict": "unknown", "reason": "timeout: far"}, "TIMEOUT"),
        ({"verdict": "unknown", "reason": "memory"}, "OUT OF MEMORY"),
        ({"verdict": "unsafe", "trace": {"check": None}}, "false"),
        ({"verdict": "unsafe", "trace": {"check": {"competition": "no-data-race"}}}, "false(no-data-race)"),
        ({"error": "no such file", "exit_code": 2}, "ERROR (input)"),
        ({"error": "no such flag", "exit_code": 1}, "ERROR (usage)"),
    ],
)
def test_verdicts_in_benchexecs_words(found: dict[str, object], said: str) -> None:
    assert result_of("reading", json.dumps(found)) == said


def test_no_object_is_an_error() -> None:
    assert result_of() == "ERROR"
    assert result_of('{"verdict": "sa', code=1) == "ERROR"


def test_values_for_tables() -> None:
    found = {
        "engine": "pdr",
        "bounds": {"unwind": 3},
        "validation": "replayed",
        "stages": [{"cost": 2}, {"cost": 5}],
        "statistics": {"splits": 4},
    }
    assert [value_of(found, name) for name in ("engine", "bounds", "validation", "cost", "splits", "other")] == [
        "pdr",
        "unwind 3",
        "replayed",
        "7",
        "4",
        None,
    ]


def test_the_command_has_the_property_the_data_model_and_the_limits() -> None:
    told = command(
        ["a.c", "b.c"],
        property_file="p/no-overflow.prp",
        options={"language": "C", "data_model": "ILP32"},
        limits={"cputime": 900, "walltime": 1000, "memory": 8_000_000_000, "cpu_cores": 4},
    )
    limits = ["--cputimelimit", "900", "--timelimit", "1000", "--memlimit", "8000", "--workers", "4"]
    assert told == [*_USUAL, *limits, "--property-file", "p/no-overflow.prp", "--32", "a.c", "b.c"]


def test_what_the_definition_says_comes_before_the_limits_of_the_run() -> None:
    assert "--workers" not in command(["a.c"], "--workers=1", limits={"cpu_cores": 4})


def test_a_definition_that_says_what_to_check_is_not_contradicted_by_the_property_file() -> None:
    assert command(["a.c"], "--check", "shift", property_file="s.prp") == [*_USUAL, "--check", "shift", "a.c"]


def test_horn_clauses_have_their_property_in_the_file() -> None:
    assert command(["a.smt2"], property_file="check-sat.prp") == [*_USUAL, "a.smt2"]


def test_a_witness_to_validate_is_refused() -> None:
    with pytest.raises(UnsupportedFeatureException):
        command(["a.c", "w.yml"], options={"witness_input_file": "w.yml"})
