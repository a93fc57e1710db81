"""An export: one line about a result."""

from __future__ import annotations

from cleave.export.exports import About, Export
from cleave.verdict import Result


def summary_text(about: About, result: Result) -> str:
    return f"{about.input.file}: {result.verdict.word}\n"


EXPORT = Export(name="summary", help="one line about the result", text="cleave_dice.summary:summary_text")
