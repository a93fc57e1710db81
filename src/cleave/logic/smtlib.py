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

A subterm that is used more than once and is worth it gets a name in a ``let``, so that the text grows with the DAG and
not with the tree. Nothing recurses. Scripts are accepted by Z3 and by cvc5.

SMT-LIB has no way to write ``|`` or a backslash in a symbol: they are written ``%7c`` and ``%5c``, a percent sign
``%25``, other characters that are no printable ASCII likewise by their code point, ``%u{...}`` (see `symbol`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

from cleave.logic.sorts import Sort, SortKind
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import postorder, triggers

_PLAIN = re.compile(r"[A-Za-z~!@$^&*_+=<>.?/\-][0-9A-Za-z~!@$^&*_+=<>.?/\-]*\Z")
_ESCAPED = re.compile(r"[^ -~]|[|\\%]")

# Words of the language and names of its theories: a user's symbol of that name is quoted, and as a name of a theory
# can't be declared again even in quotes, it is escaped as well (see `symbol`).
_RESERVED = frozenset(
    """
    ! _ as let exists forall match par BINARY DECIMAL HEXADECIMAL NUMERAL STRING Bool Int Real Array BitVec String RegLan
    true false not and or xor => = distinct ite + - * / div mod rem abs ^ < <= > >= to_real to_int is_int divisible
    select store const concat extract repeat zero_extend sign_extend rotate_left rotate_right bvnot bvneg bvand bvor
    bvxor bvnand bvnor bvxnor bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem bvsmod bvshl bvlshr bvashr bvult bvule bvugt
    bvuge bvslt bvsle bvsgt bvsge bvcomp bv2nat int2bv ubv_to_int sbv_to_int int_to_bv bv2int bvredor bvredand lambda map
    iff implies if union inter subset setminus exp log sin cos tan pi sqrt Set Seq List Pair Tuple Float16 Float32 Float64
    Float128 FloatingPoint RoundingMode RNE RNA RTP RTN RTZ Unicode Char Relation Table Bag Finite_Field as-array nil cons
    insert head tail pair first second sep emp pto wand str re seq set bag rel fp member card complement root-obj
    """.split()
)

_LIMIT_OF_INLINING = 3  # nodes; a smaller shared term is shorter than a name for it


def symbol(name: str) -> str:
    """``name`` as an SMT-LIB symbol; different names give different symbols.

    >>> symbol("Mem_T.x#1"), symbol("a|b"), symbol("select")
    ('|Mem_T.x#1|', '|a%7cb|', '|%73elect|')
    """
    if name in _RESERVED:
        name = f"%{ord(name[0]):02x}{name[1:]}"
        return f"|{name}|"
    if _PLAIN.match(name) and not name.startswith((".", "@")):
        return name
    return f"|{_ESCAPED.sub(_escape, name)}|"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"%{code:02x}" if 32 <= code < 127 else f"%u{{{code:x}}}"


def symbol_name(text: str) -> str:
    """The name that `symbol` was given.

    >>> symbol_name(symbol("a|b")), symbol_name(symbol("select"))
    ('a|b', 'select')
    """
    if not text.startswith("|"):
        return text
    return re.sub(
        r"%u\{([0-9a-f]+)\}|%([0-9a-f]{2})",
        lambda match: chr(int(match.group(1) or match.group(2), 16)),
        text[1:-1],
    )


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
            parts.append(symbol(top.name) if top.kind is SortKind.UNINTERPRETED else top.kind.value)
    return "".join(parts)


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
        case Op.APPLY:
            return symbol(term.value.name)
        case Op.NEG:
            return "-"
        case Op.CONST_ARRAY:
            return f"(as const {print_sort(term.sort)})"
        case Op.EXTRACT:
            return "(_ extract {} {})".format(*term.value)
        case Op.ZERO_EXTEND | Op.SIGN_EXTEND:
            return f"(_ {term.op.value} {term.value})"
        case Op.BV_TO_INT:
            return "bv2nat"  # cvc5 and Z3 both know the older name
        case Op.INT_TO_BV:
            return f"(_ int2bv {term.sort.width})"
        case _:
            return term.op.value


def print_term(term: Term) -> str:
    """One term, without declarations."""
    return _Printer().scope(term)


class _Printer:
    """Prints terms, keeping the number of names it gave so that no name is given twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._names = 0
        self._taken = frozenset(taken)
