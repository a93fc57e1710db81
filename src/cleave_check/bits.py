"""A formula over Booleans, bit vectors and arrays as clauses: an execution that makes it true gives a model of them.

    clauses = clauses_of(formula)       # [(1,), (-2, 3), ...]; None: it has integers, quantifiers or the like

Only that direction is needed: clauses without a model refute the formula. Each term becomes literals, one for each bit,
the least first; 1 is true and -1 is false. Equal gates are one. What is read of an array is looked for among the writes
before; reads of one unknown array at equal places give equal bits.

The clauses are not in a certificate. A check of a refutation makes them again, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleave_check.refusal import Undecided
from cleave_check.sorts import BOOL, Sort
from cleave_check.terms import Term, below

Bits = tuple[int, ...]
Clause = tuple[int, ...]
TRUE = 1
MOST_CLAUSES = 500_000


class _OtherError(Exception):
    """The formula has something that is no bits."""


def clauses_of(formula: Term) -> list[Clause] | None:
    made = _Clauses()
    try:
        made.add(made.of(formula)[0])
    except _OtherError:
        return None
    return made.clauses


class _Gates:
    def __init__(self) -> None:
        self.clauses: list[Clause] = [(TRUE,)]
        self._variables = TRUE
        self._made: dict[tuple[object, ...], int] = {}

    def add(self, *literals: int) -> None:
        if len(self.clauses) >= MOST_CLAUSES:
            raise Undecided(f"the formula has more than {MOST_CLAUSES} clauses")
        self.clauses.append(literals)

    def fresh(self) -> int:
        self._variables += 1
        return self._variables

    def all_of(self, literals: Sequence[int]) -> int:
        kept = sorted(set(literals) - {TRUE})
        if -TRUE in kept or any(-one in kept for one in kept if one > 0):
            return -TRUE
        if len(kept) < 2:
            return kept[0] if kept else TRUE
        key = ("and", *kept)
        if key not in self._made:
            self._made[key] = gate = self.fresh()
            for one in kept:
                self.add(-gate, one)
            self.add(gate, *(-one for one in kept))
        return self._made[key]

    def any_of(self, literals: Sequence[int]) -> int:
        return -self.all_of([-one for one in literals])

    def xor(self, a: int, b: int) -> int:
        if abs(a) > abs(b):
            a, b = b, a
        if abs(a) == TRUE:
            return b if a < 0 else -b
        if abs(a) == abs(b):
            return -TRUE if a == b else TRUE
        sign = 1 if (a > 0) == (b > 0) else -1
        a, b = abs(a), abs(b)
        key = ("xor", a, b)
        if key not in self._made:
            self._made[key] = gate = self.fresh()
            for clause in ((-gate, a, b), (-gate, -a, -b), (gate, -a, b), (gate, a, -b)):
                self.add(*clause)
        return sign * self._made[key]

    def choice(self, condition: int, then: int, other: int) -> int:
        if then == other or condition == TRUE:
            return then
        if condition == -TRUE:
            return other
        if abs(then) == TRUE or abs(other) == TRUE or abs(then) == abs(other):
            return self.any_of([self.all_of([condition, then]), self.all_of([-condition, other])])
        key = ("ite", condition, then, other)
        if key not in self._made:
            self._made[key] = gate = self.fresh()
            for clause in (
                *((-condition, -then, gate), (-condition, then, -gate)),
                *((condition, -other, gate), (condition, other, -gate)),
            ):
                self.add(*clause)
        return self._made[key]

    def majority(self, a: int, b: int, c: int) -> int:
        return self.any_of([self.all_of([a, b]), self.all_of([a, c]), self.all_of([b, c])])

    # --- numbers ----------------------------------------------------------------------------------------------------

    def choices(self, condition: int, then: Bits, other: Bits) -> Bits:
        return tuple(self.choice(condition, a, b) for a, b in zip(then, other, strict=True))

    def same(self, a: Bits, b: Bits) -> int:
        return self.all_of([-self.xor(x, y) for x, y in zip(a, b, strict=True)])

    def sum(self, a: Bits, b: Bits, carry: int = -TRUE) -> tuple[Bits, int]:
        found = []
        for x, y in zip(a, b, strict=True):
            found.append(self.xor(self.xor(x, y), carry))
            carry = self.majority(x, y, carry)
        return tuple(found), carry

    def difference(self, a: Bits, b: Bits) -> tuple[Bits, int]:
        """And whether a >= b, as numbers without a sign."""
        return self.sum(a, tuple(-y for y in b), TRUE)

    def negative(self, a: Bits) -> Bits:
        return self.difference(_number(0, len(a)), a)[0]

    def product(self, a: Bits, b: Bits) -> Bits:
        total = _number(0, len(a))
        for place, digit in enumerate(b):
            shifted = (*_number(0, place), *(self.all_of([x, digit]) for x in a[: len(a) - place]))
            total = self.sum(total, shifted)[0]
        return total

    def divided(self, a: Bits, b: Bits) -> tuple[Bits, Bits]:
        """Quotient and remainder. By zero: all ones, and ``a``."""
        divisor, rest = (*b, -TRUE), _number(0, len(a) + 1)
        quotient: list[int] = []
        for digit in reversed(a):
            rest = (digit, *rest[:-1])
            less, fits = self.difference(rest, divisor)
            quotient.append(fits)
            rest = self.choices(fits, less, rest)
        return tuple(reversed(quotient)), rest[:-1]

    def shifted(self, a: Bits, by: Bits, fill: int, left: bool) -> Bits:
        bits = a[::-1] if left else a
        too_far = []
        for power, digit in enumerate(by):
            if 1 << power >= len(bits):
                too_far.append(digit)
                continue
            moved = (*bits[1 << power :], *(fill for _ in range(1 << power)))
            bits = self.choices(digit, moved, bits)
        bits = self.choices(self.any_of(too_far), tuple(fill for _ in bits), bits)
        return bits[::-1] if left else bits


def _number(value: int, width: int) -> Bits:
    return tuple(TRUE if value >> place & 1 else -TRUE for place in range(width))


class _Clauses(_Gates):
    """Terms as bits."""

    def __init__(self) -> None:
        super().__init__()
        self._bits: dict[int, Bits] = {}
        self._kept: list[Term] = []  # so that no other term gets the identity of one
        self._reads: dict[tuple[int, Bits], Bits] = {}
        self._places: dict[object, list[tuple[Bits, Bits]]] = {}  # of unknown arrays and functions

    def of(self, root: Term) -> Bits:
        for term in below((root,)):
            if id(term) not in self._bits and term.sort[0] != "Array":
                self._kept.append(term)
                self._bits[id(term)] = self._term(term)
        return self._bits[id(root)]

    def _term(self, term: Term) -> Bits:
        width = _width(term.sort)
        if term.op == "value":
            return _number(int(term.data), width)
        if term.op == "var":
            return tuple(self.fresh() for _ in range(width))
        if term.op == "select":
            return self._read(term.args[0], self._bits[id(term.args[1])], term.sort)
        if any(a.sort[0] == "Array" for a in term.args) or term.op not in _OPERATORS:
            if term.op == "apply" and all(id(a) in self._bits for a in term.args):
                return self._unknown(term.data, sum((self._bits[id(a)] for a in term.args), ()), width)
            raise _OtherError
        return _OPERATORS[term.op](self, term, [self._bits[id(a)] for a in term.args])

    def _unknown(self, what: object, place: Bits, width: int) -> Bits:
        """What an unknown function gives: equal bits at equal places."""
        known = self._places.setdefault(what, [])
        for other, bits in known:
            if other == place:
                return bits
        found = tuple(self.fresh() for _ in range(width))
        for other, bits in known:
            here = self.same(place, other)
            if here == -TRUE:
                continue
            for a, b in zip(found, bits, strict=True):
                self.add(-here, -a, b)
                self.add(-here, a, -b)
        known.append((place, found))
        return found

    def _read(self, array: Term, place: Bits, sort: Sort) -> Bits:
        """By a stack of its own: writes may be many."""
        width = _width(sort)
        pending: list[tuple[Term, bool]] = [(array, False)]
        while pending:
            term, ready = pending.pop()
            key = (id(term), place)
            if key in self._reads:
                continue
            self._kept.append(term)
            if term.op == "const":
                self._reads[key] = self._bits[id(term.args[0])]
            elif term.op in ("store", "ite") and not ready:
                pending += [(term, True), *((a, False) for a in _before(term))]
            elif term.op == "store":
                here = self.same(place, self._bits[id(term.args[1])])
                written = self._bits[id(term.args[2])]
                self._reads[key] = self.choices(here, written, self._reads[id(term.args[0]), place])
            elif term.op == "ite":
                then, other = (self._reads[id(a), place] for a in _before(term))
                self._reads[key] = self.choices(self._bits[id(term.args[0])][0], then, other)
            elif term.op == "var":
                self._reads[key] = self._unknown(id(term), place, width)
            else:
                raise _OtherError
        return self._reads[id(array), place]


def _before(term: Term) -> tuple[Term, ...]:
    return term.args[1:] if term.op == "ite" else term.args[:1]


def _width(sort: Sort) -> int:
    if sort == BOOL:
        return 1
    if sort[0] != "BitVec":
        raise _OtherError
    width: int = sort[1]
    return width


# --- operators -----------------------------------------------------------------------------------------------------

_Operator = Callable[[_Clauses, Term, list[Bits]], Bits]


def _sign(bits: Bits) -> int:
    return bits[-1]


def _size(make: _Clauses, bits: Bits) -> Bits:
    """Without its sign."""
    return make.choices(_sign(bits), make.negative(bits), bits)


def _with_sign(make: _Clauses, sign: int, bits: Bits) -> Bits:
    return make.choices(sign, make.negative(bits), bits)


def _sdiv(make: _Clauses, term: Term, args: list[Bits]) -> Bits:
    a, b = args
    return _with_sign(make, make.xor(_sign(a), _sign(b)), make.divided(_size(make, a), _size(make, b))[0])


def _srem(make: _Clauses, term: Term, args: list[Bits]) -> Bits:
    a, b = args
    return _with_sign(make, _sign(a), make.divided(_size(make, a), _size(make, b))[1])


def _smod(make: _Clauses, term: Term, args: list[Bits]) -> Bits:
    """The remainder with the sign of the divisor."""
    _, b = args
    rest = _srem(make, term, args)
    moves = make.all_of([make.any_of(rest), make.any_of(b), make.xor(_sign(rest), _sign(b))])
    return make.choices(moves, make.sum(rest, b)[0], rest)


def _less(make: _Clauses, a: Bits, b: Bits) -> Bits:
    return (-make.difference(a, b)[1],)


def _turned(bits: Bits) -> Bits:
    """Numbers with a sign in the order of those without."""
    return (*bits[:-1], -bits[-1])


def _distinct(make: _Clauses, term: Term, args: list[Bits]) -> Bits:
    return (make.all_of([-make.same(a, b) for number, a in enumerate(args) for b in args[:number]]),)


def _bitwise(gate: Callable[[_Clauses, int, int], int]) -> _Operator:
    return lambda make, term, args: tuple(gate(make, x, y) for x, y in zip(*args, strict=True))


_OPERATORS: dict[str, _Operator] = {
    "and": lambda make, _, args: (make.all_of([a[0] for a in args]),),
    "or": lambda make, _, args: (make.any_of([a[0] for a in args]),),
    "not": lambda _, __, args: (-args[0][0],),
    "=>": lambda make, _, args: (make.any_of([-args[0][0], args[1][0]]),),
    "ite": lambda make, _, args: make.choices(args[0][0], args[1], args[2]),
    "=": lambda make, _, args: (make.same(args[0], args[1]),),
    "distinct": _distinct,
    "concat": lambda _, __, args: (*args[1], *args[0]),
    "extract": lambda _, term, args: args[0][term.data[1] : term.data[0] + 1],
    "zero_extend": lambda _, term, args: (*args[0], *_number(0, _width(term.sort) - len(args[0]))),
    "sign_extend": lambda _, term, args: (*args[0], *[_sign(args[0])] * (_width(term.sort) - len(args[0]))),
    "bvnot": lambda _, __, args: tuple(-a for a in args[0]),
    "bvneg": lambda make, _, args: make.negative(args[0]),
    "bvand": _bitwise(lambda make, a, b: make.all_of([a, b])),
    "bvor": _bitwise(lambda make, a, b: make.any_of([a, b])),
    "bvxor": _bitwise(lambda make, a, b: make.xor(a, b)),
    "bvadd": lambda make, _, args: make.sum(args[0], args[1])[0],
    "bvsub": lambda make, _, args: make.difference(args[0], args[1])[0],
    "bvmul": lambda make, _, args: make.product(args[0], args[1]),
    "bvudiv": lambda make, _, args: make.divided(args[0], args[1])[0],
    "bvurem": lambda make, _, args: make.divided(args[0], args[1])[1],
    "bvsdiv": _sdiv,
    "bvsrem": _srem,
    "bvsmod": _smod,
    "bvshl": lambda make, _, args: make.shifted(args[0], args[1], -TRUE, left=True),
    "bvlshr": lambda make, _, args: make.shifted(args[0], args[1], -TRUE, left=False),
    "bvashr": lambda make, _, args: make.shifted(args[0], args[1], _sign(args[0]), left=False),
    "bvult": lambda make, _, args: _less(make, args[0], args[1]),
    "bvule": lambda make, _, args: (-_less(make, args[1], args[0])[0],),
    "bvslt": lambda make, _, args: _less(make, _turned(args[0]), _turned(args[1])),
    "bvsle": lambda make, _, args: (-_less(make, _turned(args[1]), _turned(args[0]))[0],),
}
