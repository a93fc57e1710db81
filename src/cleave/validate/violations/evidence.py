"""All that decides an execution or a derivation, as text that a checker without Cleave can follow.

    {"entry": "main", "schedule": [[0, 4], [1, 2]], "values": {"0": [["x", "5"]]}, "successors": {"0": ["b1"]},
     "functions": {"f": {"default": "0", "entries": [[["1"], "7"]]}}}

Values and successors are by thread, in the order in which a thread needs them; a block with one successor needs none.
The schedule of a sequential execution has one context and no end: the violation ends it. A value without a finite form,
such as a map that a solver gives by a formula, can't be written down: the text is empty then."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from cleave.ir.horn import Derivation
from cleave.ir.path import Enter, Leave, Path, Visit
from cleave.ir.program import Program
from cleave.ir.schedule import Schedule
from cleave.logic.smtlib import print_term
from cleave.logic.terms import Function, Term
from cleave.logic.values import FormulaMap, FunctionTable, MapValue, UninterpretedValue, Value

ENDLESS = 1 << 40


class _NoFiniteFormError(Exception):
    """A value can't be written down."""


def execution_evidence(
    program: Program,
    entry: str,
    path: Path,
    choices: Sequence[tuple[Term, Value]],
    functions: Mapping[Function, Callable[[tuple[Value, ...]], Value]],
) -> str:
    """Of a sequential execution along ``path``, which took ``choices`` in this order."""
    try:
        values = [[variable.name, _encoded(value)] for variable, value in choices]
        tables = {function.name: _table(table) for function, table in functions.items()}
    except _NoFiniteFormError:
        return ""
    return _text(entry, [[0, ENDLESS]], {"0": values}, {"0": _successors(program, path)}, tables)


def schedule_evidence(entry: str, schedule: Schedule) -> str:
    if any(context.commits for context in schedule.contexts):
        return ""  # checkers know no store buffers
    try:
        values = {str(t): [[name, _encoded(v)] for name, v in given] for t, given in schedule.values.items()}
    except _NoFiniteFormError:
        return ""
    successors = {str(thread): list(taken) for thread, taken in schedule.successors.items()}
    return _text(entry, [[context.thread, context.steps] for context in schedule.contexts], values, successors, {})


def derivation_evidence(found: Derivation) -> str:
    steps = [
        {"clause": s.clause, "arguments": [print_term(a) for a in s.arguments], "premises": list(s.premises)}
        for s in found.steps
    ]
    return json.dumps({"kind": "derivation", "steps": steps})


def _text(entry: str, schedule: list[list[int]], values: Any, successors: Any, functions: Any) -> str:
    evidence = {"kind": "trace", "entry": entry, "schedule": schedule}
    return json.dumps({**evidence, "values": values, "successors": successors, "functions": functions})


def _successors(program: Program, path: Path) -> list[str]:
    taken: list[str] = []
    stack: list[tuple[str, str | None]] = []  # procedures, each with the block it is in
    for step in path:
        match step:
            case Enter(procedure):
                stack.append((procedure, None))
            case Visit(label):
                procedure, before = stack[-1]
                if before is not None and len(program.procedures[procedure].blocks[before].successors) > 1:
                    taken.append(label)
                stack[-1] = (procedure, label)
            case Leave():
                stack.pop()
    return taken


def _table(table: Callable[[tuple[Value, ...]], Value]) -> dict[str, Any]:
    if not isinstance(table, FunctionTable):
        raise _NoFiniteFormError
    entries = [[[_encoded(a) for a in key], _encoded(value)] for key, value in table.entries.items()]
    return {"default": _encoded(table.default), "entries": entries}


def _encoded(value: Value) -> Any:
    match value:
        case bool():
            return value
        case int() | Fraction():
            return str(value)
        case FormulaMap():
            raise _NoFiniteFormError
        case MapValue():
            entries = [[_encoded(key), _encoded(element)] for key, element in value.entries.items()]
            return {"default": _encoded(value.default), "entries": entries}
        case UninterpretedValue():
            return {"element": value.name}
    raise _NoFiniteFormError
