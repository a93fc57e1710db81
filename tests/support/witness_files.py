"""Reads witnesses as a validator does, and runs compiled programs with the values that a witness gives.

Nothing of `cleave.export` is used: the file is read with PyYAML, places are looked up in the text as the format defines
them, and the program is compiled and executed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import yaml

from cleave.frontends.c.clang.compile import compiler
from support.witness_shape import misshapen

_METADATA = {"format_version", "uuid", "creation_time", "producer", "task"}
_PRODUCER = {"name", "version", "configuration", "command_line"}
_TASK = {"input_files", "input_file_hashes", "specification", "data_model", "language"}
_AT = {
    "function_enter": r"\)",
    "function_return": r"\)",
    "branching": r"(if|while|for)\b",
    "assumption": r"[A-Za-z_*(]",
    "target": r"\S",
}
_REACHED = 10
_RUNTIME = f"""\
int main(void);
void exit(int code) {{ for (;;) __asm__ volatile("syscall" :: "a"(60), "D"(code)); }}
void reach_error(void) {{ exit({_REACHED}); }}
__attribute__((force_align_arg_pointer)) void _start(void) {{ exit(main()); }}
"""
_RESULT = re.compile(r"\\result == (.+)")


class Waypoint(NamedTuple):
    type: str
    line: int
    column: int
    function: str
    thread: int | None
    value: str | None
    text: str  # of the line, from there on


def entry_of(file: Path) -> dict[str, Any]:
    """The one entry of a witness, whose metadata are complete and right."""
    witness = yaml.safe_load(file.read_text())
    assert misshapen(witness) == []
    (entry,) = witness
    metadata = entry["metadata"]
    task = metadata["task"]
    assert set(entry) == {"entry_type", "metadata", "content"}
    assert (set(metadata), set(metadata["producer"]), set(task)) == (_METADATA, _PRODUCER, _TASK)
    assert UUID(metadata["uuid"]).version == 4
    assert datetime.fromisoformat(metadata["creation_time"]).tzinfo is not None
    for name in task["input_files"]:
        assert task["input_file_hashes"][name] == hashlib.sha256(Path(name).read_bytes()).hexdigest()
    assert task["language"] == "C"
    assert task["data_model"] in ("ILP32", "LP64")
    return dict(entry)


def waypoints_of(entry: dict[str, Any]) -> list[list[Waypoint]]:
    """By segment; each waypoint points at what the format wants it to."""
    assert entry["entry_type"] == "violation_sequence"
    threads = entry["metadata"]["format_version"] == "2.2"
    segments = [[_waypoint(one["waypoint"]) for one in item["segment"]] for item in entry["content"]]
    created = 0
    for number, segment in enumerate(segments):
        assert all((one.type == "target") == (number == len(segments) - 1) for one in segment)
        for one in segment:
            assert re.match(_AT[one.type], one.text), one
            assert (one.thread is not None) == threads
            assert not threads or (one.thread or 0) <= created, "a thread that was not created"
            created += one.type == "function_enter"
    return segments


def _waypoint(found: dict[str, Any]) -> Waypoint:
    assert found["action"] == "follow"
    assert ("constraint" in found) == (found["type"] not in ("target", "function_enter"))
    where = found["location"]
    line = Path(where["file_name"]).read_text().splitlines()[where["line"] - 1]
    value = found.get("constraint", {}).get("value")
    column = where["column"]
    place = (where["line"], column, where["function"])
    return Waypoint(found["type"], *place, found.get("thread_id"), value, line[column - 1 :])


def run_with_values(entry: dict[str, Any], folder: Path) -> bool:
    """Whether the compiled program calls its error function if its nondeterministic values are the witness's."""
    names: dict[str, list[str]] = {}
    for segment in waypoints_of(entry):
        for one in segment:
            result = _RESULT.fullmatch(one.value or "")
            if result:
                source = Path(entry["metadata"]["task"]["input_files"][0]).read_text().splitlines()[one.line - 1]
                (name,) = re.findall(r"(\w+)\s*\([^()]*$", source[: one.column - 1])
                names.setdefault(name, []).append(result[1])
    (folder / "harness.c").write_text(_RUNTIME + "".join(_given(name, values) for name, values in names.items()))
    program = str(folder / "program")
    flags = ["-nostdlib", "-static", "-w", "-O0", "-fno-sanitize=all", "-fno-stack-protector"]
    files = [str(folder / "harness.c"), *entry["metadata"]["task"]["input_files"]]
    subprocess.run([compiler(), "cc", "-target", "x86_64-linux-none", *flags, "-o", program, *files], check=True)
    return subprocess.run([program], timeout=10, check=False).returncode == _REACHED


def _given(name: str, values: list[str]) -> str:
    """A function that returns these values in turn."""
    kind = re.sub("^u", "unsigned ", name.removeprefix("__VERIFIER_nondet_"))
    kept = f"static int next; static {kind} given[] = {{ {', '.join(values)} }};"
    return f"{kind} {name}(void) {{ {kept} if (next == {len(values)}) exit(3); return given[next++]; }}\n"
