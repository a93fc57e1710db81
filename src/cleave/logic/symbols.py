"""Names as SMT-LIB symbols, and back.

    >>> symbol("x'1"), symbol("a|b"), symbol("select")
    ("|x'1|", '|a%7cb|', '|%73elect|')
    >>> symbol_name("|a%7cb|")
    'a|b'

SMT-LIB has no way to write ``|`` or a backslash in a symbol, and a name that belongs to a theory can't be declared, in
quotes or not. Such characters, the first letter of such a name, and the percent sign are written as ``%`` and two
hexadecimal digits, what is not printable ASCII as ``%u{...}``.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Term

_PLAIN = re.compile(r"[A-Za-z~!$^&*_+=<>?/\-][0-9A-Za-z~!@$^&*_+=<>.?/\-]*\Z")
_ESCAPED = re.compile(r"[^ -~]|[|\\%]")
_WRITTEN = re.compile(r"%u\{([0-9a-f]+)\}|%n\{[0-9]+\}|%([0-9a-f]{2})")
_MARK = re.compile(r"%n\{[0-9]+\}")

# Words of the language and names of theories, those of extensions in Z3 and cvc5 included. Where the solvers' lists are
# open, whole families are taken: an escape too many does no harm.
_WORDS = """
! _ as let exists forall match par lambda BINARY DECIMAL HEXADECIMAL NUMERAL STRING Bool Int Real Array BitVec
String RegLan true false not and or xor => = == distinct ite if iff implies + - * / ^ div mod rem abs < <= > >=
to_real to_int is_int divisible select store const concat extract repeat zero_extend sign_extend rotate_left
rotate_right ext_rotate_left ext_rotate_right map union inter subset setminus intersection complement member
insert exp log sin cos tan csc sec cot sinh cosh tanh arcsin arccos arctan asin acos atan asinh acosh atanh pi
sqrt euler e iand piand pow2 Set Seq List Pair Tuple Bag Relation Table Float16 Float32 Float64 Float128
FloatingPoint RoundingMode RNE RNA RTP RTN RTZ roundNearestTiesToEven roundNearestTiesToAway roundTowardPositive
roundTowardNegative roundTowardZero Unicode Char RelView Rel UninterpretedSort nil cons head tail is is_cons
is_nil pair mk-pair first second wand pto emp sep default array-ext as-array root-obj special_relations at-most
at-least pbeq pble pbge witness comp choice update seq set declare assert check-sat push pop exit reset include
0 Proof Type -> NaN unit
"""
_RESERVED = frozenset(_WORDS.split())
_LISTS_AND_PAIRS = frozenset(("List", "nil", "cons", "head", "tail", "Pair", "pair", "first", "second", "unit"))
_FAMILIES = re.compile(
    r"(?:bv|int2|int_|ubv|sbv|nat|is-|partial|linear-order|partial-order|tree-order|piecewise|transitive|pb|fp|to_fp"
    r"|(?:str|re|seq|set|bag|rel|ff|table|tuple|char|array|real|int|datatype|nullable|sep|float|float16|float32)[.-])"
)


def symbol(name: str) -> str:
    """``name`` as a symbol; different names give different symbols."""
    if name in _RESERVED or _FAMILIES.match(name):
        return f"|%{ord(name[0]):02x}{_ESCAPED.sub(_escape, name[1:])}|"
    if _PLAIN.match(name):
        return name
    return f"|{_ESCAPED.sub(_escape, name)}|"


def datatype_symbol(name: str) -> str:
    """The same for the name of a data type, a constructor or a selector. The usual names of lists and pairs are the
    solvers' own only until somebody declares them so."""
    return name if name in _LISTS_AND_PAIRS else symbol(name)


def symbol_name(text: str) -> str:
    """The name that `symbol` was given."""
    return _WRITTEN.sub(_read, text[1:-1]) if text.startswith("|") else text


def word_name(word: str) -> str:
    """The name of a symbol that may have been written by others: only what `symbol` would write is read as it reads.

    >>> word_name("%73elect"), word_name("|a b|"), word_name("%tmp"), word_name("%abs"), word_name("|x%n{2}|")
    ('select', 'a b', '%tmp', '%abs', 'x')
    """
    bare = word[1:-1] if word.startswith("|") else word
    if "%" not in bare:
        return bare
    name = symbol_name(f"|{bare}|")
    return name if symbol(name).strip("|") == _MARK.sub("", bare) else bare


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"%{code:02x}" if 32 <= code < 127 else f"%u{{{code:x}}}"


def _read(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    return chr(int(code, 16)) if code else ""


class Symbols:
    """Different symbols for different variables and functions. Cleave's may have the same name when their sorts differ;
    the second one gets a mark, ``%n{2}``, that `symbol_name` drops."""

    def __init__(self, outer: Symbols | None = None) -> None:
        """With what ``outer`` has given so far, to which nothing is added."""
        self._outer = outer
        self._given: dict[Hashable, str] = {}
        self._taken: set[str] = set()

    def variable(self, variable: Term) -> str:
        return self._give(variable, variable.name)

    def function(self, function: Function) -> str:
        return self._give(function, function.name)

    def part(self, sort: Sort, number: int, place: int | None = None) -> str:
        """The constructor ``number`` of a data type, or its selector ``place``."""
        constructor = sort.constructors[number]
        name = constructor.name if place is None else constructor.selectors[place]
        return self._give_symbol((sort, number, place), datatype_symbol(name))

    def _give(self, key: Hashable, name: str) -> str:
        return self._give_symbol(key, symbol(name))

    def _give_symbol(self, key: Hashable, wanted: str) -> str:
        found = self._given.get(key)
        if found is None and self._outer is not None:
            found = self._outer._given.get(key)
        if found is None:
            found = self._given[key] = self._unused(wanted)
        return found

    def fresh(self, wanted: str) -> str:
        """A symbol that no variable or function has that was asked for so far."""
        return self._unused(wanted)

    def _unused(self, wanted: str) -> str:
        text, number = wanted, 1
        while text in self._taken or (self._outer is not None and text in self._outer._taken):
            number += 1
            text = f"|{wanted.strip('|')}%n{{{number}}}|"
        self._taken.add(text)
        return text
