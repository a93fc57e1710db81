"""A task of a batch: what to verify, how, with which limits, and the verdict that somebody expects.

>>> task = Task(name="loop", files=("loop.c",), arguments=("--check", "memory"), expected="safe")
>>> task.command("python")  # doctest: +NORMALIZE_WHITESPACE
['python', '-P', '-m', 'cleave.cli.main', 'verify', '--json', '--quiet', '--journal=none', '--check', 'memory',
 'loop.c']
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from cleave.batch.reading import files_read
from cleave.errors import InputError
from cleave.frontends.read import read_bytes
from cleave.version import __version__

_USUAL = ("--json", "--quiet", "--journal=none")


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Of one task; 0: none. They are kept from outside: what a task does can't change them."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    memory_mb: int = 0

    def over(self, other: Limits) -> Limits:
        """With the other's where this has none."""
        return Limits(
            seconds=self.seconds or other.seconds,
            cpu_seconds=self.cpu_seconds or other.cpu_seconds,
            memory_mb=self.memory_mb or other.memory_mb,
        )

    def arguments(self) -> list[str]:
        """So that a task ends by itself, with what it has, before it is killed."""
        told = (("--timelimit", self.seconds), ("--cputimelimit", self.cpu_seconds), ("--memlimit", self.memory_mb))
        return [f"{flag}={value:g}" for flag, value in told if value]


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """``files`` are one program, or one task definition. ``expected`` is safe, unsafe or None."""

    name: str
    files: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    expected: str | None = None
    asked: str = ""  # the properties, in a word
    limits: Limits = Limits()

    def command(self, python: str) -> list[str]:
        own = [*self.limits.arguments(), *self.arguments]
        return [python, "-P", "-m", "cleave.cli.main", "verify", *_USUAL, *own, *self.files]

    def key(self) -> str:
        """The same for the same files with what they include, arguments, limits and version: a row with this key need
        not be made again."""
        digest = hashlib.sha256()
        told = (__version__, self.name, *self.arguments, *self.limits.arguments(), str(self.expected))
        for part in (*told, *(f"{file}:{_digest(file)}" for file in files_read(self.files, self.arguments))):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:24]


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(str(file))).hexdigest()
    except InputError:
        return "none"
