"""Expressions: a precedence parser with its own stack, so that depth costs memory and never Python's stack.

    a + b * c          NAME a, NAME b, NAME c, BINARY *, BINARY +
    old(g) == 1        OLD_BEGIN, NAME g, OLD_END, NUMBER 1, BINARY ==

The parser alternates between two states: it expects an operand, or what may follow one. Operators and open brackets
wait on ``pending``; whatever binds tighter than the next operator is written out first (the shunting yard). A prefix
such as ``else`` or ``forall x ::`` reaches as far right as possible: it waits as an operator that binds loosest.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from cleave.frontends.boogie.cursor import Cursor, is_name
from cleave.frontends.boogie.lexer import Source
from cleave.frontends.boogie.syntax import (
    BINARY,
    BIND,
    BOOLEAN,
    CALL,
    CAST,
    COERCE,
    EXTRACT,
    ITE,
    LET_BEGIN,
    LET_END,
    NAME,
    NARY,
    NUMBER,
    OLD_BEGIN,
    OLD_END,
    QUANTIFY,
    SELECT,
    STORE,
    TRIGGER,
    UNARY,
    Code,
    Quantifier,
    Variable,
)


class Pending(NamedTuple):
    """An operator or bracket that waits for what is on its right."""

    level: int  # 0 for a bracket; the higher, the tighter
    kind: str
    at: int
    operands: int = 0
    detail: object = None


_BRACKET, _PREFIX, _JUNCTION, _RELATION, _POWER, _UNARY = 0, 1, 4, 5, 9, 10
_LEVELS = {
    "<==>": 2, "==>": 3, "<==": 3, "&&": 4, "||": 4,
    "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "<:": 5,
    "++": 6, "+": 7, "-": 7, "*": 8, "/": 8, "div": 8, "mod": 8, "**": 9,
}  # fmt: skip
_RIGHT = frozenset(("==>", "**"))
_DIGITS = frozenset("0123456789")
_ENDS = frozenset((";", ")", ",", "]"))
_CLOSERS = {"(": "')'", "call": "')'", "old": "')'", "cast": "')'", "[": "']'", "[:=": "']'", "{": "'}'"}


class ExpressionParser(Cursor):
    """Adds `expression` to the cursor."""

    code: Code
    pending: list[Pending]

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.trigger_functions: set[str] = set()
        self._open_triggers = 0

    def expression(self) -> Code:
        token = self.tokens[self.at]
        if self.tokens[self.at + 1] in _ENDS and is_name(token):
            self.at += 1
            return [(NAME, self.at - 1, token if token[0] != "\\" else token[1:])]
        self.code = []
        self.pending = []
        follow = self._follow
        operand = self._operand
        while True:
            while operand():
                pass
            while (more := follow()) is None:
                pass
            if not more:
                return self.code

    # --- where an operand is expected -------------------------------------------------------------------------------

    def _operand(self) -> bool:
        """Reads an operand, or what may stand before one; true when an operand is still expected."""
        at = self.at
        token = self.tokens[at]
        self.at = at + 1
        special = _PREFIXES.get(token)
        if special is not None:
            return special(self, token, at)
        if token[:1] in _DIGITS:
            self.code.append((NUMBER, at, token))
            return False
        if not is_name(token):
            self.fail("an expression", at)
        if token[0] == "\\":
            token = token[1:]
        if self.tokens[at + 1] != "(":
            self.code.append((NAME, at, token))
            return False
        self.at = at + 2
        if self.tokens[at + 2] == ")":
            self.at = at + 3
            self.code.append((CALL, at, (token, 0)))
            return False
        if self._open_triggers:
            self.trigger_functions.add(token)
        self.pending.append(Pending(_BRACKET, "call", at, 1, token))
        return True

    def _literal(self, token: str, at: int) -> bool:
        self.code.append((BOOLEAN, at, token == "true"))
        return False

    def _open(self, token: str, at: int) -> bool:
        self.pending.append(Pending(_BRACKET, "(", at))
        return True

    def _sign(self, token: str, at: int) -> bool:
        self.pending.append(Pending(_UNARY, token, at))
        return True

    def _if(self, token: str, at: int) -> bool:
        self.pending.append(Pending(_BRACKET, "if", at))
        return True

    def _old(self, token: str, at: int) -> bool:
        self.expect("(")
        self.code.append((OLD_BEGIN, at, None))
        self.pending.append(Pending(_BRACKET, "old", at))
        return True

    def _cast(self, token: str, at: int) -> bool:
        self.expect("(")
        self.pending.append(Pending(_BRACKET, "cast", at, 0, token))
        return True

    def _quantifier(self, token: str, at: int) -> bool:
        if self.tokens[self.at] == "<":
            raise self.source.unsupported(self.at, "quantifiers over types are not supported")
        variables: list[Variable] = self.variables_of_one_type()
        while self.accept(","):
            variables += self.variables_of_one_type()
        self.expect("::")
        quantifier = Quantifier(token, variables)
        self.code.append((BIND, at, quantifier))
        self.pending.append(Pending(_PREFIX, "quantifier", at, 0, quantifier))
        return self._next_trigger()

    def _next_trigger(self) -> bool:
        self.attributes()
        if self.tokens[self.at] == "{":
            self.pending.append(Pending(_BRACKET, "{", self.at, 1))
            self._open_triggers += 1
            self.at += 1
        return True

    def _let(self, token: str, at: int) -> bool:
        self.attributes()
        names = [name for _, name in self.names("the name of a variable")]
        self.expect(":=")
        self.pending.append(Pending(_BRACKET, "let", at, 1, names))
        return True

    def _lambda(self, token: str, at: int) -> NoReturn:
        raise self.source.unsupported(at, "lambda expressions are not supported")

    def _code_expression(self, token: str, at: int) -> NoReturn:
        raise self.source.unsupported(at, "code expressions are not supported")

    # --- where an operand has just ended ----------------------------------------------------------------------------

    def _follow(self) -> bool | None:
        """True: an operand is expected next; None: another operator or closing bracket; false: the end."""
        token = self.tokens[self.at]
        level = _LEVELS.get(token)
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
        while pending and pending[-1].level > level:
            self._reduce()
        count = 2
        if pending and pending[-1].level == level:
            top = pending[-1]
            if level == _RELATION:
                raise self.source.error(at, f"'{top.kind}' and '{token}' need parentheses: comparisons do not chain")
            if level in (3, _JUNCTION) and top.kind != token:
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
            self.code.append((NARY, at, (kind, count)))
        elif level == _UNARY:
            self.code.append((UNARY, at, kind))
        elif level != _PREFIX:
            self.code.append((BINARY, at, kind))
        elif kind == "else":
            self.code.append((ITE, at, None))
        elif kind == "quantifier":
            self.code.append((QUANTIFY, at, detail))
        else:
            self.code.append((LET_END, at, count))

    def _bracket(self) -> Pending | None:
        """Writes out operators up to the innermost open bracket, which stays; None when none is open."""
        pending = self.pending
        while pending and pending[-1].level:
            self._reduce()
        return pending[-1] if pending else None

    def _end(self) -> bool:
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
            self.code.append((CALL, at, (detail, count)))
        elif kind == "old":
            self.code.append((OLD_END, at, None))
        elif kind == "cast":
            self.code.append((CAST, at, detail))
        elif kind != "(":
            return self._end()
        self.pending.pop()
        self.at += 1
        return None

    def _comma(self, token: str) -> bool | None:
        bracket = self._bracket()
        if bracket is None:
            return False
        if bracket.kind not in ("call", "[", "{", "let"):
            return self._end()
        self.pending[-1] = bracket._replace(operands=bracket.operands + 1)
        self.at += 1
        return True

    def _index(self, token: str) -> bool:
        at = self.at
        self.at += 1
        if self.tokens[self.at] == "]":
            self.fail("an index")
        self.pending.append(Pending(_BRACKET, "[", at, 1))
        return True

    def _close_index(self, token: str) -> bool | None:
        bracket = self._bracket()
        if bracket is None or bracket.kind not in ("[", "[:="):
            return self._end()
        operation = SELECT if bracket.kind == "[" else STORE
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
        self.pending[-1] = Pending(_PREFIX, "else", bracket.at)
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
        self.code.append((LET_BEGIN, bracket.at, names))
        self.pending[-1] = Pending(_PREFIX, "let body", bracket.at, len(names))
        self.at += 1
        return True

    def _close_trigger(self, token: str) -> bool:
        bracket = self._bracket()
        if bracket is None or bracket.kind != "{":
            return self._end()
        self.code.append((TRIGGER, bracket.at, bracket.operands))
        self.pending.pop()
        self._open_triggers -= 1
        self.at += 1
        return self._next_trigger()

    def _colon(self, token: str) -> None:
        """``x[8:0]`` takes bits out of a bit vector; ``e: T`` says that e has type T."""
        top = self.pending[-1] if self.pending else None
        at = self.at
        if top is not None and top.kind == "[" and top.operands == 1 and self.code[-1][0] == NUMBER:
            end, start = self.code.pop()[2], self.tokens[at + 1]
            if not start.isdigit() or not end.isdigit():
                self.fail("the number of a bit", at + 1)
            self.at = at + 2
            self.expect("]")
            self.pending.pop()
            self.code.append((EXTRACT, top.at, (end, start)))
            return
        while self.pending and self.pending[-1].level > _UNARY:
            self._reduce()
        self.at += 1
        self.code.append((COERCE, at, self.type()))


_PREFIXES = {
    "true": ExpressionParser._literal,
    "false": ExpressionParser._literal,
    "(": ExpressionParser._open,
    "-": ExpressionParser._sign,
    "!": ExpressionParser._sign,
    "if": ExpressionParser._if,
    "old": ExpressionParser._old,
    "int": ExpressionParser._cast,
    "real": ExpressionParser._cast,
    "forall": ExpressionParser._quantifier,
    "exists": ExpressionParser._quantifier,
    "var": ExpressionParser._let,
    "lambda": ExpressionParser._lambda,
    "|{": ExpressionParser._code_expression,
}
_FOLLOWERS = {
    ")": ExpressionParser._close,
    ",": ExpressionParser._comma,
    "[": ExpressionParser._index,
    "]": ExpressionParser._close_index,
    ":=": ExpressionParser._becomes,
    "then": ExpressionParser._then,
    "else": ExpressionParser._else,
    ";": ExpressionParser._semicolon,
    "}": ExpressionParser._close_trigger,
    ":": ExpressionParser._colon,
}
