"""The tool-info module of BenchExec: how to run Cleave there, and how to read what it says.

    <benchmark tool="cleave.benchexec" ...>          a benchmark definition; bench/benchexec/ has some
    python -m benchexec.test_tool_info cleave.benchexec --no-container

It imports nothing else of Cleave, so that it works where only BenchExec is installed, as a copied file too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import Any

from benchexec import result
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, TaskFilesConsidered, get_data_model_from_task
from benchexec.tools.sv_benchmarks_util import handle_witness_of_task as files_and_witness
from benchexec.tools.template import BaseTool2, ToolNotFoundException, UnsupportedFeatureException

_DATA_MODELS = {ILP32: "--32", LP64: "--64"}
_OTHER_LANGUAGES = (".bpl", ".smt2", ".vmt", ".btor2", ".btor", ".mcmt", ".aag", ".aig", ".pl")
_VALUES = ("engine", "bounds", "validation", "cpu_seconds", "peak_memory_mb", "seconds", "workers", "reason")


class Tool(BaseTool2):
    """Cleave, a software model checker whose verdicts are checked by independent code."""

    REQUIRED_PATHS = ("lib",)  # of the archive; where Cleave is installed, there is none beside the command

    def executable(self, tool_locator: Any) -> str:
        """At the top of the archive, or in ``bin`` where Cleave is installed."""
        try:
            return str(tool_locator.find_executable("cleave"))
        except ToolNotFoundException:
            return str(tool_locator.find_executable("cleave", subdir="bin"))

    def name(self) -> str:
        return "Cleave"

    def project_url(self) -> str:
        """The page that the distribution names, if it names one."""
        try:
            pages = metadata.metadata("cleave-verifier").get_all("Project-URL") or [""]
        except metadata.PackageNotFoundError:  # a copied file
            return ""
        return str(pages[0].rpartition(" ")[2])

    def version(self, executable: str) -> str:
        return str(self._version_from_tool(executable, line_prefix="cleave "))

    def cmdline(self, executable: str, options: Sequence[str], task: Any, rlimits: Any) -> list[str]:
        files, witness = files_and_witness(task, list(options), "--validate", TaskFilesConsidered.INPUT_FILES)
        if witness:
            raise UnsupportedFeatureException("Cleave writes witnesses and does not validate them")
        by_file = _may_be_c(files) and task.property_file and not _is_given("--check", options)
        asked = ["--property-file", task.property_file] if by_file else []
        model = get_data_model_from_task(task, _DATA_MODELS)
        usual = ["--json", "--quiet", "--journal", "none"]
        limits = _limits(options, rlimits)
        return [executable, "verify", *usual, *limits, *options, *asked, *([model] if model else []), *files]

    def determine_result(self, run: Any) -> str:
        found = _result(run.output)
        if found is None:
            return str(result.RESULT_ERROR)
        if "error" in found:
            return {1: "ERROR (usage)", 2: "ERROR (input)"}.get(found.get("exit_code", 6), "ERROR (internal)")
        match found.get("verdict"):
            case "safe":
                return str(result.RESULT_TRUE_PROP)
            case "unsafe":
                return _violated(found)
            case "unknown" if str(found.get("reason")).startswith("timeout"):
                return str(result.RESULT_TIMEOUT)
            case "unknown" if str(found.get("reason")).startswith("memory"):
                return "OUT OF MEMORY"
        return str(result.RESULT_UNKNOWN)  # bounded-safe, too: no competition has a word for it

    def get_value_from_output(self, output: Any, identifier: str) -> str | None:
        """``cost``, the work of solvers; ``engine``, ``bounds``, ``validation`` and other keys of the JSON object; a
        counter of the engine's statistics."""
        found = _result(output) or {}
        if identifier == "cost":
            return str(sum(stage.get("cost") or 0 for stage in found.get("stages", ())))
        value = found.get(identifier) if identifier in _VALUES else found.get("statistics", {}).get(identifier)
        if isinstance(value, dict):
            return ", ".join(f"{name} {bound}" for name, bound in value.items())
        return None if value is None else str(value)


def _limits(options: Sequence[str], rlimits: Any) -> Iterable[str]:
    """Cleave keeps to the limits of the run, unless the definition says others: it then ends with what it has."""
    given = {
        "--cputimelimit": rlimits.cputime,
        "--timelimit": rlimits.walltime,
        "--memlimit": rlimits.memory and max(1, rlimits.memory // 1_000_000),
        "--workers": rlimits.cpu_cores,
    }
    for flag, value in given.items():
        if value and not _is_given(flag, options):
            yield from (flag, str(value))


def _is_given(flag: str, options: Sequence[str]) -> bool:
    return any(option == flag or option.startswith(f"{flag}=") for option in options)


def _may_be_c(files: Iterable[str]) -> bool:
    """Properties of other languages are in the files themselves."""
    return not any(file.lower().endswith(_OTHER_LANGUAGES) for file in files)


def _result(output: Any) -> dict[str, Any] | None:
    """The last JSON object that was printed."""
    for line in reversed(list(output)):
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                continue
            if isinstance(found, dict):
                return found
    return None


def _violated(found: dict[str, Any]) -> str:
    check = (found.get("trace") or {}).get("check") or {}
    name = check.get("competition")
    return f"{result.RESULT_FALSE_PROP}({name})" if name else str(result.RESULT_FALSE_PROP)
