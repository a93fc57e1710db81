"""The small mistakes that are put into a module, one at a time.

    >>> [mutant.change for mutant in mutants("def f(x):\\n    return x < 3 and x")]
    ['return x < 3 and x -> return None', 'x < 3 and x -> x < 3 or x', 'x < 3 -> x <= 3', '3 -> 4']

Left alone is what no test can see: annotations, decorators, docstrings, the texts of messages, assertions that only
tell the type checker something, ``__all__``, and large numbers of the module (limits: one more makes no difference).
Left alone as well is what every test would see: sums of texts and lists, and unions of types.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mult,
    ast.Mult: ast.Add,
    ast.Mod: ast.Mult,
}
_FUNCTIONS = {"all": "any", "any": "all", "min": "max", "max": "min"}
_LONGEST = 90


@dataclass(frozen=True, slots=True)
class Mutant:
    """``number`` counts those of the module; ``function`` is the line of the outermost function around it, or 0."""

    number: int
    line: int
    function: int
    kind: str
    change: str


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module, in the order of its text."""
    found = []
    for number, (change, function) in enumerate(_changes(ast.parse(source))):
        before = _text(change.node)
        change.apply()
        text = f"{before} -> {_text(change.shown or change.node)}"
        change.undo()
        found.append(Mutant(number, change.node.lineno, function, change.kind, text))
    return found


def mutated(source: str, number: int) -> ast.Module:
    """The module with that one mistake in it."""
    tree = ast.parse(source)
    for index, (change, _) in enumerate(_changes(tree)):
        if index == number:
            change.apply()
            return ast.fix_missing_locations(tree)
    raise ValueError(f"there are not {number + 1} mutants")


@dataclass(slots=True)
class _Change:
    """Sets a field of ``owner`` (an element of it, if there is an index). Told is how ``node`` changes, or that
    ``shown`` takes its place."""

    kind: str
    node: ast.stmt | ast.expr
    owner: ast.AST
    field: str
    value: object
    index: int | None = None
    shown: ast.stmt | ast.expr | None = None
    _before: object = None

    def apply(self) -> None:
        self._before = self._set(self.value)

    def undo(self) -> None:
        self._set(self._before)

    def _set(self, value: object) -> object:
        if self.index is None:
            before = getattr(self.owner, self.field)
            setattr(self.owner, self.field, value)
            return before
        elements = getattr(self.owner, self.field)
        before, elements[self.index] = elements[self.index], value
        return before


def _changes(tree: ast.Module) -> Iterator[tuple[_Change, int]]:
    """Changes with the line of the outermost function, parents before children."""
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, function = stack.pop()
        if isinstance(node, ast.FunctionDef) and not function:
            function = node.lineno
        for change in _changes_of(node):
            yield change, function
        stack += [(child, function) for child in reversed(list(_children(node)))]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What is executed; of a list of statements, without docstrings and assertions."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_idle(child):
                yield child


def _is_idle(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.keyword(arg="strict"):  # of zip: a promise to the reader
            return True
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            return name == "__all__" or _is_limit(name, value) or _is_union(name, value)
    return False


def _is_limit(name: str, value: ast.expr | None) -> bool:
    return name.isupper() and isinstance(value, ast.Constant) and isinstance(value.value, int) and value.value > 9


def _is_union(name: str, value: ast.expr | None) -> bool:
    """``Record = Divided | Closed``: names of types have small letters after a capital one."""
    return name.lstrip("_")[:1].isupper() and isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)


def _joins(node: ast.BinOp) -> bool:
    texts = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
    return any(
        isinstance(side, texts) or (isinstance(side, ast.Constant) and isinstance(side.value, str | bytes))
        for side in (node.left, node.right)
    )


def _changes_of(node: ast.AST) -> Iterator[_Change]:
    yield from _deletions(node)
    match node:
        case ast.Compare(ops=ops):
            for index, op in enumerate(ops):
                yield _Change("comparison", node, node, "ops", _COMPARISONS[type(op)](), index)
        case ast.BoolOp(op=op):
            yield _Change("and, or", node, node, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.BinOp(op=op) if type(op) in _ARITHMETIC and not _joins(node):
            yield _Change("arithmetic", node, node, "op", _ARITHMETIC[type(op)]())
        case ast.Constant(value=bool(value)):
            yield _Change("constant", node, node, "value", not value)
        case ast.Constant(value=int(value)):
            yield _Change("constant", node, node, "value", value + 1)
        case ast.Call(func=ast.Name(id=name) as called) if name in _FUNCTIONS:
            yield _Change("all, any", node, called, "id", _FUNCTIONS[name])
        case ast.Return(value=ast.expr() as value) if not _is_plain(value):
            yield _Change("return", node, node, "value", ast.Constant(None))
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield from _negation(node, "test", test)
        case ast.match_case(guard=ast.expr() as guard):
            yield from _negation(node, "guard", guard)
        case ast.comprehension(ifs=tests):
            for index, test in enumerate(tests):
                yield from _negation(node, "ifs", test, index)


def _negation(owner: ast.AST, field: str, test: ast.expr, index: int | None = None) -> Iterator[_Change]:
    """Comparisons have a mutant of their own, and so has a plain constant."""
    match test:
        case ast.Compare(ops=[_]) | ast.Constant():
            return
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _Change("condition", test, owner, field, operand, index, operand)
        case _:
            negated = ast.UnaryOp(ast.Not(), test)
            yield _Change("condition", test, owner, field, negated, index, negated)


def _deletions(node: ast.AST) -> Iterator[_Change]:
    for field in ("body", "orelse", "finalbody"):
        statements = getattr(node, field, None)
        if isinstance(statements, list):
            for index, statement in enumerate(statements):
                if _is_worth_deleting(statement):
                    yield _Change("deletion", statement, node, field, ast.Pass(), index, ast.Pass())


def _is_worth_deleting(statement: ast.stmt) -> bool:
    """What has an effect and defines no name: without a name, anything fails."""
    match statement:
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            return True
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            return True
    return False


def _is_plain(value: ast.expr) -> bool:
    """None, or a truth value: the other one is returned by another mutant, and None means false."""
    return isinstance(value, ast.Constant) and (value.value is None or isinstance(value.value, bool))


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
