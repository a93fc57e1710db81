"""Everything that is printed for people passes through here. Harmful characters are written out."""

from __future__ import annotations

import sys
from typing import TextIO

from cleave.explain.characters import harmless


def say(text: str, file: TextIO | None = None) -> None:
    """Prints a line, or several."""
    print(harmless(text), file=file or sys.stdout, flush=True)
