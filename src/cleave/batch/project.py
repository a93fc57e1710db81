"""``cleave.toml``: the programs of a repository, for ``cleave batch`` without arguments.

    [defaults]
    timelimit = "60s"
    options = ["--workers", "1"]

    [[program]]
    name = "queue"
    files = ["src/queue.c", "src/list.c"]      # one program
    check = ["memory", "data-race"]
    expected = "safe"

    [[program]]
    each = "src/parsers/*.c"                   # a program each
    memlimit = "2GB"

Keys that nobody knows are refused: a misspelt limit is no limit.
"""

from __future__ import annotations

import glob
import re
import tomllib
from pathlib import Path
from typing import Any

from cleave.batch.task import Limits, Task
from cleave.engines.options import seconds
from cleave.errors import InputError
from cleave.frontends.read import read_bytes

NAME = "cleave.toml"
_SETTINGS = ("options", "check", "timelimit", "cputimelimit", "memlimit")
_OWN = ("name", "files", "each", "expected")


def project_tasks(file: Path) -> list[Task]:
    """Paths are relative to the file's folder."""
    try:
        told = tomllib.loads(read_bytes(str(file)).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"this is no TOML: {error}", file=str(file)) from None
    except RecursionError:
        raise InputError("the file is nested too deeply", file=str(file)) from None
    _known(file, told, ("defaults", "program"), "the file")
    defaults, programs = told.get("defaults", {}), told.get("program", [])
    if not isinstance(defaults, dict) or not isinstance(programs, list) or not programs:
        raise InputError("at least one [[program]] expected, with files or each", file=str(file))
    _known(file, defaults, _SETTINGS, "[defaults]")
    found: list[Task] = []
    for number, program in enumerate(programs, start=1):
        where = f"program {number}"
        if not isinstance(program, dict):
            raise InputError(f"{where}: keys with values expected", file=str(file))
        _known(file, program, (*_SETTINGS, *_OWN), where)
        found += _program(file, where, {**defaults, **program}, defaults)
    return found


def _program(file: Path, where: str, told: dict[str, Any], defaults: dict[str, Any]) -> list[Task]:
    options = [*_words(file, where, defaults, "options")] if told.get("options") is not defaults.get("options") else []
    options += _words(file, where, told, "options")
    checks = _words(file, where, told, "check")
    arguments = (*options, *(("--check", ",".join(checks)) if checks else ()))
    expected, limits = _expected(file, where, told), _limits(file, where, told)

    def task(name: str, files: tuple[str, ...]) -> Task:
        asked = ",".join(checks)
        return Task(name=name, files=files, arguments=arguments, expected=expected, asked=asked, limits=limits)

    if ("files" in told) == ("each" in told):
        raise InputError(f"{where}: either files, which are one program, or each, a pattern, expected", file=str(file))
    if "files" in told:
        files = tuple(str(file.parent / name) for name in _words(file, where, told, "files"))
        name = told.get("name", files[0] if files else "")
        if not files or not isinstance(name, str):
            raise InputError(f"{where}: files and a name expected", file=str(file))
        return [task(name, files)]
    patterns = _words(file, where, told, "each")
    matches = sorted({one for pattern in patterns for one in glob.glob(str(file.parent / pattern), recursive=True)})
    if not matches:
        raise InputError(f"{where}: {', '.join(patterns)} matches no file", file=str(file))
    return [task(match, (match,)) for match in matches]


def _limits(file: Path, where: str, told: dict[str, Any]) -> Limits:
    def time(key: str) -> float:
        try:
            return seconds(str(told[key])) if key in told else 0.0
        except ValueError as error:
            raise InputError(f"{where}: {key}: {error}", file=str(file)) from None

    memory = re.fullmatch(r"(\d{1,9})\s*(MB|GB)?", str(told.get("memlimit", "0")))
    if memory is None:
        raise InputError(
            f"{where}: memlimit: {told['memlimit']!r} is not a size such as 4000 (MB) or 4GB", file=str(file)
        )
    size = int(memory[1]) * (1000 if memory[2] == "GB" else 1)
    return Limits(seconds=time("timelimit"), cpu_seconds=time("cputimelimit"), memory_mb=size)


def _expected(file: Path, where: str, told: dict[str, Any]) -> str | None:
    expected = told.get("expected")
    if expected not in (None, "safe", "unsafe"):
        raise InputError(f"{where}: expected: {expected!r} is neither safe nor unsafe", file=str(file))
    return expected


def _words(file: Path, where: str, told: dict[str, Any], key: str) -> list[str]:
    value = told.get(key, [])
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"{where}: {key}: a text or a list of texts expected", file=str(file))
    return words


def _known(file: Path, told: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in told:
        if key not in known:
            raise InputError(f"{where}: {key!r} is not known; known are {', '.join(known)}", file=str(file))
