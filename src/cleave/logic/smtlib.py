"""Terms as SMT-LIB text.

    >>> from cleave.logic.terms import add, integer, lt, var
    >>> from cleave.logic.sorts import INT
    >>> x = var("x", INT)
    >>> print_term(lt(add(x, integer(-1)), x))
    '(< (+ x (- 1)) x)'
    >>> print(print_script([lt(var("a b", INT), x)]), end="")
    (set-logic ALL)
    (declare-fun |a b| () Int)
    (declare-fun x () Int)
    (assert (< |a b| x))
    (check-sat)

In a term that is not small, a subterm that is used more than once gets a name: by ``let``, or in a script by
``define-fun``. So the text grows with the DAG and not with the tree. Nothing recurses. Scripts are accepted by Z3 and
by cvc5 (which takes constant arrays only of values, and with its option ``arrays-exp``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from cleave.logic import datatypes
from cleave.logic.floats.operations import FLOATING
from cleave.logic.floats.text import float_head, without_floats
from cleave.logic.sorts import Sort, SortKind
from cleave.logic.symbols import Symbols, datatype_symbol, symbol
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder, triggers

_SMALL = 60  # nodes of the tree; up to here a term is printed without names


def print_sort(sort: Sort) -> str:
    """
    >>> from cleave.logic.sorts import INT, array, bitvec
    >>> print_sort(array(INT, bitvec(8)))
    '(Array Int (_ BitVec 8))'
    """
    parts: list[str] = []
    stack: list[Sort | str] = [sort]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            parts.append(top)
        elif top.kind is SortKind.ARRAY:
            stack += [")", top.element, " ", top.index, "(Array "]
        elif top.kind is SortKind.BITVEC:
            parts.append(f"(_ BitVec {top.width})")
        else:
            parts.append(_sort_symbol(top) if top.name else top.kind.value)
    return "".join(parts)


def _sort_symbol(sort: Sort) -> str:
    return datatype_symbol(sort.name) if sort.is_datatype else symbol(sort.name)


def print_integer(value: int) -> str:
    """Decimal digits, through Decimal where Python refuses to print that many."""
    digits = str(abs(value)) if value.bit_length() < 1000 else format(Decimal(abs(value)), "f")
    return f"(- {digits})" if value < 0 else digits


def _print_real(value: Fraction) -> str:
    above = f"{print_integer(abs(value.numerator))}.0"
    text = above if value.denominator == 1 else f"(/ {above} {print_integer(value.denominator)}.0)"
    return f"(- {text})" if value < 0 else text


def _print_value(term: Term) -> str:
    match term.sort.kind:
        case SortKind.BOOL:
            return "true" if term.value else "false"
        case SortKind.INT:
            return print_integer(term.value)
        case SortKind.REAL:
            return _print_real(term.value)
        case _:
            width = term.sort.width
            return f"#b{term.value:0{width}b}" if width <= 8 else f"(_ bv{print_integer(term.value)} {width})"


def _head(term: Term) -> str:
    """What stands before the arguments."""
    match term.op:
        case Op.NEG:
            return "-"
        case Op.CONST_ARRAY:
            return f"(as const {print_sort(term.sort)})"
        case Op.EXTRACT:
            return "(_ extract {} {})".format(*term.value)
        case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
            return f"(_ {term.op.value} {term.value})"
        case Op.INT_TO_BV:
            return f"(_ int_to_bv {term.sort.width})"
        case op if op in FLOATING:
            return float_head(term)
        case _:
            return str(term.op.value)


def datatype_declarations(sorts: Iterable[Sort], symbols: Symbols) -> Iterator[str]:
    """The commands that declare all data types below ``sorts``."""
    for group in datatypes.groups(sorts):
        names = " ".join(f"({_sort_symbol(sort)} 0)" for sort in group)
        bodies = " ".join(f"({' '.join(_constructors(sort, symbols))})" for sort in group)
        yield f"(declare-datatypes ({names}) ({bodies}))"


def _constructors(sort: Sort, symbols: Symbols) -> Iterator[str]:
    for number, constructor in enumerate(sort.constructors):
        fields = [
            f" ({symbols.part(sort, number, place)} {print_sort(field)})"
            for place, field in enumerate(constructor.fields)
        ]
        yield f"({symbols.part(sort, number)}{''.join(fields)})"


def print_term(term: Term, symbols: Symbols | None = None) -> str:
    """One term, without declarations. Its names are added to ``symbols``."""
    printer = _Printer((term,), symbols)
    return "".join(printer.text(term, printer.shared))


def print_script(assertions: Sequence[Term], *, logic: str = "ALL") -> str:
    """A whole script that asks whether the assertions have a model."""
    assertions = [without_floats(assertion) for assertion in assertions]
    printer = _Printer(assertions)
    lines = [f"(set-logic {logic})", *printer.declarations()]
    for node in printer.shared:
        text = "".join(printer.text(node))
        lines.append(f"(define-fun {printer.give_name(node)} () {print_sort(node.sort)} {text})")
    lines += [f"(assert {''.join(printer.text(assertion))})" for assertion in assertions]
    return "\n".join([*lines, "(check-sat)", ""])


class _Whole(NamedTuple):
    """A node to print in full, although it has a name by then."""

    node: Term


class _Forget(NamedTuple):
    """The end of a quantifier's scope, with the names that hold outside of it."""

    names: list[tuple[Term, str | None]]


_Item = str | Term | _Whole | _Forget
_QUANTIFIERS = (Op.FORALL, Op.EXISTS)
_NONE: frozenset[Term] = frozenset()


class _Printer:
    """Prints terms that share nodes. A node that is used more than once is named in the outermost scope that has all
    its variables: at the top (`shared`), or in the body of a quantifier."""

    def __init__(self, roots: Sequence[Term], symbols: Symbols | None = None) -> None:
        self._nodes = list(postorder(roots))
        self._symbols = symbols or Symbols()
        self._enter_datatypes()
        for node in self._nodes:  # before any name is given to a shared node
            if node.op is Op.VAR or node.op is Op.APPLY:
                self._symbol(node)
        uses = Counter(a for node in self._nodes for a in node.args)
        uses.update(roots)
        large = _tree_size(self._nodes, roots) > _SMALL
        self._worth = {n for n in self._nodes if large and n.args and uses[n] > 1}
        self._names: dict[Term, str] = {}
        self._count = 0
        self._free = _free_bound_variables(self._nodes)
        self._top = frozenset(v for root in roots for v in self._free.get(root, _NONE))
        self._scopes = [self._top]  # the bound variables that are known, from the outermost scope inwards
        self.shared = [n for n in self._nodes if n in self._worth and self._free.get(n, _NONE) <= self._top]

    def _symbol(self, node: Term) -> str:
        return self._symbols.variable(node) if node.op is Op.VAR else self._symbols.function(node.value)

    def _enter_datatypes(self) -> None:
        """Constructors and selectors come first, so that they have their own names."""
        if any(node.sort.is_datatype for node in self._nodes):
            for _ in datatype_declarations((node.sort for node in self._nodes), self._symbols):
                pass

    def declarations(self) -> Iterator[str]:
        """Sorts, then variables and functions in the order of first use."""
        sorts = used_sorts(self._nodes)
        yield from sort_declarations(sorts, self._symbols)
        bound = {v for n in self._nodes if n.op in _QUANTIFIERS for v in n.value.variables} - self._top
        functions: set[Function] = set()
        for node in self._nodes:
            if node.op is Op.VAR and node not in bound:
                yield f"(declare-fun {self._symbol(node)} () {print_sort(node.sort)})"
            elif node.op is Op.APPLY and node.value not in functions:
                functions.add(node.value)
                arguments = " ".join(print_sort(s) for s in node.value.arguments)
                yield f"(declare-fun {self._symbol(node)} ({arguments}) {print_sort(node.sort)})"

    def give_name(self, node: Term) -> str:
        self._count += 1
        name = self._names[node] = self._symbols.fresh(f"_{self._count}")
        return name

    def text(self, root: Term, shared: Sequence[Term] = ()) -> Iterator[str]:
        """``root`` in pieces, with lets for the nodes of ``shared``."""
        stack = self._lets(root, shared)[::-1]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                yield item
            elif isinstance(item, _Forget):
                self._leave(item)
            elif isinstance(item, Term) and item in self._names:
                yield self._names[item]
            else:
                node = item.node if isinstance(item, _Whole) else item
                stack += reversed(self._parts(node))

    def _lets(self, body: Term, named: Sequence[Term]) -> list[_Item]:
        items: list[_Item] = []
        for node in named:
            items += [f"(let (({self.give_name(node)} ", _Whole(node), ")) "]
        return [*items, body, ")" * len(named)]

    def _parts(self, node: Term) -> Sequence[_Item]:
        match node.op:
            case Op.VALUE:
                return (_print_value(node),)
            case Op.VAR:
                return (self._symbol(node),)
            case Op.FORALL | Op.EXISTS:
                return self._quantifier(node)
            case Op.APPLY if not node.args:
                return (self._symbol(node),)
            case Op.CONSTRUCT if not node.args:
                return (self._head(node),)
            case _:
                items: list[_Item] = ["(", self._head(node)]
                for argument in node.args:
                    items += [" ", argument]
                return [*items, ")"]

    def _head(self, node: Term) -> str:
        match node.op:
            case Op.APPLY:
                return self._symbol(node)
            case Op.CONSTRUCT:
                return self._symbols.part(node.sort, node.value)
            case Op.FIELD:
                return self._symbols.part(node.args[0].sort, *node.value)
            case Op.TEST:
                return f"(_ is {self._symbols.part(node.args[0].sort, node.value)})"
            case _:
                return _head(node)

    def _quantifier(self, node: Term) -> list[_Item]:
        """Triggers stand outside of the body's lets, where both solvers look for them."""
        variables = " ".join(f"({self._symbols.variable(v)} {print_sort(v.sort)})" for v in node.value.variables)
        named = self._enter(node)
        outside = _Forget([(n, self._names.get(n)) for n in named])
        body = [*self._lets(node.args[0], named), outside]
        if len(node.args) == 1:
            return [f"({node.op.value} ({variables}) ", *body, ")"]
        items: list[_Item] = [f"({node.op.value} ({variables}) (! ", *body]
        for trigger in triggers(node):
            separators = [" :pattern ("] + [" "] * (len(trigger) - 1)
            for separator, term in zip(separators, trigger, strict=True):
                items += [separator, term]
            items.append(")")
        return [*items, "))"]

    def _enter(self, quantifier: Term) -> list[Term]:
        """Opens the scope of a quantifier; the nodes to name in it."""
        variables = frozenset(quantifier.value.variables)
        known = self._scopes[-1] | variables
        self._scopes.append(known)
        if not self._worth:
            return []
        below = postorder(quantifier.args[:1], set())
        return [n for n in below if n in self._worth and variables & self._free[n] and self._free[n] <= known]

    def _leave(self, scope: _Forget) -> None:
        self._scopes.pop()
        for node, name in scope.names:
            if name is None:
                del self._names[node]
            else:
                self._names[node] = name


def _tree_size(nodes: Sequence[Term], roots: Sequence[Term]) -> int:
    """The number of nodes without sharing; no more than a little above the limit, as it may be astronomic."""
    size: dict[Term, int] = {}
    for node in nodes:
        size[node] = min(_SMALL + 1, 1 + sum(size[a] for a in node.args))
    return sum(size[root] for root in roots)


def _free_bound_variables(nodes: Sequence[Term]) -> dict[Term, frozenset[Term]]:
    """For each node that has any: the variables free in it that some quantifier of ``nodes`` binds."""
    bound = {v for n in nodes if n.op in _QUANTIFIERS for v in n.value.variables}
    if not bound:
        return {}
    free: dict[Term, frozenset[Term]] = {}
    for node in nodes:
        if node in bound:
            free[node] = frozenset((node,))
            continue
        found = _NONE.union(*(free.get(a, _NONE) for a in node.args))
        free[node] = found - frozenset(node.value.variables) if node.op in _QUANTIFIERS else found
    return free


def used_sorts(nodes: Iterable[Term]) -> dict[Sort, None]:
    """The sorts of ``nodes`` and of what they bind and apply, in order."""
    found: dict[Sort, None] = {}
    for node in nodes:
        found[node.sort] = None
        if node.op is Op.APPLY:
            found.update(dict.fromkeys(node.value.arguments))
        elif node.op in _QUANTIFIERS:
            found.update((v.sort, None) for v in node.value.variables)
    return found


def sort_declarations(sorts: Iterable[Sort], symbols: Symbols) -> Iterator[str]:
    """The commands that declare all uninterpreted sorts and data types below ``sorts``."""
    known = list(sorts)
    yield from (f"(declare-sort {symbol(sort.name)} 0)" for sort in _uninterpreted_sorts(known))
    yield from datatype_declarations(known, symbols)


def _uninterpreted_sorts(sorts: Iterable[Sort]) -> dict[Sort, None]:
    found: dict[Sort, None] = {}
    seen: set[Sort] = set()
    stack = [*reversed(list(sorts))]
    while stack:
        sort = stack.pop()
        if sort in seen:
            continue
        seen.add(sort)
        if sort.kind is SortKind.UNINTERPRETED:
            found[sort] = None
        elif sort.kind is SortKind.ARRAY:
            stack += [sort.element, sort.index]
        stack += [f for constructor in sort.constructors for f in constructor.fields]
    return found
