"""The files that a verdict is about, as they were when they were read.

inputs = Inputs.read(("queue.c", "main.c"))
inputs.digests()          {"queue.c": "9f86d0…", "main.c": "60303a…"}
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cleave.frontends.read import read_bytes
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Inputs:
    """Contents by name, as the user gave it; the first is the file that the verdict is printed for."""

    contents: Mapping[str, bytes]

    @staticmethod
    def read(files: tuple[str, ...]) -> Inputs:
        return Inputs({file: read_bytes(file) for file in files})

    @property
    def main(self) -> str:
        return next(iter(self.contents))

    def digests(self) -> dict[str, str]:
        """SHA-256, in hexadecimal."""
        return {file: hashlib.sha256(content).hexdigest() for file, content in self.contents.items()}

    def line(self, file: str, number: int) -> str:
        """A line of a file, counted from 1; nothing where there is none."""
        lines = self.contents.get(file, b"").splitlines()
        return lines[number - 1].decode("utf-8", "replace") if 0 < number <= len(lines) else ""
