"""Pages of Markdown whose commands are run: what a reader types, and what the page says is printed.

    ```console
    $ cleave verify examples/midpoint.c
    unsafe  examples/midpoint.c
    ...
    ```

A line ``...`` stands for any lines. A block with a title is a file, written before the commands after it are run:
```` ```c title="sum.c" ````. Times, costs and names of runs are masked: see `masked`. All commands of a page run in one
folder of their own, with the project's examples in it.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w*)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MASKS = (
    (re.compile(r"\d{8}-\d{6}-\S+?-[0-9a-f]{6}"), "RUN"),
    (re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"), "WHEN"),
    (re.compile(r"\s+\d+\.\d  WHEN"), "  N  WHEN"),  # the seconds of `cleave runs`
    (re.compile(r"^(\s*)\d+\.\d s; .*$"), r"\1T s; ..."),
    (re.compile(r"\b\d+(\.\d+)? (s|MB|GB|kB)\b"), r"N \2"),
    (re.compile(r"\bcost \d+(\.\d+)?[kM]?"), "cost N"),
)


@dataclass(frozen=True, slots=True)
class Fence:
    language: str
    title: str | None
    text: str
    start: int  # where the text is in the page
    end: int

    @property
    def commands(self) -> Iterator[tuple[str, str]]:
        """Of a console: each command with what it prints."""
        for part in re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            while command.endswith("\\"):
                further, _, printed = printed.partition("\n")
                command = command[:-1] + further.lstrip("> ")
            yield command, printed


def fences(page: str) -> Iterator[Fence]:
    for found in _FENCE.finditer(page):
        title = re.search(r'title="([^"]+)"', found[2])
        yield Fence(found[1], title[1] if title else None, found[3], found.start(3), found.end(3))


class Shell:
    """Runs the commands of a page, one after the other, in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        (self.folder / "examples").symlink_to(_ROOT / "examples")
        bin = folder / "bin"
        bin.mkdir()
        self._script(bin / "cleave", f'exec "{sys.executable}" -P -m cleave.cli.main "$@"')
        self._script(bin / "python3", f'exec "{sys.executable}" "$@"')
        self.environment = {
            **os.environ,
            "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_STATE_HOME": str(folder / "state"),
            "COLUMNS": "100",
        }
        self.code = 0

    @staticmethod
    def _script(file: Path, line: str) -> None:
        file.write_text(f"#!/bin/sh\n{line}\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self, command: str) -> str:
        """What it prints. Progress is not part of that: standard error is shown only where it says what is wrong."""
        ran = subprocess.run(
            ["bash", "-c", f"(exit {self.code}); {command}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        self.code = ran.returncode
        errors = "\n".join(re.findall(r"^cleave: .*(?:\n .*)*", ran.stderr, re.MULTILINE))
        return ran.stdout + (f"{errors}\n" if errors else "")


def masked(line: str) -> str:
    for pattern, instead in _MASKS:
        line = pattern.sub(instead, line)
    return line.rstrip()


def matches(expected: str, printed: str) -> bool:
    """Whether a page shows what was printed; ``...`` stands for any lines, or none."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(f"{masked(line)}\n")
        for line in expected.strip("\n").split("\n")
    )
    got = "".join(f"{masked(line)}\n" for line in printed.strip("\n").split("\n"))
    return re.fullmatch(pattern, got) is not None


def rewritten(page: str, shell: Shell) -> str:
    """The page with what its commands print now. Where it has ``...``, what comes after the first lines stays out."""
    parts, last = [], 0
    for fence in fences(page):
        if fence.title:
            shell.write(fence.title, fence.text)
        if fence.language != "console":
            continue
        lines = []
        for command, expected in fence.commands:
            printed = shell.run(command)
            shown = expected if matches(expected, printed) else printed
            lines += [f"$ {command}\n", shown if shown.endswith("\n") or not shown else f"{shown}\n"]
        parts += [page[last : fence.start], "".join(lines)]
        last = fence.end
    return "".join([*parts, page[last:]])
