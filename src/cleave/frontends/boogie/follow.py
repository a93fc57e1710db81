"""Expressions, second half: what may come after an operand, and the operators and brackets that wait for it.

    a + b * c)        at the ``)``: BINARY *, BINARY +, then the bracket closes

Operators and open brackets wait on ``pending``; whatever binds tighter than the next operator is written out first.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.cursor import Cursor
from cleave.frontends.boogie.lexer import Source


class Pending(NamedTuple):
    """An operator or bracket that waits for what is on its right."""

    level: int  # 0 for a bracket; the higher, the tighter
    kind: str
    at: int
    operands: int = 0
    detail: object = None


BRACKET, PREFIX, _IMPLICATION, _JUNCTION, _RELATION, UNARY_LEVEL = 0, 1, 3, 4, 5, 10
LEVELS = {
    "<==>": 2, "==>": 3, "<==": 3, "&&": 4, "||": 4,
    "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "<:": 5,
    "++": 6, "+": 7, "-": 7, "*": 8, "/": 8, "div": 8, "mod": 8, "**": 9,
}  # fmt: skip
_RIGHT = frozenset(("==>", "**"))
_CLOSERS = {"(": "')'", "call": "')'", "old": "')'", "cast": "')'", "[": "']'", "[:=": "']'", "{": "'}'"} | {
    "record": "'}'",
    "changed": "')'",
}


class FollowParser(Cursor):
    """Writes ``code`` from what is ``pending``, as the tokens after an operand tell."""

    code: s.Code
    pending: list[Pending]

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.trigger_functions: Counter[str] = Counter()
        self.open_triggers = 0
        self._after_call = -1  # the token after the last call

    def next_trigger(self) -> bool:
        self.attributes()
        if self.tokens[self.at] == "{":
            self.pending.append(Pending(BRACKET, "{", self.at, 1))
            self.open_triggers += 1
            self.at += 1
        return True

    def follow(self) -> bool | None:
        """True: an operand is expected next; None: another operator or closing bracket; false: the end."""
        token = self.tokens[self.at]
        level = LEVELS.get(token)
        if level is not None:
            self._operator(token, level)
            return True
        special = _FOLLOWERS.get(token)
        if special is not None:
            return special(self, token)
        return self._end()

    def _operator(self, token: str, level: int) -> None:
        pending = self.pending
        at = self.at
        while pending and pending[-1][0] > level:
            self._reduce()
        count = 2
        if pending and pending[-1].level == level:
            top = pending[-1]
            if level == _RELATION:
                raise self.source.error(at, f"'{top.kind}' and '{token}' need parentheses: comparisons do not chain")
            if level in (_IMPLICATION, _JUNCTION) and top.kind != token:
                raise self.source.error(at, f"'{top.kind}' and '{token}' need parentheses when they are mixed")
            if level == _JUNCTION:
                count = top.operands + 1
                at = top.at
                pending.pop()
            elif token not in _RIGHT:
                self._reduce()
        pending.append(Pending(level, token, at, count))
        self.at += 1

    def _reduce(self) -> None:
        """Writes out the operator on top of ``pending``."""
        level, kind, at, count, detail = self.pending.pop()
        if level == _JUNCTION:
            self.code.append((s.NARY, at, (kind, count)))
        elif level == UNARY_LEVEL:
            self.code.append((s.UNARY, at, kind))
        elif level != PREFIX:
            self.code.append((s.BINARY, at, kind))
        elif kind == "else":
            self.code.append((s.ITE, at, None))
        elif kind == "quantifier":
            self.code.append((s.QUANTIFY, at, detail))
        else:
            self.code.append((s.LET_END, at, count))

    def _bracket(self) -> Pending | None:
        """Writes out operators up to the innermost open bracket, which stays; None when none is open."""
        pending = self.pending
        while pending:
            top = pending[-1]
            if not top[0]:
                return top
            self._reduce()
        return None

    def _end(self) -> bool:
        if not self.pending:
            return False
        bracket = self._bracket()
        if bracket is not None:
            expected = {"if": "'then'", "then": "'else'", "let": "';'"}.get(bracket.kind) or _CLOSERS[bracket.kind]
            self.fail(f"an operator or {expected}")
        return False

    def _close(self, token: str) -> bool | None:
        bracket = self._bracket()
        if bracket is None:
            return False
        _, kind, at, count, detail = bracket
        if kind == "call":
            self.code.append((s.CALL, at, (detail, count)))
            self._after_call = self.at + 1
        elif kind == "old":
            self.code.append((s.OLD_END, at, None))
        elif kind == "cast":
            self.code.append((s.CAST, at, detail))
        elif kind == "changed":
            self.code.append((s.CHANGED, at, detail))
        elif kind != "(":
            return self._end()
        self.pending.pop()
        self.at += 1
        return None

    def _comma(self, token: str) -> bool | None:
        bracket = self._bracket()
        if bracket is None:
            return False
        if bracket.kind == "record":
            self.at += 1
            self._field_name(bracket)
            return True
        if bracket.kind not in ("call", "[", "{", "let"):
            return self._end()
        level, kind, at, operands, detail = bracket
        self.pending[-1] = Pending(level, kind, at, operands + 1, detail)
        self.at += 1
        return True

    def _index(self, token: str) -> bool | None:
        at = self.at
        self.at += 1
        if self.tokens[self.at] == "]":  # of a map without indices
            self.at += 1
            self.code.append((s.SELECT, at, 0))
            return None
        if self.accept(":="):
            self.pending.append(Pending(BRACKET, "[:=", at, 0))
            return True
        self.pending.append(Pending(BRACKET, "[", at, 1))
        return True

    def _close_index(self, token: str) -> bool | None:
        bracket = self._bracket()
        if bracket is None or bracket.kind not in ("[", "[:="):
            return self._end()
        operation = s.SELECT if bracket.kind == "[" else s.STORE
        self.code.append((operation, bracket.at, bracket.operands))
        self.pending.pop()
        self.at += 1
        return None

    def _becomes(self, token: str) -> bool:
        bracket = self._bracket()
        if bracket is None or bracket.kind != "[":
            return self._end()
        self.pending[-1] = bracket._replace(kind="[:=")
        self.at += 1
        return True

    def _then(self, token: str) -> bool:
        bracket = self._bracket()
        if bracket is None or bracket.kind != "if":
            return self._end()
        self.pending[-1] = bracket._replace(kind="then")
        self.at += 1
        return True

    def _else(self, token: str) -> bool:
        bracket = self._bracket()
        if bracket is None or bracket.kind != "then":
            return self._end()
        self.pending[-1] = Pending(PREFIX, "else", bracket.at)
        self.at += 1
        return True

    def _semicolon(self, token: str) -> bool:
        bracket = self._bracket()
        if bracket is None or bracket.kind != "let":
            return self._end()
        names = bracket.detail
        assert isinstance(names, list)
        if bracket.operands != len(names):
            self.fail(f"{len(names)} values between ':=' and ';'")
        self.code.append((s.LET_BEGIN, bracket.at, names))
        self.pending[-1] = Pending(PREFIX, "let body", bracket.at, len(names))
        self.at += 1
        return True

    def _field_name(self, record: Pending) -> None:
        assert isinstance(record.detail, list)
        record.detail.append(self.name("the name of a field"))
        self.expect(":")

    def _close_trigger(self, token: str) -> bool | None:
        bracket = self._bracket()
        if bracket is not None and bracket.kind == "record":
            self.code.append((s.RECORD, bracket.at, bracket.detail))
            self.pending.pop()
            self.at += 1
            return None
        if bracket is None or bracket.kind != "{":
            return self._end()
        self.code.append((s.TRIGGER, bracket.at, bracket.operands))
        self.pending.pop()
        self.open_triggers -= 1
        self.at += 1
        return self.next_trigger()

    def _field(self, token: str) -> bool | None:
        """``p!base``; ``e->f``, and ``e->(f := v)``"""
        at = self.at
        self.at += 1
        if token == "->" and self.accept("("):
            name = self.name("the name of a field")
            self.expect(":=")
            self.pending.append(Pending(BRACKET, "changed", at, 0, name))
            return True
        self.code.append((s.FIELD, at, self.name("the name of a field")))
        return None

    def _is(self, token: str) -> None:
        at = self.at
        self.at += 1
        self.code.append((s.IS, at, self.name("the name of a constructor")))

    def _colon(self, token: str) -> None:
        """``x[8:0]`` takes bits out of a bit vector; ``e: T`` says that e has type T."""
        top = self.pending[-1] if self.pending else None
        at = self.at
        if top is not None and top.kind == "[" and top.operands == 1 and self.code[-1][0] == s.NUMBER:
            end, start = self.code.pop()[2], self.tokens[at + 1]
            if not start.isdigit() or not end.isdigit():
                self.fail("the number of a bit", at + 1)
            self.at = at + 2
            self.expect("]")
            self.pending.pop()
            self.code.append((s.EXTRACT, top.at, (end, start)))
            return
        self.at += 1
        self.types.append(self.type())
        if self.code[-1][0] == s.CALL and at == self._after_call:
            operation, place, detail = self.code[-1]
            self.code[-1] = (operation, place, (detail[0], detail[1], self.types[-1]))
        self.code.append((s.COERCE, at, self.types[-1]))


_FOLLOWERS = {
    ")": FollowParser._close,
    ",": FollowParser._comma,
    "[": FollowParser._index,
    "]": FollowParser._close_index,
    ":=": FollowParser._becomes,
    "then": FollowParser._then,
    "else": FollowParser._else,
    ";": FollowParser._semicolon,
    "}": FollowParser._close_trigger,
    ":": FollowParser._colon,
    "!": FollowParser._field,
    "->": FollowParser._field,
    "is": FollowParser._is,
}
