"""Statements: a body becomes one flat list, with its structure as brackets.

    L: while (c) invariant i; { x := x + 1; }        Label L, While c [i], Assign, EndWhile

Open ``if`` and ``while`` wait on a stack of the parser's own, so that nesting may be as deep as it likes.
"""

from __future__ import annotations

from typing import NoReturn

from cleave.frontends.boogie.expressions import ExpressionParser
from cleave.frontends.boogie.syntax import (
    Assert,
    Assign,
    Assume,
    Async,
    Atomic,
    Attributes,
    Body,
    Break,
    Call,
    Code,
    Else,
    EndAtomic,
    EndIf,
    EndWhile,
    Fork,
    Goto,
    Havoc,
    If,
    Join,
    Label,
    Par,
    Return,
    Specification,
    Statement,
    Target,
    Unpack,
    Variable,
    While,
    Yield,
)

_MOST_INNER = 20  # each is a call of the parser within itself
_VISIBILITY = frozenset(("hide", "reveal", "push", "pop"))
_AFTER_TARGET = frozenset((":=", ",", "[", "!", "->"))


class StatementParser(ExpressionParser):
    """Adds `body` to the expression parser."""

    statements: list[Statement]
    depth = 0  # of code expressions
    free_calls: list[Call]
    open: list[str]  # how each open brace ends: "if", "else", "else if" (also ends the if around it), "while", "atomic"

    def body(self) -> Body:
        self.expect("{")
        return self._rest_of_body()

    def inner_body(self) -> Body:
        """Of a code expression, up to its ``}|``."""
        if self.depth >= _MOST_INNER:
            raise self.source.unsupported(self.at, f"code expressions are nested at most {_MOST_INNER} deep here")
        kept = getattr(self, "statements", []), getattr(self, "open", [])
        self.depth += 1
        found = self._rest_of_body()
        self.depth -= 1
        self.statements, self.open = kept
        return found

    def _rest_of_body(self) -> Body:
        variables: list[Variable] = []
        while self.tokens[self.at] == "var":
            self.at += 1
            variables += self.variables_with_where()
            self.expect(";")
        self.statements = []
        self.open = []
        while self._statement():
            pass
        return Body(variables, self.statements)

    def variables_with_where(self) -> list[Variable]:
        """``x, y: T where e, z: U``"""
        found = self._variables_with_one_where()
        while self.accept(","):
            found += self._variables_with_one_where()
        return found

    def _variables_with_one_where(self) -> list[Variable]:
        found = self.variables_of_one_type()
        if self.accept("where"):
            self.attributes()
            where = self.expression()
            for variable in found:
                variable.where = where
        return found

    def _statement(self) -> bool:
        """Reads one statement or closing brace; false when the brace was the body's own."""
        at = self.at
        token = self.tokens[at]
        follows = self.tokens[at + 1]
        if follows in _AFTER_TARGET and self.is_name(token):
            self._assign()
            return True
        if follows == ":" and self.is_name(token):
            self.at = at + 2
            self.statements.append(Label(at, token.lstrip("\\")))
            return True
        read = _STATEMENTS.get(token)
        if read is not None:
            self.at = at + 1
            read(self, at)
            return True
        self.refuse_measure()
        if self.is_name(token) and (follows == "(" or token in _VISIBILITY):
            self._unpack(at) if follows == "(" else self._visibility()
            return True
        if token == "}":
            self.at = at + 1
            return self._close_brace(at)
        if token == "}|" and self.depth and not self.open:
            self.at = at + 1
            return False
        return self._no_statement(at)

    def _no_statement(self, at: int) -> NoReturn:
        if self.tokens[at] == "var":
            raise self.source.error(at, "variables are declared before the first statement")
        self.fail("a statement" if self.open else "a statement or '}'")

    # --- simple statements ------------------------------------------------------------------------------------------

    def _assign(self) -> None:
        at = self.at
        targets = [self._target()]
        while self.accept(","):
            targets.append(self._target())
        self.expect(":=")
        self.attributes()
        values = [self.expression()]
        while self.accept(","):
            values.append(self.expression())
        if len(values) != len(targets):
            raise self.source.error(at, f"{len(targets)} targets are assigned {len(values)} values")
        self.expect(";")
        self.statements.append(Assign(at, targets, values))

    def _unpack(self, at: int) -> None:
        constructor = self.name()
        self.expect("(")
        targets = self.names("the name of a variable") if self.tokens[self.at] != ")" else []
        self.expect(")")
        self.expect(":=")
        self.attributes()
        self.statements.append(Unpack(at, constructor, targets, self.expression()))
        self.expect(";")

    def _visibility(self) -> None:
        """``hide f; reveal *; push; pop;`` say what a proof may use. All that is true may be used here."""
        if self.tokens[self.at] in ("hide", "reveal"):
            self.at += 1
        self.at += 1
        self.expect(";")

    def _target(self) -> Target:
        at = self.at
        name = self.name("the name of a variable")
        indices: list[list[Code] | str] = []
        while self.tokens[self.at] in ("[", "!", "->"):
            self.at += 1
            if self.tokens[self.at - 1] != "[":
                indices.append(self.name("the name of a field"))
                continue
            group = [self.expression()] if self.tokens[self.at] != "]" else []
            while self.accept(","):
                group.append(self.expression())
            self.expect("]")
            indices.append(group)
        return Target(at, name, indices)

    def _assume(self, at: int) -> None:
        attributes = self.attributes()
        condition = self.expression()
        self.expect(";")
        self.statements.append(Assume(at, attributes, condition))

    def _assert(self, at: int) -> None:
        attributes = self.attributes()
        condition = self.expression()
        self.expect(";")
        self.statements.append(Assert(at, attributes, condition))

    def _havoc(self, at: int) -> None:
        names = self.names("the name of a variable")
        self.expect(";")
        self.statements.append(Havoc(at, names))

    def _goto(self, at: int) -> None:
        self.attributes()
        labels = self.names("a label")
        self.expect(";")
        self.statements.append(Goto(at, labels))

    def _return(self, at: int) -> None:
        self.attributes()
        value = self.expression() if self.depth and self.tokens[self.at] != ";" else None
        self.expect(";")
        self.statements.append(Return(at, value))

    def _break(self, at: int) -> None:
        label = "" if self.tokens[self.at] == ";" else self.name("a label or ';'")
        self.expect(";")
        self.statements.append(Break(at, label))

    def _call(self, at: int) -> None:
        calls = [self._one_call(at)]
        while self.accept("|"):
            calls.append(self._one_call(self.at))
        self.statements.append(calls[0] if len(calls) == 1 else Par(at, calls))
        self.expect(";")

    def _free_call(self, at: int) -> None:
        self.expect("call")
        self.free_calls.append(self._one_call(at))
        self.statements.append(self.free_calls[-1])
        self.expect(";")

    def _one_call(self, at: int) -> Call:
        attributes = self.attributes()
        if self.tokens[self.at] == "forall":
            raise self.source.unsupported(at, "'call forall' is not supported")
        results: list[tuple[int, str]] = []
        if self.tokens[self.at + 1] != "(":
            results.append(self._result())
            while self.accept(","):
                results.append(self._result())
            self.expect(":=")
        return self._callee(at, attributes, results)

    def _callee(self, at: int, attributes: Attributes, results: list[tuple[int, str]]) -> Call:
        name = self.name("the name of a procedure")
        self.expect("(")
        arguments: list[Code | None] = []
        if self.tokens[self.at] != ")":
            arguments.append(self._argument())
            while self.accept(","):
                arguments.append(self._argument())
        self.expect(")")
        return Call(at, attributes, name, results, arguments)

    def _result(self) -> tuple[int, str]:
        at = self.at
        return (at, "*") if self.accept("*") else (at, self.name("the name of a variable"))

    def _argument(self) -> Code | None:
        return None if self.accept("*") else self.expression()

    # --- threads ----------------------------------------------------------------------------------------------------

    def _async(self, at: int) -> None:
        self.expect("call")
        self.statements.append(Async(at, self._one_call(at)))
        self.expect(";")

    def _par(self, at: int) -> None:
        self.accept("call")
        self._call(at)

    def _yield(self, at: int) -> None:
        self.expect(";")
        self.statements.append(Yield(at))

    def _ids(self) -> list[Code]:
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return found

    def _fork(self, at: int) -> None:
        attributes = self.attributes()
        ids = self._ids()
        self.statements.append(Fork(at, ids, self._callee(at, attributes, [])))
        self.expect(";")

    def _join(self, at: int) -> None:
        self.attributes()
        ids = self._ids()
        results = self.names("the name of a variable") if self.accept("assign") else []
        self.expect(";")
        self.statements.append(Join(at, ids, results))

    def _atomic(self, at: int) -> None:
        self.statements.append(Atomic(at))
        self.open.append("atomic")
        self.expect("{")

    # --- structure --------------------------------------------------------------------------------------------------

    def _condition(self) -> Code | None:
        self.expect("(")
        if self.tokens[self.at] == "*" and self.tokens[self.at + 1] == ")":
            self.at += 1
            condition = None
        else:
            condition = self.expression()
        self.expect(")")
        return condition

    def _if_statement(self, at: int) -> None:
        self._begin_if(at, "if")

    def _begin_if(self, at: int, ending: str) -> None:
        self.attributes()
        self.statements.append(If(at, self._condition()))
        self.open.append(ending)
        self.expect("{")

    def _while(self, at: int) -> None:
        self.attributes()
        condition = self._condition()
        self.statements.append(While(at, condition, self._invariants()))
        self.open.append("while")
        self.expect("{")

    def _invariants(self) -> list[Specification]:
        found: list[Specification] = []
        while self.tokens[self.at] in ("invariant", "free"):
            at = self.at
            free = self.accept("free")
            self.expect("invariant")
            attributes: Attributes = self.attributes()
            found.append(Specification(at, free, attributes, self.expression()))
            self.expect(";")
        self.refuse_measure()
        return found

    def refuse_measure(self) -> None:
        if self.tokens[self.at] == "measure" and self.tokens[self.at + 1] != ":":
            raise self.source.unsupported(self.at, "measures (termination) are not checked, and so not supported")

    def _close_brace(self, at: int) -> bool:
        if not self.open:
            return False
        kind = self.open[-1]
        if kind == "atomic":
            self.open.pop()
            self.statements.append(EndAtomic(at))
        elif kind == "while":
            self.open.pop()
            self.statements.append(EndWhile(at))
        elif kind != "else" and self.tokens[self.at] == "else":
            self._begin_else(kind)
        else:
            self._end_if(at)
        return True

    def _begin_else(self, kind: str) -> None:
        at = self.at
        self.at += 1
        self.statements.append(Else(at))
        self.open[-1] = "else" if kind == "if" else "last else"
        if self.accept("if"):
            self.open[-1] = kind
            self._begin_if(at + 1, "else if")
        else:
            self.expect("{")

    def _end_if(self, at: int) -> None:
        """Ends the innermost if, and with it every if whose ``else`` it is."""
        while True:
            kind = self.open.pop()
            self.statements.append(EndIf(at))
            if kind in ("if", "else"):
                return


_STATEMENTS = {
    "assume": StatementParser._assume,
    "assert": StatementParser._assert,
    "havoc": StatementParser._havoc,
    "goto": StatementParser._goto,
    "return": StatementParser._return,
    "break": StatementParser._break,
    "call": StatementParser._call,
    "free": StatementParser._free_call,
    "async": StatementParser._async,
    "par": StatementParser._par,
    "yield": StatementParser._yield,
    "fork": StatementParser._fork,
    "join": StatementParser._join,
    "atomic": StatementParser._atomic,
    "if": StatementParser._if_statement,
    "while": StatementParser._while,
}
