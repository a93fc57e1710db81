"""Axioms that say what a function or a constant is, taken as its definition.

    function f(x: int): int;  axiom (forall a: int :: {f(a)} f(a) == a + 1);      f gets the body a + 1
    const c: int;             axiom c == -1024;                                   c is -1024 wherever it is used

The program means the same, and has a quantifier less, which solvers decide badly and models of which are hard to read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.types import TypeTable

_EQUATIONS = ("==", "<==>")


class _Definition(NamedTuple):
    function: str
    parameters: list[s.Variable]
    body: s.Code


def define_functions(file: s.File, types: TypeTable) -> None:
    """Moves such axioms of ``file`` into the functions that they define."""
    open_functions = {
        f.name: f for f in file.functions if f.body is None and not f.attributes and not f.type_parameters
    }
    axioms: list[s.Axiom] = []
    for axiom in file.axioms:
        found = _definition(axiom.condition)
        function = open_functions.get(found.function) if found is not None else None
        if found is None or function is None or not _have_one_type(function.parameters, found.parameters, types):
            axioms.append(axiom)
            continue
        del open_functions[function.name]
        function.parameters = found.parameters
        function.body = found.body
        file.trigger_functions.subtract(_in_triggers(axiom.condition))
    file.axioms = axioms


def defined_constant(axiom: s.Axiom) -> tuple[str, s.Code] | None:
    """The name and the other side, if the axiom is ``name == something``."""
    code = axiom.condition
    if len(code) < 3 or code[0][0] != s.NAME or not _is_equation(code[-1]):
        return None
    value = code[1:-1]
    return (code[0][2], value) if _is_one_operand(value) else None


def _definition(code: s.Code) -> _Definition | None:
    if code[0][0] != s.BIND or code[-1][0] != s.QUANTIFY or code[0][2].kind != "forall":
        return None
    if code[-1][2] is not code[0][2] or not _is_equation(code[-2]):
        return None
    triggers = [place for place, one in enumerate(code) if one[0] == s.TRIGGER]
    inner = code[triggers[-1] + 1 if triggers else 1 : -2]
    variables = {v.name: v for v in code[0][2].variables}
    count = len(variables)
    names = [detail for operation, _, detail in inner[:count] if operation == s.NAME]
    if len(code[0][2].variables) > count or sorted(names) != sorted(variables) or len(inner) < count + 2:
        return None
    operation, _, detail = inner[count]
    body = inner[count + 1 :]
    if operation != s.CALL or detail[1] != count or not _is_one_operand(body) or _mentions(body, detail[0]):
        return None
    return _Definition(detail[0], [variables[name] for name in names], body)


def _have_one_type(parameters: list[s.Variable], variables: list[s.Variable], types: TypeTable) -> bool:
    pairs = zip(parameters, variables, strict=False)
    return len(parameters) == len(variables) and all(types.sort(p.type) is types.sort(v.type) for p, v in pairs)


def _is_equation(instruction: s.Instruction) -> bool:
    return instruction[0] == s.BINARY and instruction[2] in _EQUATIONS


def _is_one_operand(code: s.Code) -> bool:
    """Whether ``code``, which has no quantifier in it, leaves one value."""
    depth = 0
    for operation, _, detail in code:
        if operation not in _TAKEN:
            return False
        depth -= _TAKEN[operation](detail)
        if depth < 0:
            return False
        depth += 1
    return depth == 1


def _mentions(code: s.Code, function: str) -> bool:
    return any(operation == s.CALL and detail[0] == function for operation, _, detail in code)


def _in_triggers(code: s.Code) -> Counter[str]:
    last = max((place for place, one in enumerate(code) if one[0] == s.TRIGGER), default=0)
    return Counter(detail[0] for operation, _, detail in code[:last] if operation == s.CALL)


# How many operands an instruction takes; each leaves one.
_TAKEN: dict[int, Callable[[Any], int]] = {
    s.NAME: lambda _: 0,
    s.NUMBER: lambda _: 0,
    s.BOOLEAN: lambda _: 0,
    s.BINARY: lambda _: 2,
    s.NARY: lambda detail: detail[1],
    s.UNARY: lambda _: 1,
    s.CALL: lambda detail: detail[1],
    s.SELECT: lambda count: count + 1,
    s.STORE: lambda count: count + 2,
    s.EXTRACT: lambda _: 1,
    s.ITE: lambda _: 3,
    s.CAST: lambda _: 1,
}
