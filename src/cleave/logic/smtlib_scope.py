"""The meaning of the names in an SMT-LIB text: sorts, variables, functions, definitions, data types.

    (declare-sort Thing 0)
    (define-sort Memory () (Array Int Thing))
    (declare-fun f (Int) Thing)
    (define-fun twice ((x Int)) Int (* 2 x))
    (declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))

Meanings are kept by the word as it stands in the text. The names of what is made are the words' own, read as `symbols`
writes them, so that what Cleave prints comes back under the names it had.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeAlias

from cleave.logic import datatypes
from cleave.logic.datatypes import ArrayOf, Declaration, FieldSort
from cleave.logic.sexpr import Node, Script
from cleave.logic.sorts import BOOL, INT, MAX_WIDTH, REAL, Sort, array, bitvec, uninterpreted
from cleave.logic.symbols import symbol, word_name
from cleave.logic.terms import Function, Term

_MAX_SORT_DEPTH = 100


class Macro(NamedTuple):
    """A defined function: replaced by its body."""

    parameters: tuple[Term, ...]
    body: Term


class Construct(NamedTuple):
    sort: Sort
    number: int


class Select(NamedTuple):
    sort: Sort
    number: int
    place: int


class Test(NamedTuple):
    sort: Sort
    number: int


Meaning: TypeAlias = Term | Function | Macro | Construct | Select | Test


class SortMacro(NamedTuple):
    """A defined sort with parameters."""

    parameters: tuple[str, ...]
    body: Node
    script: Script


class Scope:
    """Names and their meanings. ``table`` is changed and restored by whoever reads a ``let`` or a quantifier."""

    def __init__(self) -> None:
        self.table: dict[str, Meaning] = {}
        self.sorts: dict[str, Sort | SortMacro] = {"Bool": BOOL, "Int": INT, "Real": REAL}
        self._names: dict[tuple[str, Hashable], str] = {}

    def meaning(self, word: str) -> Meaning | None:
        """What a word stands for that is declared or defined."""
        return self.table.get(word) or self.table.get(word_name(word))

    def applied(self, word: str) -> Meaning | None:
        """The same for the head of a list."""
        return self.meaning(word)

    def name(self, word: str, kind: Hashable) -> str:
        """The name of what ``word`` stands for. Two words share a name only if their kinds (sort, signature) differ."""
        name = word_name(word)
        while self._names.setdefault((name, kind), word) != word:
            name = f"{name}'"
        return name

    def declare_sort(self, word: str) -> None:
        self.sorts[word] = uninterpreted(self.name(word, "sort"))

    def declare_function(self, word: str, arguments: tuple[Sort, ...], result: Sort) -> Function:
        function = Function(self.name(word, (arguments, result)), arguments, result)
        self.table[word] = function
        return function

    # --- data types -------------------------------------------------------------------------------------------------

    def know_datatypes(self, sorts: Iterable[Sort]) -> None:
        """The data types below ``sorts`` get their usual names, as if they had been declared."""
        for group in datatypes.groups(sorts):
            for sort in group:
                self.sorts.setdefault(symbol(sort.name), sort)
                self.sorts.setdefault(sort.name, sort)
                self._enter_constructors(sort)

    def _enter_constructors(self, sort: Sort) -> None:
        for number, constructor in enumerate(sort.constructors):
            for word in {constructor.name, symbol(constructor.name)}:
                self.table.setdefault(word, Construct(sort, number))
                self.table.setdefault(f"is-{word}", Test(sort, number))
            for place, selector in enumerate(constructor.selectors):
                for word in {selector, symbol(selector)}:
                    self.table.setdefault(word, Select(sort, number, place))

    def declare_datatypes(self, script: Script, names: list[Node], bodies: list[Node]) -> tuple[Sort, ...]:
        """A group of data types: the atoms that name them, and the list of constructors of each."""
        words = [script.word(name) for name in names]
        group = []
        for name, body in zip(names, bodies, strict=True):
            declared = tuple(self._constructor(script, part, words) for part in _parts(script, body))
            if not declared:
                raise script.error(body, f"the data type {script.word(name)} has no constructor")
            group.append(Declaration(self.name(script.word(name), "sort"), declared))
        members = datatypes.declare(tuple(group))
        for word, sort, body in zip(words, members, bodies, strict=True):
            self.sorts[word] = sort
            self._name_constructors(script, sort, body)
        return members

    def _constructor(
        self, script: Script, node: Node, group: list[str]
    ) -> tuple[str, tuple[tuple[str, FieldSort], ...]]:
        if isinstance(node, int):  # ``nil`` for ``(nil)``, as Z3 prints it
            return word_name(script.word(node)), ()
        fields = []
        for part in node[2:]:
            if isinstance(part, int) or len(part) != 3:
                raise script.error(part, "a selector with its sort expected, as in (head Int)")
            fields.append((word_name(script.word(part[1])), self._field_sort(script, part[2], group)))
        return word_name(script.word(node[1])) if len(node) > 1 else "", tuple(fields)

    def _field_sort(self, script: Script, node: Node, group: list[str]) -> FieldSort:
        word = script.word(node)
        if word in group:
            return group.index(word)
        if not isinstance(node, int) and len(node) == 4 and script.word(node[1]) == "Array":
            index, element = (self._field_sort(script, part, group) for part in node[2:])
            both = isinstance(index, Sort) and isinstance(element, Sort)
            return array(index, element) if both else ArrayOf(index, element)  # type: ignore[arg-type]
        return self.sort(script, node)

    def _name_constructors(self, script: Script, sort: Sort, body: Node) -> None:
        for number, node in enumerate(_parts(script, body)):
            word = script.word(node if isinstance(node, int) else node[1])
            self._new(script, node, word, Construct(sort, number))
            self.table[f"is-{word}"] = Test(sort, number)
            for place, part in enumerate([] if isinstance(node, int) else node[2:]):
                self._new(script, part, script.word(part[1]), Select(sort, number, place))

    def _new(self, script: Script, node: Node, word: str, meaning: Meaning) -> None:
        if not word:
            raise script.error(node, "a name expected")
        if word in self.table:
            raise script.error(node, f"{word} is declared twice")
        self.table[word] = meaning

    # --- sorts ------------------------------------------------------------------------------------------------------

    def sort(self, script: Script, node: Node, depth: int = 0) -> Sort:
        """The sort that an expression stands for."""
        if depth > _MAX_SORT_DEPTH:
            raise script.error(node, f"the sort is nested deeper than {_MAX_SORT_DEPTH}")
        if isinstance(node, int):
            found = self.sorts.get(script.word(node)) or self.sorts.get(word_name(script.word(node)))
            if isinstance(found, SortMacro) and not found.parameters:
                return self.sort(found.script, found.body, depth + 1)
            if not isinstance(found, Sort):
                raise script.error(node, f"the sort {script.word(node)} is not declared")
            return found
        match script.words(node):
            case ["Array", _, _]:
                return array(self.sort(script, node[2], depth + 1), self.sort(script, node[3], depth + 1))
            case ["_", "BitVec", width] if width.isdecimal():
                if len(width) > 10 or not 0 < int(width) <= MAX_WIDTH:
                    raise script.error(node, f"bit vectors have between 1 and {MAX_WIDTH} bits here")
                return bitvec(int(width))
            case [word, *_] if isinstance(self.sorts.get(word), SortMacro):
                return self._expand(script, node, depth)
        raise script.error(node, f"no sort that is known: {script.show(node)}")

    def _expand(self, script: Script, node: list[Node], depth: int) -> Sort:
        macro = self.sorts[script.word(node[1])]
        assert isinstance(macro, SortMacro)
        arguments = [self.sort(script, part, depth + 1) for part in node[2:]]
        if len(arguments) != len(macro.parameters):
            raise script.error(node, f"{script.word(node[1])} takes {len(macro.parameters)} sorts")
        inner = Scope()
        inner.sorts = {**self.sorts, **dict(zip(macro.parameters, arguments, strict=True))}
        return inner.sort(macro.script, macro.body, depth + 1)


def _parts(script: Script, node: Node) -> list[Node]:
    if isinstance(node, int):
        raise script.error(node, "a list expected")
    if script.word(node[1] if len(node) > 1 else node) == "par":
        raise script.unsupported(node, "data types with parameters are not supported")
    return node[1:]
