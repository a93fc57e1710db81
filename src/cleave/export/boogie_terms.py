"""Terms as Boogie writes them.

    (select m (+ i 1))          m[(i + 1)]
    (bvadd x y)                 bvadd.32(x, y)      with    function {:bvbuiltin "bvadd"} bvadd.32(bv32, bv32): bv32;

What occurs several times and is long is written once, in a ``(var t := ...; ...)`` around the expression.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field
from fractions import Fraction

from cleave.errors import UnsupportedError
from cleave.ir.program import is_old
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Op, Term
from cleave.logic.walk import postorder
from cleave.records import dataclass

_LONG = 120  # characters
_PLAIN = re.compile(r"[A-Za-z_~#$^.?'`][A-Za-z0-9_~#$^.?'`]*")
_RESERVED = frozenset(
    (
        *("assert", "assume", "async", "axiom", "bool", "break", "call", "complete", "const", "datatype", "div"),
        *("else", "ensures", "exists", "extends", "false", "finite", "forall", "fork", "free", "function", "goto"),
        *("havoc", "if", "implementation", "int", "invariant", "is", "join", "lambda", "mod", "modifies", "old"),
        *("par", "procedure", "real", "requires", "return", "returns", "rmode", "string", "regex", "then", "true"),
        *("type", "unique", "uses", "var", "where", "while", "yield", "atomic", "action", "both", "hide", "left"),
        *("link", "pop", "push", "pure", "refines", "reveal", "revealed", "right", "lemma", "print"),
    )
)
_INFIX = {Op.SUB: "-", Op.DIV: "div", Op.MOD: "mod", Op.REAL_DIV: "/", Op.LE: "<=", Op.LT: "<", Op.IMPLIES: "==>"}
_CHAINS = {Op.AND: "&&", Op.OR: "||", Op.ADD: "+", Op.MUL: "*"}


@dataclass(slots=True)
class Names:
    """Names that Boogie takes, each for one of ours."""

    _given: dict[tuple[str, str], str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def of(self, kind: str, name: str, wanted: str = "") -> str:
        """``wanted`` is what it should look like, if not like ``name``."""
        found = self._given.get((kind, name))
        if found is None:
            found = re.sub(r"[^A-Za-z0-9_~#$^.?'`]", lambda m: f"#{ord(m[0]):x}", wanted or name)
            if not _PLAIN.fullmatch(found) or found in _RESERVED or re.fullmatch(r"bv\d+|float\d+e\d+", found):
                found = f"_{found}"
            while found in self._taken:
                found += "'"
            self._taken.add(found)
            self._given[kind, name] = found
        return found


class Writer:
    """Writes sorts and terms, and remembers what has to be declared."""

    def __init__(self) -> None:
        self.names = Names()
        self.types: dict[Sort, None] = {}
        self.builtins: dict[str, str] = {}  # names of functions, with their declarations

    def variable(self, term: Term) -> str:
        return self.names.of("variable", str(term.value))

    # --- sorts ------------------------------------------------------------------------------------------------------

    def sort(self, sort: Sort) -> str:
        match sort.kind:
            case SortKind.BITVEC:
                return f"bv{sort.width}"
            case SortKind.ARRAY:
                return f"[{self.sort(sort.index)}]{self.sort(sort.element)}"
            case SortKind.UNINTERPRETED | SortKind.DATATYPE:
                self.types[sort] = None
                return self.names.of("type", sort.name)
            case SortKind.BOOL | SortKind.INT | SortKind.REAL:
                return str(sort.kind.value).lower()
        raise UnsupportedError(f"the sort {sort!r} can't be written in Boogie")

    # --- terms ------------------------------------------------------------------------------------------------------

    def term(self, root: Term) -> str:
        """The expression; long parts that are used twice, and in which nothing is bound, come first."""
        nodes = list(postorder((root,)))
        uses = Counter(a for node in nodes for a in node.args)
        bound = {v for node in nodes if node.op in (Op.FORALL, Op.EXISTS) for v in node.value.variables}
        inside: dict[Term, bool] = {}  # whether something bound occurs
        written: dict[Term, str] = {}
        shared: list[tuple[str, str]] = []
        for node in nodes:
            inside[node] = node in bound or any(inside[a] for a in node.args)
            text = self._node(node, [written[a] for a in node.args])
            if len(text) > _LONG and uses[node] > 1 and not inside[node] and node is not root:
                name = self.names.of("part", f"part.{node.sort.kind.value}.{len(shared)}")
                shared.append((name, text))
                text = name
            written[node] = text
        return "".join(f"(var {name} := {text}; " for name, text in shared) + written[root] + ")" * len(shared)

    def _node(self, node: Term, args: list[str]) -> str:
        if node.op in _INFIX:
            return f"({args[0]} {_INFIX[node.op]} {args[1]})"
        if node.op in _CHAINS:
            return "(" + f" {_CHAINS[node.op]} ".join(args) + ")"
        match node.op:
            case Op.VAR:
                return f"old({self._old(node)})" if is_old(node) else self.variable(node)
            case Op.VALUE:
                return self._value(node)
            case Op.APPLY:
                return f"{self.names.of('function', node.value.name)}({', '.join(args)})"
            case Op.FORALL | Op.EXISTS:
                return self._quantifier(node, args)
            case Op.NOT:
                return f"!({args[0]})"
            case Op.NEG:
                return f"(-({args[0]}))"
            case Op.ITE:
                return f"(if {args[0]} then {args[1]} else {args[2]})"
            case Op.EQ:
                return f"({args[0]} == {args[1]})"
            case Op.DISTINCT:
                pairs = [f"{a} != {b}" for n, a in enumerate(args) for b in args[n + 1 :]]
                return f"({' && '.join(pairs)})"
            case Op.TO_REAL:
                return f"real({args[0]})"
            case Op.TO_INT:
                return f"int({args[0]})"
            case _:
                return self._rest(node, args)

    def _rest(self, node: Term, args: list[str]) -> str:
        match node.op:
            case Op.SELECT:
                return f"{args[0]}[{args[1]}]"
            case Op.STORE:
                return f"{args[0]}[{args[1]} := {args[2]}]"
            case Op.CONST_ARRAY:
                return f"(lambda {self.names.of('part', 'index')}: {self.sort(node.sort.index)} :: {args[0]})"
            case Op.CONCAT:
                return f"({args[0]} ++ {args[1]})"
            case Op.EXTRACT:
                high, low = node.value
                return f"({args[0]})[{high + 1}:{low}]"
            case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
                return self._builtin(node, f"{node.op.value} {node.value}", args)
            case Op.INT_TO_BV:
                return self._builtin(node, f"(_ int2bv {node.sort.width})", args)
            case Op.BV_TO_INT:
                return self._builtin(node, "bv2nat", args)
            case Op.CONSTRUCT:
                self.sort(node.sort)
                return f"{self._constructor(node.sort, node.value)}({', '.join(args)})"
            case Op.FIELD:
                sort, (number, place) = node.args[0].sort, node.value
                self.sort(sort)
                return f"{self._selector(sort, number, place)}#{self._constructor(sort, number)}({args[0]})"
            case Op.TEST:
                self.sort(node.args[0].sort)
                return f"is#{self._constructor(node.args[0].sort, node.value)}({args[0]})"
        return self._builtin(node, node.op.value, args)

    def _quantifier(self, node: Term, args: list[str]) -> str:
        variables = ", ".join(f"{self.variable(v)}: {self.sort(v.sort)}" for v in node.value.variables)
        triggers, rest = "", args[1:]
        for size in node.value.trigger_sizes:
            triggers += f"{{{', '.join(rest[:size])}}} "
            rest = rest[size:]
        return f"({node.op.value} {variables} :: {triggers}{args[0]})"

    def _old(self, node: Term) -> str:
        return self.names.of("variable", node.name[4:-1])

    def _value(self, node: Term) -> str:
        match node.sort.kind:
            case SortKind.BOOL:
                return "true" if node.value else "false"
            case SortKind.BITVEC:
                return f"{node.value}bv{node.sort.width}"
            case SortKind.INT:
                return str(node.value) if node.value >= 0 else f"(-{-node.value})"
        found = Fraction(node.value)
        text = f"({abs(found.numerator)}.0 / {found.denominator}.0)" if found.denominator > 1 else f"{abs(found)}.0"
        return text if found >= 0 else f"(-{text})"

    def _builtin(self, node: Term, operator: str, args: list[str]) -> str:
        """A function that stands for an operator of SMT-LIB, one for each of its sorts."""
        sorts = [self.sort(a.sort) for a in node.args]
        name = self.names.of("builtin", f"{operator} {' '.join(sorts)}".replace(" ", "."))
        told = f'function {{:bvbuiltin "{operator}"}} {name}({", ".join(sorts)}): {self.sort(node.sort)};'
        self.builtins[name] = told
        return f"{name}({', '.join(args)})"

    # --- data types -------------------------------------------------------------------------------------------------

    def _constructor(self, sort: Sort, number: int) -> str:
        return self.names.of("constructor", f"{sort.name} {number}", sort.constructors[number].name)

    def _selector(self, sort: Sort, number: int, place: int) -> str:
        return self.names.of("selector", f"{sort.name} {number} {place}", sort.constructors[number].selectors[place])

    def declared_types(self) -> list[str]:
        """All types that were written, those that their fields need included."""
        lines: list[str] = []
        done: set[Sort] = set()
        while waiting := [sort for sort in self.types if sort not in done]:
            for sort in waiting:
                done.add(sort)
                name = self.names.of("type", sort.name)
                if sort.kind is SortKind.UNINTERPRETED:
                    lines.append(f"type {name};")
                    continue
                lines.append(f"type {{:datatype}} {name};")
                for number, one in enumerate(sort.constructors):
                    fields = [f"{self._selector(sort, number, p)}: {self.sort(f)}" for p, f in enumerate(one.fields)]
                    made = f"{self._constructor(sort, number)}({', '.join(fields)}): {name}"
                    lines.append(f"function {{:constructor}} {made};")
        return lines
