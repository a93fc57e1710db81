"""Expressions: a precedence parser with its own stack, so that depth costs memory and never Python's stack.

    a + b * c          NAME a, NAME b, NAME c, BINARY *, BINARY +
    old(g) == 1        OLD_BEGIN, NAME g, OLD_END, NUMBER 1, BINARY ==

The parser alternates between two states: it expects an operand, or what may follow one. Operators and open brackets
wait on ``pending``; whatever binds tighter than the next operator is written out first (the shunting yard). A prefix
such as ``else`` or ``forall x ::`` reaches as far right as possible: it waits as an operator that binds loosest.
"""

from __future__ import annotations

from typing import NoReturn

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.follow import BRACKET, LEVELS, PREFIX, UNARY_LEVEL, FollowParser, Pending

_SIMPLE = LEVELS.keys() - {"&&", "||"}
_DIGITS = frozenset("0123456789")
_ENDS = frozenset((";", ")", ",", "]"))


class ExpressionParser(FollowParser):
    """Adds `expression` to the cursor."""

    def expression(self) -> s.Code:
        at = self.at
        token, operator, right, end = self.tokens[at : at + 4]
        if operator in _ENDS:
            leaf = self._leaf(token, at)
            if leaf is not None:
                self.at = at + 1
                return [leaf]
        elif end in _ENDS and operator in _SIMPLE:
            leaf = self._leaf(token, at)
            other = self._leaf(right, at + 2)
            if leaf is not None and other is not None:
                self.at = at + 3
                return [leaf, other, (s.BINARY, at + 1, operator)]
        return self._any_expression()

    def _leaf(self, token: str, at: int) -> s.Instruction | None:
        """The instruction for a plain name or number."""
        if token[:1] in _DIGITS:
            return (s.NUMBER, at, token)
        if not self.is_name(token):
            return None
        return (s.NAME, at, token if token[0] != "\\" else token[1:])

    def _any_expression(self) -> s.Code:
        self.code = []
        self.pending = []
        follow = self.follow
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
            self.code.append((s.NUMBER, at, token))
            return False
        if not self.is_name(token):
            self._string(token, at) if token[:1] == '"' else self.fail("an expression", at)
        if token[0] == "\\":
            token = token[1:]
        if self.tokens[at + 1] != "(":
            self.code.append((s.NAME, at, token))
            return False
        self.at = at + 2
        if self.tokens[at + 2] == ")":
            self.at = self._after_call = at + 3
            self.code.append((s.CALL, at, (token, 0)))
            return False
        if self.open_triggers:
            self.trigger_functions[token] += 1
        self.pending.append(Pending(BRACKET, "call", at, 1, token))
        return True

    def _literal(self, token: str, at: int) -> bool:
        self.code.append((s.BOOLEAN, at, token == "true"))
        return False

    def _open(self, token: str, at: int) -> bool:
        self.pending.append(Pending(BRACKET, "(", at))
        return True

    def _sign(self, token: str, at: int) -> bool:
        self.pending.append(Pending(UNARY_LEVEL, token, at))
        return True

    def _if(self, token: str, at: int) -> bool:
        self.pending.append(Pending(BRACKET, "if", at))
        return True

    def _old(self, token: str, at: int) -> bool:
        self.expect("(")
        self.code.append((s.OLD_BEGIN, at, None))
        self.pending.append(Pending(BRACKET, "old", at))
        return True

    def _cast(self, token: str, at: int) -> bool:
        self.expect("(")
        self.pending.append(Pending(BRACKET, "cast", at, 0, token))
        return True

    def _quantifier(self, token: str, at: int) -> bool:
        type_parameters = self.type_parameters()
        variables: list[s.Variable] = []
        if not type_parameters or self.tokens[self.at] != "::":
            variables += self.variables_of_one_type()
        while self.accept(","):
            variables += self.variables_of_one_type()
        self.expect("::")
        quantifier = s.Quantifier(token, variables, type_parameters)
        self.code.append((s.BIND, at, quantifier))
        self.pending.append(Pending(PREFIX, "quantifier", at, 0, quantifier))
        return self.next_trigger()

    def _let(self, token: str, at: int) -> bool:
        self.attributes()
        names = [name for _, name in self.names("the name of a variable")]
        self.expect(":=")
        self.pending.append(Pending(BRACKET, "let", at, 1, names))
        return True

    def _record(self, token: str, at: int) -> bool:
        self.pending.append(Pending(BRACKET, "record", at, 0, []))
        self._field_name(self.pending[-1])
        return True

    def _string(self, token: str, at: int) -> NoReturn:
        raise self.source.unsupported(at, "strings are not supported")

    def _code_expression(self, token: str, at: int) -> bool:
        kept = self.code, self.pending, self.open_triggers
        self.open_triggers = 0
        body = self.inner_body()
        self.code, self.pending, self.open_triggers = kept
        self.code.append((s.CODE, at, s.CodeExpression(at, body)))
        return False

    def inner_body(self) -> s.Body:
        raise NotImplementedError  # statements are the next layer's


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
    "lambda": ExpressionParser._quantifier,
    "{": ExpressionParser._record,
    "|{": ExpressionParser._code_expression,
}
