"""Values, and what operators do to them: written from SMT-LIB's definitions.

Bit vectors are unsigned ints. A map has a default and entries that differ from it. `UNKNOWN` stands for any value: what
an operator makes of it is unknown, too, unless the other arguments decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from cleave_check.refusal import Refusal, Unreadable
from cleave_check.sorts import BOOL, INT, REAL, Sort
from cleave_check.terms import Term, below

Value = Any
_LARGEST = 1 << 20  # bits of a number: what grows beyond is refused


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"


UNKNOWN: Final = _Unknown()


class Map:
    """Never changed. Maps with equal entries and defaults are equal; others may still map alike: see `same`."""

    __slots__ = ("_hash", "default", "entries")

    def __init__(self, default: Value, entries: Mapping[Value, Value]) -> None:
        self.default = default
        self.entries = {key: value for key, value in entries.items() if value is UNKNOWN or value != default}
        self._hash: int | None = None

    def __getitem__(self, key: Value) -> Value:
        return self.entries.get(key, self.default)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and self.default == other.default and self.entries == other.entries

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.default, frozenset(self.entries.items())))
        return self._hash


def same(a: Value, b: Value, sort: Sort) -> Value:
    """Whether two values are equal; maps, if they map everything alike."""
    if sort[0] != "Array":
        return UNKNOWN if a is UNKNOWN or b is UNKNOWN else a == b
    if a is b:
        return True
    keys = {**a.entries, **b.entries}
    answers = [same(a[key], b[key], sort[2]) for key in keys]
    if sort[1] == BOOL:
        everywhere = len(keys) == 2
    else:
        everywhere = sort[1][0] == "BitVec" and len(keys) == 1 << sort[1][1]
    if not everywhere:
        answers.append(same(a.default, b.default, sort[2]))
    if False in answers:
        return False
    return UNKNOWN if UNKNOWN in answers else True


def decoded(data: Any, sort: Sort, depth: int = 0) -> Value:
    """A value as certificates write it: ``true``, ``"12"``, ``"-1/3"``, ``{"default": v, "entries": [[k, v], ...]}``,
    ``{"element": name}``."""
    if sort == BOOL and isinstance(data, bool):
        return data
    if sort[0] == "Array" and isinstance(data, dict) and data.keys() == {"default", "entries"} and depth < 50:
        pairs = data["entries"]
        if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise Unreadable("a map's entries are pairs")
        entries = {decoded(k, sort[1], depth + 1): decoded(v, sort[2], depth + 1) for k, v in pairs}
        if len(entries) != len(pairs):
            raise Unreadable("a map has two entries for one key")
        return Map(decoded(data["default"], sort[2], depth + 1), entries)
    if sort[0] == "Sort" and isinstance(data, dict) and data.keys() == {"element"} and isinstance(data["element"], str):
        return ("element", sort[1], data["element"])
    if isinstance(data, str) and len(data) < 100_000 and (sort in (INT, REAL) or sort[0] == "BitVec"):
        return _number(data, sort)
    raise Unreadable("a value is not of its variable's sort")


def _number(data: Any, sort: Sort) -> Value:
    try:
        number = Fraction(data) if isinstance(data, str) and data.strip("0123456789/-") == "" else None
    except (ValueError, ZeroDivisionError):
        number = None
    if number is None or (sort != REAL and number.denominator != 1):
        raise Unreadable("a value is not of its variable's sort")
    if sort == REAL:
        return number
    if sort[0] == "BitVec" and not 0 <= number < 1 << sort[1]:
        raise Unreadable("a bit vector's value has more bits than its sort")
    return int(number)


# --- terms ------------------------------------------------------------------------------------------------------------


def evaluate(root: Term, lookup: Callable[[Term], Value], apply: Callable[[Term, list[Value]], Value]) -> Value:
    """``apply`` gives the values of uninterpreted functions."""
    done: dict[int, Value] = {}
    for term in below((root,)):
        if term.op == "value":
            done[id(term)] = term.data
        elif term.op == "var":
            # A variable that a quantifier binds has no value; nor has the quantifier.
            done[id(term)] = lookup(term)
        elif term.op in ("forall", "exists"):
            done[id(term)] = UNKNOWN
        else:
            args = [done[id(a)] for a in term.args]
            done[id(term)] = apply(term, args) if term.op == "apply" else operate(term, args)
    return done[id(root)]


def operate(term: Term, args: list[Value]) -> Value:
    special = _SPECIAL.get(term.op)
    if special is not None:
        return special(term, args)
    if any(a is UNKNOWN for a in args):
        return UNKNOWN
    result = _STRICT[term.op](term, *args)
    if isinstance(result, int) and result.bit_length() > _LARGEST:
        raise Refusal("a number has more than a million bits")
    return result


def signed(number: int, width: int) -> int:
    return number - (1 << width) if number >> (width - 1) else number


def _and(_: Term, args: list[Value]) -> Value:
    if any(a is False for a in args):
        return False
    return UNKNOWN if any(a is UNKNOWN for a in args) else True


def _or(_: Term, args: list[Value]) -> Value:
    if any(a is True for a in args):
        return True
    return UNKNOWN if any(a is UNKNOWN for a in args) else False


def _implies(_: Term, args: list[Value]) -> Value:
    if args[0] is False or args[1] is True:
        return True
    return UNKNOWN if any(a is UNKNOWN for a in args) else False


def _ite(_: Term, args: list[Value]) -> Value:
    if args[0] is UNKNOWN:
        return UNKNOWN
    return args[1] if args[0] else args[2]


def _equals(term: Term, args: list[Value]) -> Value:
    if any(a is UNKNOWN for a in args):
        return UNKNOWN
    return same(args[0], args[1], term.args[0].sort)


def _distinct(term: Term, args: list[Value]) -> Value:
    if any(a is UNKNOWN for a in args):
        return UNKNOWN
    pairs = [same(a, b, term.args[0].sort) for i, a in enumerate(args) for b in args[:i]]
    if True in pairs:
        return False
    return UNKNOWN if any(p is UNKNOWN for p in pairs) else True


def _select(_: Term, args: list[Value]) -> Value:
    where, index = args
    return UNKNOWN if where is UNKNOWN or index is UNKNOWN else where[index]


def _store(_: Term, args: list[Value]) -> Value:
    where, index, element = args
    if where is UNKNOWN or index is UNKNOWN:
        return UNKNOWN
    return Map(where.default, {**where.entries, index: element})


def _const(_: Term, args: list[Value]) -> Value:
    return Map(args[0], {})


_SPECIAL: dict[str, Callable[[Term, list[Value]], Value]] = {
    "and": _and,
    "or": _or,
    "=>": _implies,
    "ite": _ite,
    "=": _equals,
    "distinct": _distinct,
    "select": _select,
    "store": _store,
    "const": _const,
}


def _cut(compute: Callable[..., int]) -> Callable[..., int]:
    return lambda term, *args: compute(*args) % (1 << term.sort[1])


def _by(term: Term, divisor: Value) -> None:
    """A quotient by zero may be any number, always the same: whoever needs one does not say which."""
    if divisor == 0:
        raise Refusal("the execution divides a number by zero, which may be anything")


def _div(term: Term, a: int, b: int) -> int:
    _by(term, b)
    return (a - a % abs(b)) // b


def _mod(term: Term, a: int, b: int) -> int:
    _by(term, b)
    return a % abs(b)


def _quotient(term: Term, a: Fraction, b: Fraction) -> Fraction:
    _by(term, b)
    return a / b


def _times(_: Term, a: Value, b: Value) -> Value:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > _LARGEST:
        raise Refusal("a number has more than a million bits")
    return a * b


def _both_signed(compute: Callable[[int, int, int], Any]) -> Callable[..., Any]:
    def on_signed(term: Term, a: int, b: int) -> Any:
        width = term.args[0].sort[1]
        found = compute(signed(a, width), signed(b, width), width)
        return found if isinstance(found, bool) else found % (1 << width)

    return on_signed


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _sdiv(a: int, b: int, width: int) -> int:
    if b == 0:
        return 1 if a < 0 else -1
    return _toward_zero(a, b)


def _srem(a: int, b: int, width: int) -> int:
    return a - b * _toward_zero(a, b) if b else a


def _smod(a: int, b: int, width: int) -> int:
    return a - b * math.floor(Fraction(a, b)) if b else a


_STRICT: dict[str, Callable[..., Value]] = {
    "not": lambda _, a: not a,
    "+": lambda _, a, b: a + b,
    "-": lambda _, a, b: a - b,
    "neg": lambda _, a: -a,
    "*": _times,
    "div": _div,
    "mod": _mod,
    "/": _quotient,
    "<": lambda _, a, b: a < b,
    "<=": lambda _, a, b: a <= b,
    "to_real": lambda _, a: Fraction(a),
    "to_int": lambda _, a: math.floor(a),
    "concat": lambda term, a, b: a << term.args[1].sort[1] | b,
    "extract": lambda term, a: (a >> term.data[1]) & ((1 << term.sort[1]) - 1),
    "zero_extend": lambda _, a: a,
    "sign_extend": lambda term, a: signed(a, term.args[0].sort[1]) % (1 << term.sort[1]),
    "bvnot": _cut(lambda a: ~a),
    "bvneg": _cut(lambda a: -a),
    "bvand": _cut(lambda a, b: a & b),
    "bvor": _cut(lambda a, b: a | b),
    "bvxor": _cut(lambda a, b: a ^ b),
    "bvadd": _cut(lambda a, b: a + b),
    "bvsub": _cut(lambda a, b: a - b),
    "bvmul": _cut(lambda a, b: a * b),
    "bvudiv": lambda term, a, b: a // b if b else (1 << term.sort[1]) - 1,
    "bvurem": lambda _, a, b: a % b if b else a,
    "bvsdiv": _both_signed(_sdiv),
    "bvsrem": _both_signed(_srem),
    "bvsmod": _both_signed(_smod),
    "bvshl": lambda term, a, b: (a << b) % (1 << term.sort[1]) if b < term.sort[1] else 0,
    "bvlshr": lambda term, a, b: a >> b if b < term.sort[1] else 0,
    "bvashr": lambda term, a, b: (signed(a, term.sort[1]) >> min(b, term.sort[1])) % (1 << term.sort[1]),
    "bvult": lambda _, a, b: a < b,
    "bvule": lambda _, a, b: a <= b,
    "bvslt": _both_signed(lambda a, b, _: a < b),
    "bvsle": _both_signed(lambda a, b, _: a <= b),
    "ubv_to_int": lambda _, a: a,
    "int_to_bv": lambda term, a: a % (1 << term.sort[1]),
}
