"""Results in the words of SMT-LIB, as CHC-COMP reads them: ``sat``, ``unsat`` or ``unknown`` alone on the first line.

    sat
    (
    (define-fun Inv ((x Int)) Bool (<= x 10))
    )

With ``--model`` the model follows, with a definition for each predicate that is declared; after ``unsat`` the
derivation of false, a fact on each line, as comments: SMT-LIB has no words for one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from cleave.cli.printing import say
from cleave.logic.symbols import symbol_name
from cleave.verdict import Result, Safe, Trace, Unsafe

_DEFINED = re.compile(r"\(define-fun (\|[^|]*\||[^\s()]+)")
_PLAIN = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][0-9A-Za-z~!@$%^&*_+=<>.?/-]*")
_WORDS = {Safe.word: "sat", Unsafe.word: "unsat"}


def print_smtlib(file: str, result: Result, *, model: bool) -> None:
    say(_WORDS.get(result.verdict.word, "unknown"))
    match result.verdict:
        case Safe(solution=solution) if model and solution:
            say("\n".join(("(", *map(_as_declared, solution.splitlines()), ")")))
        case Safe() if model:
            say(
                f"cleave: {file}: the proof has no model of all clauses at once; --engine cegar finds one",
                file=sys.stderr,
            )
        case Unsafe(trace=trace) if model:
            say("\n".join(_derivation(trace)))


def _as_declared(definition: str) -> str:
    """With the predicate's name as the file has it. A name that looks like one of a solver's own is written in another
    way elsewhere; a validator that compares words does not know it."""
    found = _DEFINED.match(definition)
    name = symbol_name(found[1]) if found is not None else ""
    if found is None or "|" in name or "\\" in name:
        return definition
    return f"(define-fun {name if _PLAIN.fullmatch(name) else f'|{name}|'}{definition[found.end() :]}"


def _derivation(trace: Trace) -> Iterator[str]:
    for step in trace.steps:
        values = ", ".join(f"{name} = {value}" for name, value in step.values.items())
        yield f"; {step.text}{f'    [{values}]' if values else ''}".replace("\n", " ")
