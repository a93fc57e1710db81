"""Reads the text form of programs that `text` prints: ``read_program(print_program(p)) == p``.

Used by tests and golden cases. What is printed without locations is read without them. Errors are `InputError` with
the line and column in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Check,
    Clause,
    Havoc,
    Join,
    Procedure,
    Program,
    Property,
    Self,
    Spawn,
    Statement,
    old,
)
from cleave.ir.term_reader import TermReader, read_expression, read_sort
from cleave.ir.tokens import Cursor, tokens_of
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function, Term, var

R = TypeVar("R")


def read_program(text: str) -> Program:
    """The program that ``text`` shows."""
    return _Reader(Cursor(tokens_of(text))).program()


@dataclass(slots=True)
class _Reader:
    cursor: Cursor
    globals: list[Term] = field(default_factory=list)
    constants: list[Term] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    axioms: list[Term] = field(default_factory=list)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    property: Property = Property.ASSERTIONS
    checked: dict[str, int] = field(default_factory=dict)
    scope: dict[str, Term] = field(default_factory=dict)

    def program(self) -> Program:
        while self.cursor.token.kind != "end":
            self._declaration()
        return Program(
            globals=tuple(self.globals),
            constants=tuple(self.constants),
            functions=tuple(self.functions.values()),
            axioms=tuple(self.axioms),
            procedures=self.procedures,
            property=self.property,
            checked=self.checked,
        )

    # --- declarations -----------------------------------------------------------------------------------------------

    def _declaration(self) -> None:
        token = self.cursor.take()
        match token.text:
            case "property":
                self.property = Property(self.cursor.name())
            case "checked":
                self.checked.update(self._separated(lambda: (self.cursor.name(), self.cursor.number())))
            case "var":
                self.globals.append(self._variable())
            case "const":
                self.constants.append(self._variable())
            case "function":
                function = self._function()
                self.functions[function.name] = function
            case "axiom":
                self._shared_scope()
                self.axioms.append(self._term())
            case "proc":
                procedure = self._procedure()
                self.procedures[procedure.name] = procedure
            case _:
                raise token.error(f"a declaration expected, not {token.text!r}")
        self.cursor.end_of_line()

    def _function(self) -> Function:
        name = self.cursor.name()
        arguments = self._parenthesised(self._sort)
        self.cursor.expect("->")
        return Function(name, tuple(arguments), self._sort())

    def _variable(self) -> Term:
        name = self.cursor.name()
        self.cursor.expect(":")
        return var(name, self._sort())

    def _sort(self) -> Sort:
        return read_sort(read_expression(self.cursor))

    def _shared_scope(self) -> None:
        self.scope = {variable.name: variable for variable in (*self.globals, *self.constants)}
        self._declare(old(variable) for variable in self.globals)

    def _declare(self, variables: Iterable[Term]) -> None:
        self.scope.update((variable.name, variable) for variable in variables)

    # --- procedures -------------------------------------------------------------------------------------------------

    def _procedure(self) -> Procedure:
        cursor = self.cursor
        self._shared_scope()
        name = cursor.name()
        parameters = tuple(self._parenthesised(self._variable))
        cursor.expect("->")
        returns = tuple(self._parenthesised(self._variable))
        self._declare((*parameters, *returns))
        marks = self._attributes()
        cursor.expect("{")
        location = cursor.location()
        cursor.end_of_line()
        requires, ensures, modifies, own = self._contract()
        blocks = {}
        while not cursor.at("}"):
            block = self._block()
            blocks[block.label] = block
        cursor.expect("}")
        return Procedure(
            name=name,
            parameters=parameters,
            returns=returns,
            locals=tuple(own),
            requires=tuple(requires),
            ensures=tuple(ensures),
            modifies=tuple(modifies),
            blocks=blocks,
            is_entry="entry" in marks,
            is_loop="loop" in marks,
            extra_recursion=marks.get("extra_recursion", 0),
            location=location,
        )

    def _attributes(self) -> dict[str, int]:
        found: dict[str, int] = {}
        if self.cursor.take_if("["):
            while not self.cursor.take_if("]"):
                name = self.cursor.name()
                found[name] = self.cursor.number() if name == "extra_recursion" else 1
                self.cursor.take_if(",")
        return found

    def _contract(self) -> tuple[list[Clause], list[Clause], list[Term], list[Term]]:
        requires: list[Clause] = []
        ensures: list[Clause] = []
        modifies: list[Term] = []
        own: list[Term] = []
        while self.cursor.following.text != ":" and not self.cursor.at("}"):
            token = self.cursor.take()
            match token.text:
                case "requires":
                    requires.append(self._clause())
                case "ensures":
                    ensures.append(self._clause())
                case "modifies":
                    modifies.extend(self._terms())
                case "local":
                    own.append(self._variable())
                    self._declare(own)
                case _:
                    raise token.error(f"a contract or a block expected, not {token.text!r}")
            self.cursor.end_of_line()
        return requires, ensures, modifies, own

    def _clause(self) -> Clause:
        free = self.cursor.at("free") and self.cursor.following.kind not in ("newline", "string", "location")
        if free:
            self.cursor.take()
        condition = self._term()
        return Clause(condition, free, self.cursor.string_or(""), self.cursor.location())

    def _block(self) -> Block:
        cursor = self.cursor
        label = cursor.name()
        cursor.expect(":")
        location = cursor.location()
        cursor.end_of_line()
        statements = []
        while not self._at_exit():
            statements.append(self._statement())
            cursor.end_of_line()
        successors = self._separated(cursor.name) if cursor.take().text == "goto" else []
        cursor.end_of_line()
        return Block(label, tuple(statements), tuple(successors), location)

    def _at_exit(self) -> bool:
        following = self.cursor.following
        if self.cursor.at("return"):
            return following.kind == "newline"
        return self.cursor.at("goto") and following.kind in ("symbol", "quoted")

    # --- statements -------------------------------------------------------------------------------------------------

    def _statement(self) -> Statement:
        cursor = self.cursor
        if cursor.token.kind == "assign" or cursor.following.kind == "assign" or cursor.following.text == ",":
            targets = self._terms()
            cursor.expect(":=")
            return Assign(tuple(targets), tuple(self._terms()), cursor.location())
        token = cursor.take()
        match token.text:
            case "assume":
                return Assume(self._term(), cursor.location())
            case "assert":
                return self._assert()
            case "havoc":
                havocked, function = self._terms(), cursor.string_or("")
                return Havoc(tuple(havocked), cursor.location(), function)
            case "call":
                callee = cursor.name()
                arguments = tuple(self._parenthesised(self._term))
                cursor.expect("->")
                return Call(callee, arguments, tuple(self._parenthesised(self._term)), cursor.location())
            case "spawn":
                return self._spawn()
            case "join":
                return Join(self._term(), cursor.location())
            case "self":
                return Self(self._term(), cursor.location())
            case "atomic":
                kind = AtomicBegin if cursor.take_if("begin") else AtomicEnd
                if kind is AtomicEnd:
                    cursor.expect("end")
                return kind(cursor.location())
        raise token.error(f"a statement expected, not {token.text!r}")

    def _assert(self) -> Assert:
        cursor = self.cursor
        condition, message = self._term(), cursor.string_or("assertion")
        check = Check(cursor.name(), cursor.number()) if cursor.take_if("check") else None
        values = tuple(self._parenthesised(self._term)) if cursor.take_if("values") else ()
        return Assert(condition, message, cursor.location(), check, values)

    def _spawn(self) -> Spawn:
        cursor = self.cursor
        procedure = cursor.name()
        arguments = tuple(self._parenthesised(self._term))
        cursor.expect("->")
        place = cursor.token
        results = self._parenthesised(self._term)
        if len(results) > 1:
            raise place.error("a spawn has one result or none")
        return Spawn(procedure, arguments, results[0] if results else None, cursor.location())

    def _term(self) -> Term:
        return TermReader(self.functions).read(self.cursor, self.scope)

    def _terms(self) -> list[Term]:
        """Terms up to the end of the line, the location or a text or ``:=``; maybe none."""
        if self.cursor.token.kind in ("newline", "location", "assign", "string"):
            return []
        return self._separated(self._term)

    def _separated(self, read: Callable[[], R]) -> list[R]:
        found = [read()]
        while self.cursor.take_if(","):
            found.append(read())
        return found

    def _parenthesised(self, read: Callable[[], R]) -> list[R]:
        self.cursor.expect("(")
        found = [] if self.cursor.at(")") else self._separated(read)
        self.cursor.expect(")")
        return found
