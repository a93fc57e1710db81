"""The invariant that proves Horn clauses or a program safe: one definition for each predicate, in SMT-LIB."""

from __future__ import annotations

from cleave.export.exports import About
from cleave.verdict import Result, Safe


def solution_text(about: About, result: Result) -> str | None:
    return result.verdict.solution or None if isinstance(result.verdict, Safe) else None
