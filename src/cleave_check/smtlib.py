"""Formulas as SMT-LIB text: what a solver is asked, and nothing else.

Every name is made new, so that no name of a certificate means something to a solver.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from cleave_check import sorts
from cleave_check.refusal import Undecided
from cleave_check.sorts import BOOL, INT, REAL, Sort
from cleave_check.term_reader import Function
from cleave_check.terms import Term, below

_INDEXED = ("extract", "zero_extend", "sign_extend", "int_to_bv")


def script(assertions: Sequence[Term], named: Mapping[str, Term] | None = None) -> str:
    """Whether all ``assertions`` can hold. The ``named`` terms get names of their own, for models."""
    return "".join(f"{line}\n" for line in _Printer(assertions, named or {}).lines())


class _Printer:
    def __init__(self, assertions: Sequence[Term], named: Mapping[str, Term]) -> None:
        self._assertions = list(assertions)
        self._named = dict(named)
        self._nodes = list(below([*self._assertions, *self._named.values()]))
        self._bound = {id(v) for n in self._nodes if n.op in ("forall", "exists") for v in n.data}
        self._names: dict[int, str] = {}
        self._functions: dict[Function, str] = {}
        self._inside: set[int] = set()  # terms with a bound variable inside

    def lines(self) -> Iterator[str]:
        yield "(set-logic ALL)"
        yield from (f"(declare-sort {sorts.show(sort)} 0)" for sort in self._sorts())
        uses = Counter(id(a) for node in self._nodes for a in node.args)
        for node in self._nodes:
            inside = id(node) in self._bound or any(id(a) in self._inside for a in node.args)
            if node.op in ("forall", "exists") and inside:
                inside = any(id(v) in self._bound for v in self._free(node))
            if inside:
                self._inside.add(id(node))
            if node.op == "var" and id(node) not in self._bound:
                self._names[id(node)] = f"v{len(self._names)}"
                yield f"(declare-fun {self._names[id(node)]} () {sorts.show(node.sort)})"
            elif node.op == "apply" and node.data not in self._functions:
                self._functions[node.data] = name = f"f{len(self._functions)}"
                arguments = " ".join(map(sorts.show, node.data.arguments))
                yield f"(declare-fun {name} ({arguments}) {sorts.show(node.sort)})"
            if node.args and uses[id(node)] > 1 and not inside:
                text = self._text(node)
                self._names[id(node)] = f"t{len(self._names)}"
                yield f"(define-fun {self._names[id(node)]} () {sorts.show(node.sort)} {text})"
        for name, term in self._named.items():
            yield f"(declare-fun {name} () {sorts.show(term.sort)})"
            yield f"(assert (= {name} {self._text(term)}))"
        yield from (f"(assert {self._text(term)})" for term in self._assertions)
        yield "(check-sat)"

    def _free(self, quantifier: Term) -> Iterable[Term]:
        inner = {id(v) for n in below(quantifier.args) if n.op in ("forall", "exists") for v in n.data}
        own = inner | {id(v) for v in quantifier.data}
        return [n for n in below(quantifier.args) if n.op == "var" and id(n) not in own]

    def _sorts(self) -> list[Sort]:
        found: dict[Sort, None] = {}
        for node in self._nodes:
            pending = [node.sort]
            if node.op == "apply":
                pending += node.data.arguments
            if node.op in ("forall", "exists"):
                pending += [v.sort for v in node.data]
            while pending:
                sort = pending.pop()
                if sort[0] == "Array":
                    pending += sort[1:]
                elif sort[0] == "Sort":
                    found[sort] = None
        return list(found)

    def _text(self, root: Term) -> str:
        """Without recursion; what has a name is not looked into."""
        pieces: list[str] = []
        size = 0
        stack: list[Term | str] = [root]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                pieces.append(item)
                continue
            size += 1
            if size > 1_000_000:
                raise Undecided("a quantified formula is too large to be written down")
            name = self._names.get(id(item))
            if name is not None:
                pieces.append(name)
            elif item.op == "value":
                pieces.append(literal(item))
            elif item.op == "var":
                pieces.append(f"b{id(item)}")
            elif item.op in ("forall", "exists"):
                variables = " ".join(f"(b{id(v)} {sorts.show(v.sort)})" for v in item.data)
                stack += [")", item.args[0], f"({item.op} ({variables}) "]
            elif not item.args:
                pieces.append(self._head(item))
            else:
                stack.append(")")
                for a in reversed(item.args):
                    stack += [a, " "]
                stack.append(f"({self._head(item)}")
        return "".join(pieces)

    def _head(self, term: Term) -> str:
        if term.op == "apply":
            return self._functions[term.data]
        if term.op in _INDEXED:
            return f"(_ {term.op} {' '.join(map(str, _indices(term)))})"
        if term.op == "const":
            return f"(as const {sorts.show(term.sort)})"
        return "-" if term.op == "neg" else term.op


def _indices(term: Term) -> tuple[int, ...]:
    indices: tuple[int, ...] = term.data
    return indices


def literal(term: Term) -> str:
    if term.sort == BOOL:
        return "true" if term.data else "false"
    if term.sort == INT:
        return f"(- {-term.data})" if term.data < 0 else str(term.data)
    if term.sort == REAL:
        number = Fraction(term.data)
        text = f"{abs(number.numerator)}.0"
        text = text if number.denominator == 1 else f"(/ {text} {number.denominator}.0)"
        return f"(- {text})" if number < 0 else text
    return f"(_ bv{term.data} {term.sort[1]})"
