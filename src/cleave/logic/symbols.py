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

from cleave.logic.terms import Function, Term

_PLAIN = re.compile(r"[A-Za-z~!$^&*_+=<>?/\-][0-9A-Za-z~!@$^&*_+=<>.?/\-]*\Z")
_ESCAPED = re.compile(r"[^ -~]|[|\\%]")
_WRITTEN = re.compile(r"%u\{([0-9a-f]+)\}|%n\{[0-9]+\}|%([0-9a-f]{2})")

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


def symbol_name(text: str) -> str:
    """The name that `symbol` was given."""
    return _WRITTEN.sub(_read, text[1:-1]) if text.startswith("|") else text


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"%{code:02x}" if 32 <= code < 127 else f"%u{{{code:x}}}"


def _read(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2)
    return chr(int(code, 16)) if code else ""


class Symbols:
    """Different symbols for different variables and functions. Cleave's may have the same name when their sorts differ;
    the second one gets a mark, ``%n{2}``, that `symbol_name` drops."""

    def __init__(self) -> None:
        self._given: dict[Term | Function, str] = {}
        self._taken: set[str] = set()

    def variable(self, variable: Term) -> str:
        return self._give(variable, variable.name)

    def function(self, function: Function) -> str:
        return self._give(function, function.name)

    def _give(self, key: Term | Function, name: str) -> str:
        found = self._given.get(key)
        if found is None:
            found = self._given[key] = self._unused(symbol(name))
        return found

    def fresh(self, wanted: str) -> str:
        """A symbol that no variable or function has that was asked for so far."""
        return self._unused(wanted)

    def _unused(self, wanted: str) -> str:
        text, number = wanted, 1
        while text in self._taken:
            number += 1
            text = f"|{wanted.strip('|')}%n{{{number}}}|"
        self._taken.add(text)
        return text
