r"""Tokens to Prolog terms: one for each clause of a file.

    >>> [show(clause) for clause in read_terms(Source("p(X) :- X = 1+2*3, q. q.", "a.pl"))]
    ['p(X):-((X=(1+(2*3))),q)', 'q']

An operator-precedence parser with a stack of open brackets: nothing recurses, however deep the text is nested. Within
one bracket, operands and operators that still wait for their right side lie on two stacks of their own.
"""

from __future__ import annotations

import re
from dataclasses import field
from fractions import Fraction

from cleave.frontends.transitions.prolog.operators import INFIX, PREFIX, Operator
from cleave.frontends.transitions.prolog.syntax import CONS, NIL, Compound, Number, Prolog, Variable, show
from cleave.frontends.transitions.prolog.tokens import Source, Token, read_tokens
from cleave.records import dataclass

__all__ = ["read_terms", "show"]

_CLOSING = {"(": ")", "f(": ")", "[": "]", "[|": "]", "{": "}"}
_ESCAPES = {"n": "\n", "t": "\t", "\n": "", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_MAX_DIGITS = 4000
_WHOLE, _ARGUMENT = 1200, 999


@dataclass(slots=True)
class _Waiting:
    """An operator whose right side is still to come."""

    name: str
    operator: Operator
    prefix: bool
    offset: int


@dataclass(slots=True)
class _Bracket:
    """What was read since an opening bracket; ``kind`` is "" for a whole clause, ``f(`` for arguments of ``name``."""

    kind: str
    offset: int
    limit: int
    name: str = ""
    start: int = 0  # of the name
    finished: list[Prolog] = field(default_factory=list)  # arguments or elements before the current one
    operands: list[Prolog] = field(default_factory=list)
    waiting: list[_Waiting] = field(default_factory=list)


def read_terms(source: Source) -> list[Prolog]:
    """The clauses and directives of a text, in order. Raises `InputError` with the place."""
    parser = _Parser(source)
    terms = []
    while not parser.at_end():
        terms.append(parser.clause())
    return terms


class _Parser:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._tokens = read_tokens(source)
        self._at = 0
        self._anonymous = 0
        self._open: list[_Bracket] = []

    def at_end(self) -> bool:
        return self._tokens[self._at].kind == "end"

    def clause(self) -> Prolog:
        self._open = [_Bracket("", self._tokens[self._at].offset, _WHOLE)]
        operand_next = True
        while True:
            token = self._tokens[self._at]
            if token.kind in ("stop", "end"):
                break
            self._at += 1
            operand_next = self._operand(token) if operand_next else self._after_operand(token)
        current = self._open[-1]
        if token.kind == "end" and len(self._open) == 1:
            raise self._source.error(current.offset, "the clause that starts here has no . at its end")
        if len(self._open) > 1:
            raise self._source.error(current.offset, "this bracket is never closed")
        if operand_next:
            raise self._source.error(token.offset, "a term expected before the .")
        self._at += 1
        return self._whole(current)

    # --- where an operand is expected: each method says whether one still is ----------------------------------------

    def _operand(self, token: Token) -> bool:
        following = self._tokens[self._at]
        match token.kind:
            case "number":
                return self._push(Number(self._number(token), token.offset))
            case "variable":
                return self._push(Variable(self._variable_name(token), token.offset))
            case "punctuation" if token.text in "([{":
                return self._open_bracket(token, following)
            case "punctuation":
                return self._unexpected(token)
        name = self._unquoted(token)
        if following.text == "(" and not following.after_layout:
            self._at += 1
            self._open.append(_Bracket("f(", following.offset, _ARGUMENT, name, token.offset))
            return True
        if token.kind != "symbol" and token.kind != "atom":
            return self._push(Compound(name, (), token.offset))
        if name == "-" and following.kind == "number" and not following.after_layout:
            self._at += 1
            return self._push(Number(-self._number(following), token.offset))
        if name in PREFIX and self._starts_a_term(following):
            self._open[-1].waiting.append(self._prefix(name, token))
            return True
        return self._push(Compound(name, (), token.offset))

    def _push(self, term: Prolog) -> bool:
        self._open[-1].operands.append(term)
        return False

    def _open_bracket(self, token: Token, following: Token) -> bool:
        if token.text != "(" and following.text == _CLOSING[token.text] and following.kind == "punctuation":
            self._at += 1
            return self._push(Compound(token.text + following.text, (), token.offset))
        self._open.append(_Bracket(token.text, token.offset, _ARGUMENT if token.text == "[" else _WHOLE))
        return True

    def _prefix(self, name: str, token: Token) -> _Waiting:
        operator = PREFIX[name]
        self._check(operator, token)
        return _Waiting(name, operator, True, token.offset)

    def _starts_a_term(self, token: Token) -> bool:
        """Whether what follows a prefix operator is its operand, and it is not an atom itself, as in ``[-]``."""
        if token.kind == "punctuation":
            return token.text in "([{"
        return token.kind not in ("stop", "end") and (token.text not in INFIX or token.text in PREFIX)

    def _unexpected(self, token: Token) -> bool:
        raise self._source.error(token.offset, f"a term expected, not {token.text}")

    # --- where an operator or the end of a bracket is expected ------------------------------------------------------

    def _after_operand(self, token: Token) -> bool:
        current = self._open[-1]
        separates = current.kind in ("f(", "[")
        if token.kind == "punctuation" and token.text == "," and separates:
            current.finished.append(self._whole(current))
            return True
        if token.kind == "punctuation" and token.text == "|" and current.kind == "[":
            current.finished.append(self._whole(current))
            current.kind = "[|"
            return True
        if token.kind == "punctuation" and token.text in ")]}":
            self._close(token)
            return False
        if token.text not in INFIX or token.kind not in ("symbol", "atom", "punctuation"):
            message = f"an operator or the end of the clause expected, not {token.text[:40]}"
            raise self._source.error(token.offset, message)
        operator = INFIX[token.text]
        self._reduce(current, operator.left)
        self._check(operator, token)
        current.waiting.append(_Waiting(token.text, operator, False, token.offset))
        return True

    def _check(self, operator: Operator, token: Token) -> None:
        """An operator fits below the one before it, or below the bracket that it stands in."""
        current = self._open[-1]
        limit = current.waiting[-1].operator.right if current.waiting else current.limit
        if operator.priority > limit:
            raise self._source.error(token.offset, f"the operator {token.text} needs parentheses here")

    def _close(self, token: Token) -> None:
        current = self._open[-1]
        if _CLOSING.get(current.kind) != token.text:
            outside = len(self._open) == 1
            message = f"this {token.text} closes nothing" if outside else f"{_CLOSING[current.kind]} expected"
            raise self._source.error(token.offset, message)
        inner = self._whole(current)
        self._open.pop()
        self._push(_bracketed(current, inner))

    # --- operators and their sides ----------------------------------------------------------------------------------

    def _whole(self, current: _Bracket) -> Prolog:
        self._reduce(current, _WHOLE)
        return current.operands.pop()

    def _reduce(self, current: _Bracket, priority: int) -> None:
        """Gives the operators up to ``priority`` what they waited for."""
        while current.waiting and current.waiting[-1].operator.priority <= priority:
            done = current.waiting.pop()
            count = 1 if done.prefix else 2
            arguments = tuple(current.operands[-count:])
            del current.operands[-count:]
            current.operands.append(Compound(done.name, arguments, done.offset))

    # --- words ------------------------------------------------------------------------------------------------------

    def _variable_name(self, token: Token) -> str:
        if token.text != "_":
            return token.text
        self._anonymous += 1
        return f"_!{self._anonymous}"

    def _number(self, token: Token) -> int | Fraction:
        text = token.text
        mantissa, _, exponent = text.lower().partition("e") if "." in text else (text, "", "")
        if len(mantissa) > _MAX_DIGITS or len(exponent) > 4:
            raise self._source.error(token.offset, f"a number of more than {_MAX_DIGITS} digits")
        if text[:2] in ("0x", "0o", "0b"):
            return int(text, 0)
        if "." not in text:
            return int(text)
        return Fraction(mantissa) * Fraction(10) ** int(exponent or "0")

    def _unquoted(self, token: Token) -> str:
        if token.kind == "quoted":
            inner = token.text[1:-1].replace("''", "'")
            return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), inner, flags=re.DOTALL)
        return token.text


def _bracketed(bracket: _Bracket, inner: Prolog) -> Prolog:
    """The term that a closed bracket is, with ``inner`` as the last thing in it."""
    if bracket.kind == "(":
        return inner
    if bracket.kind == "{":
        return Compound("{}", (inner,), bracket.offset)
    if bracket.kind == "f(":
        return Compound(bracket.name, (*bracket.finished, inner), bracket.start)
    tail = inner if bracket.kind == "[|" else Compound(NIL, (), bracket.offset)
    items = bracket.finished if bracket.kind == "[|" else [*bracket.finished, inner]
    for item in reversed(items):
        tail = Compound(CONS, (item, tail), bracket.offset)
    return tail
