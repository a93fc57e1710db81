"""Terms for people: infix, in Boogie's syntax, cut where they get long.

(and (< x 3) (= (select a i) 0))        x < 3 && a[i] == 0
"""

from __future__ import annotations

from cleave.logic.terms import Op, Term
from cleave.logic.values import show

_NODES = 120  # printed of one term; the rest is cut
_DEPTH = 25
_ATOM = 10
_UNARY = 9
_RELATION = 4
_RECORD = "record"  # the constructor of records

# How an operator is written and how strongly it binds.
_INFIX: dict[Op, tuple[str, int]] = {
    Op.IMPLIES: ("==>", 1),
    Op.OR: ("||", 2),
    Op.AND: ("&&", 2),
    Op.EQ: ("==", 4),
    Op.LT: ("<", 4),
    Op.LE: ("<=", 4),
    Op.CONCAT: ("++", 5),
    Op.ADD: ("+", 6),
    Op.SUB: ("-", 6),
    Op.MUL: ("*", 7),
    Op.DIV: ("div", 7),
    Op.MOD: ("mod", 7),
    Op.REAL_DIV: ("/", 7),
}
_CHAINS = (Op.AND, Op.OR, Op.ADD, Op.MUL)


def infix(term: Term) -> str:
    """The term on one line."""
    return _Printer().text(term, 0, _DEPTH)


class _Printer:
    """Counts what was printed, because a term shared many times can be exponentially long."""

    def __init__(self) -> None:
        self.left = _NODES

    def text(self, term: Term, needed: int, depth: int) -> str:
        """``term``, in parentheses when it binds less than ``needed``."""
        self.left -= 1
        if self.left < 0 or depth == 0:
            return "…"
        found, strength = self._plain(term, depth - 1)
        return f"({found})" if strength < needed else found

    def _plain(self, term: Term, depth: int) -> tuple[str, int]:
        args = term.args
        match term.op:
            case Op.VAR:
                return term.name, _ATOM
            case Op.VALUE:
                return show(term.value, term.sort), _ATOM
            case Op.NOT if args[0].op is Op.EQ:
                return self._binary("!=", 4, args[0].args, depth), 4
            case Op.NOT:
                return f"!{self.text(args[0], _UNARY, depth)}", _UNARY
            case Op.NEG:
                return f"-{self.text(args[0], _UNARY, depth)}", _UNARY
            case Op.ITE:
                condition, then, other = (self.text(arg, 0, depth) for arg in args)
                return f"if {condition} then {then} else {other}", 0
            case Op.SELECT:
                return f"{self.text(args[0], _ATOM, depth)}[{self.text(args[1], 0, depth)}]", _ATOM
            case Op.STORE:
                index, element = self.text(args[1], 0, depth), self.text(args[2], 0, depth)
                return f"{self.text(args[0], _ATOM, depth)}[{index} := {element}]", _ATOM
            case Op.EXTRACT:
                high, low = term.value
                return f"{self.text(args[0], _ATOM, depth)}[{high + 1}:{low}]", _ATOM
            case Op.FIELD:
                number, place = term.value
                made = args[0].sort.constructors[number]
                sign = "!" if made.name == _RECORD else "->"
                return f"{self.text(args[0], _ATOM, depth)}{sign}{made.selectors[place]}", _ATOM
            case Op.TEST:
                return f"{self.text(args[0], _ATOM, depth)} is {args[0].sort.constructors[term.value].name}", _RELATION
            case Op.CONSTRUCT:
                made = term.sort.constructors[term.value]
                parts = [self.text(arg, 0, depth) for arg in args]
                if made.name == _RECORD:
                    parts = [f"{name}: {part}" for name, part in zip(made.selectors, parts, strict=True)]
                    return f"{{ {', '.join(parts)} }}", _ATOM
                return f"{made.name}({', '.join(parts)})", _ATOM
            case Op.FORALL | Op.EXISTS:
                names = ", ".join(f"{v.name}: {v.sort!r}" for v in term.value.variables)
                return f"({term.op.value} {names} :: {self.text(args[0], 0, depth)})", _ATOM
            case op if op in _INFIX:
                word, strength = _INFIX[op]
                return self._binary(word, strength, args, depth, op in _CHAINS), strength
            case _:
                name = term.value.name if term.op is Op.APPLY else term.op.value
                return f"{name}({', '.join(self.text(arg, 0, depth) for arg in args)})", _ATOM

    def _binary(self, word: str, strength: int, args: tuple[Term, ...], depth: int, chains: bool = False) -> str:
        """Left-associative operators take an argument of their own strength on the left."""
        left_associative = chains or word in ("-", "div", "mod", "/")
        first = self.text(args[0], strength if left_associative and not _mixed(word, args[0]) else strength + 1, depth)
        rest = [self.text(arg, strength + 1, depth) for arg in args[1:]]
        return f" {word} ".join([first, *rest])


def _mixed(word: str, argument: Term) -> bool:
    """Boogie wants parentheses between && and ||."""
    return word in ("&&", "||") and argument.op in (Op.AND, Op.OR)
