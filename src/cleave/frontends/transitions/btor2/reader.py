"""Reads BTOR2 line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.transitions.btor2.operators import BINARY, BIT, TERNARY, UNARY, bit, negated, truth
from cleave.frontends.transitions.symbolic_system import Bad, HardwareModel, SymbolicSystem
from cleave.ir.horn import HornSystem
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, MAX_WIDTH, Sort, array, bitvec
from cleave.logic.terms import SortError, Term

_WORD = re.compile(r"\S+")
_COMMENT = re.compile(r"(?:^|\s);.*")  # within a word, as in a symbol, a semicolon is only a character
_OLD = frozenset(("var", "root", "acond", "anext", "cond", "array", "redundant"))


class Btor2Reader:
    """The model in a text."""

    def __init__(self, text: str, file: str) -> None:
        self._file = file
        self._lines = text.splitlines()
        self._line = 0  # the current one, from 1
        self._words: list[str] = []
        self._columns: list[int] = []
        self._sorts: dict[int, Sort] = {}
        self._nodes: dict[int, Term] = {}
        self._variables: dict[int, Term] = {}  # states and inputs: the variable, which is a Bool for one bit
        self._states: list[int] = []
        self._state_numbers: set[int] = set()
        self._first: dict[int, Term] = {}
        self._next: dict[int, Term] = {}
        self._constraints: list[Term] = []
        self._bad: list[Bad] = []
        self._names: set[str] = set()

    def system(self) -> HornSystem:
        return self.model().system.horn()

    def model(self) -> HardwareModel:
        for number, text in enumerate(self._lines, 1):
            self._line = number
            found = list(_WORD.finditer(_COMMENT.sub("", text)))
            self._words = [m.group() for m in found]
            self._columns = [m.start() + 1 for m in found]
            if self._words:
                self._read()
        if not self._bad:
            raise UnsupportedError("the model has no bad state, so there is nothing to check", file=self._file)
        inputs = tuple(one for number, one in self._variables.items() if number not in self._state_numbers)
        free = frozenset(self._variables[number] for number in self._states if number not in self._next)
        return HardwareModel(self._symbolic_system(), inputs, free)

    def _symbolic_system(self) -> SymbolicSystem:
        state = tuple(self._variables[number] for number in self._states)
        constraint = t.conj_all(self._constraints)
        following = []
        for number, variable in zip(self._states, state, strict=True):
            # A state without a next value takes any value, as an input does.
            value = self._next.get(number)
            following.append(t.var(self._unused(f"{variable.name}'"), variable.sort) if value is None else value)
        return SymbolicSystem(
            state=state,
            first=state,
            initial=t.conj_all(t.eq(self._variables[number], value) for number, value in self._first.items()),
            following=tuple(following),
            step=constraint,
            bad=[Bad(t.conj(constraint, bad.condition), bad.location) for bad in self._bad],
            location=Location(self._file, 1, 1),
        )

    # --- lines ------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        number = self._number(0, "the number of a node")
        word = self._words[1] if len(self._words) > 1 else self._fail(0, "an operator expected after the number")
        read = _KINDS.get(word)
        try:
            if read is not None:
                read(self, number)
            elif word in UNARY:
                self._define(number, UNARY[word](self._node(3)))
            elif word in BINARY:
                self._define(number, BINARY[word](self._node(3), self._node(4)))
            elif word in TERNARY:
                self._define(number, TERNARY[word](self._node(3), self._node(4), self._node(5)))
            elif word in _OLD:
                raise self._error(UnsupportedError, 1, f"{word} belongs to BTOR version 1; BTOR2 is supported")
            else:
                self._fail(1, f"{word} is no operator of BTOR2")
        except SortError as error:
            self._fail(1, str(error))

    def _define(self, number: int, term: Term) -> None:
        if term.sort is not self._sort(2):
            self._fail(2, f"the result is of sort {term.sort!r}, not {self._sort(2)!r}")
        self._enter(number, term)

    def _enter(self, number: int, term: Term) -> None:
        if number in self._nodes:
            self._fail(0, f"node {number} is there twice")
        self._nodes[number] = term

    def _read_sort(self, number: int) -> None:
        match self._words[2:]:
            case ["bitvec", _, *_]:
                width = self._number(3, "a number of bits")
                if not 0 < width <= MAX_WIDTH:
                    self._fail(3, f"bit vectors have between 1 and {MAX_WIDTH} bits here")
                self._sorts[number] = bitvec(width)
            case ["array", _, _, *_]:
                self._sorts[number] = array(self._sort(3), self._sort(4))
            case _:
                self._fail(1, "a sort is bitvec with a width, or array with two sorts")

    def _read_constant(self, number: int) -> None:
        sort = self._sort(2)
        if not sort.is_bitvec:
            self._fail(2, "a constant is a bit vector")
        word, fixed = self._words[1], {"zero": 0, "one": 1, "ones": -1}
        value = fixed[word] if word in fixed else self._digits({"const": 2, "constd": 10, "consth": 16}[word])
        self._enter(number, t.bv(value, sort.width))

    def _digits(self, base: int) -> int:
        text = self._word(3, "digits")
        allowed = "0123456789abcdef"[:base]
        if text.lstrip("-").lower().strip(allowed) or not text.strip("-") or len(text) > 4000:
            self._fail(3, f"digits of base {base} expected")
        return int(text, base)

    def _read_variable(self, number: int) -> None:
        sort = self._sort(2)
        kind = self._words[1]
        name = self._words[3] if len(self._words) > 3 else f"{kind}{number}"
        variable = t.var(self._unused(name), BOOL if sort is BIT else sort)
        self._variables[number] = variable
        self._enter(number, bit(variable) if sort is BIT else variable)
        if kind == "state":
            self._states.append(number)
            self._state_numbers.add(number)

    def _read_first(self, number: int) -> None:
        state, value = self._state(), self._node(4)
        sort = self._nodes[state].sort
        if sort.is_array and value.sort is sort.element:  # one value for all elements
            value = t.const_array(sort.index, value)
        self._set(self._first, state, value)

    def _read_next(self, number: int) -> None:
        self._set(self._next, self._state(), self._node(4))

    def _set(self, table: dict[int, Term], state: int, value: Term) -> None:
        if value.sort is not self._nodes[state].sort:
            self._fail(4, f"a value of sort {self._nodes[state].sort!r} expected, not {value.sort!r}")
        if state in table:
            self._fail(3, f"state {state} has two values")
        table[state] = truth(value) if value.sort is BIT else value

    def _state(self) -> int:
        number = self._number(3, "the number of a state")
        if number not in self._state_numbers:
            self._fail(3, f"node {number} is no state")
        return number

    def _read_bad(self, number: int) -> None:
        self._bad.append(Bad(self._condition(), Location(self._file, self._line, self._columns[0])))

    def _read_constraint(self, number: int) -> None:
        self._constraints.append(self._condition())

    def _condition(self) -> Term:
        value = self._node(2)
        if value.sort is not BIT:
            self._fail(2, f"one bit expected, not {value.sort!r}")
        return truth(value)

    def _read_output(self, number: int) -> None:
        self._node(2)

    def _refuse_liveness(self, number: int) -> None:
        message = f"{self._words[1]} is about infinite runs, which are not supported"
        raise self._error(UnsupportedError, 1, message)

    def _read_extension(self, number: int) -> None:
        extend = t.zero_extend if self._words[1] == "uext" else t.sign_extend
        self._define(number, extend(self._node(3), self._number(4, "a number of bits")))

    def _read_slice(self, number: int) -> None:
        value = self._node(3)
        self._define(number, t.extract(value, self._number(4, "the upper bit"), self._number(5, "the lower bit")))

    # --- words ------------------------------------------------------------------------------------------------------

    def _word(self, place: int, what: str) -> str:
        if place >= len(self._words):
            self._fail(len(self._words) - 1, f"{what} expected after this")
        return self._words[place]

    def _number(self, place: int, what: str) -> int:
        word = self._word(place, what)
        if not (word.isascii() and word.isdecimal()) or len(word) > 12:
            self._fail(place, f"{what} expected, not {word[:40]}")
        return int(word)

    def _sort(self, place: int) -> Sort:
        number = self._number(place, "the number of a sort")
        found = self._sorts.get(number)
        return found if found is not None else self._fail(place, f"sort {number} is not there")

    def _node(self, place: int) -> Term:
        word = self._word(place, "the number of a node")
        minus = word.startswith("-")
        if not word[minus:].isdecimal() or not word.isascii() or len(word) > 12:
            self._fail(place, f"the number of a node expected, not {word[:40]}")
        found = self._nodes.get(int(word[minus:]))
        if found is None:
            self._fail(place, f"node {word[minus:]} is not there")
        return negated(found) if minus else found

    def _unused(self, name: str) -> str:
        made, count = name, 0
        while made in self._names:
            count += 1
            made = f"{name}!{count}"
        self._names.add(made)
        return made

    def _error(self, kind: type[InputError], place: int, message: str) -> InputError:
        return kind(
            message,
            file=self._file,
            line=self._line,
            column=self._columns[min(place, len(self._columns) - 1)],
            source_line=self._lines[self._line - 1],
        )

    def _fail(self, place: int, message: str) -> NoReturn:
        raise self._error(InputError, place, message)


_KINDS: dict[str, Callable[[Btor2Reader, int], None]] = {
    "sort": Btor2Reader._read_sort,
    **dict.fromkeys(("const", "constd", "consth", "zero", "one", "ones"), Btor2Reader._read_constant),
    **dict.fromkeys(("input", "state"), Btor2Reader._read_variable),
    "init": Btor2Reader._read_first,
    "next": Btor2Reader._read_next,
    "bad": Btor2Reader._read_bad,
    "constraint": Btor2Reader._read_constraint,
    "output": Btor2Reader._read_output,
    **dict.fromkeys(("fair", "justice"), Btor2Reader._refuse_liveness),
    **dict.fromkeys(("uext", "sext"), Btor2Reader._read_extension),
    "slice": Btor2Reader._read_slice,
}
