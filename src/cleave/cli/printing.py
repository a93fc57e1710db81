"""Everything that is printed for people passes through here. Harmful characters are written out."""

from __future__ import annotations

import sys
from typing import TextIO

from cleave.errors import CleaveError
from cleave.explain.characters import harmless

_LONGEST = 700  # characters of a line of a message


def say(text: str, file: TextIO | None = None) -> None:
    """Prints a line, or several."""
    print(harmless(text), file=file or sys.stdout, flush=True)


def say_error(error: CleaveError) -> None:
    """A message repeats what somebody wrote, and that may be long."""
    lines = f"cleave: {error}".split("\n")
    say("\n".join(one if len(one) <= _LONGEST else f"{one[:_LONGEST]}..." for one in lines), file=sys.stderr)
