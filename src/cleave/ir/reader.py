"""Reads the text form of programs that `text` prints: ``read_program(print_program(p)) == p``.

Used by tests and golden cases. What is printed without locations is read without them. Errors are `InputError` with
the line and column in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    Fence,
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
from cleave.ir.store_buffers import MODELS, StoreBuffers
from cleave.ir.tokens import Cursor
from cleave.logic.sexpr import Node, Script
from cleave.logic.smtlib_operators import OPERATORS
from cleave.logic.smtlib_reader import TermReader
from cleave.logic.smtlib_scope import Meaning, Scope
from cleave.logic.sorts import Sort, uninterpreted
from cleave.logic.symbols import symbol, word_name
from cleave.logic.terms import Function, Term, var

R = TypeVar("R")


def read_program(text: str, file: str = "") -> Program:
    """The program that ``text`` shows."""
    return _Reader(Cursor(text, file)).program()


class _Scope(Scope):
    """A program's names. Variables and functions may have the same; a sort that nobody declared is uninterpreted."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: dict[str, Function] = {}

    def meaning(self, word: str) -> Meaning | None:
        name = symbol(word_name(word))
        return self.table.get(word) or self.table.get(name) or self.functions.get(name)

    def applied(self, word: str) -> Meaning | None:
        return self.functions.get(word if word in OPERATORS else symbol(word_name(word)))

    def sort(self, script: Script, node: Node, depth: int = 0) -> Sort:
        if isinstance(node, int) and script.word(node) not in self.sorts:
            return uninterpreted(word_name(script.word(node)))
        return super().sort(script, node, depth)


class _Reader:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.scope = _Scope()
        self.terms = TermReader(cursor.script, self.scope, keeps_names=True)
        self.globals: list[Term] = []
        self.constants: list[Term] = []
        self.functions: list[Function] = []
        self.axioms: list[Term] = []
        self.procedures: dict[str, Procedure] = {}
        self.property = Property.ASSERTIONS
        self.checked: dict[str, int] = {}
        self.assumptions: list[str] = []
        self.left_out: list[str] = []
        self.store_buffers: StoreBuffers | None = None

    def program(self) -> Program:
        while self.cursor.token.kind != "end":
            self._declaration()
        return Program(
            globals=tuple(self.globals),
            constants=tuple(self.constants),
            functions=tuple(self.functions),
            axioms=tuple(self.axioms),
            procedures=self.procedures,
            property=self.property,
            checked=self.checked,
            assumptions=tuple(self.assumptions),
            left_out=tuple(self.left_out),
            store_buffers=self.store_buffers,
        )

    # --- declarations -----------------------------------------------------------------------------------------------

    def _declaration(self) -> None:
        token = self.cursor.take()
        match token.text:
            case "assumption":
                self.assumptions.append(self.cursor.string_or(""))
            case "left-out":
                self.left_out.append(self.cursor.string_or(""))
            case "property":
                self.property = Property(self.cursor.name())
            case "checked":
                self.checked.update(self._separated(lambda: (self.cursor.name(), self.cursor.number())))
            case "var":
                self.globals.append(self._variable())
            case "buffered":
                self.store_buffers = self._store_buffers()
            case "const":
                self.constants.append(self._variable())
            case "function":
                self.functions.append(self._function())
                self.scope.functions[symbol(self.functions[-1].name)] = self.functions[-1]
            case "axiom":
                self._shared_scope()
                self.axioms.append(self._term())
            case "proc":
                procedure = self._procedure()
                self.procedures[procedure.name] = procedure
            case _:
                raise self.cursor.error(f"a declaration expected, not {token.text!r}", token)
        self.cursor.end_of_line()

    def _store_buffers(self) -> StoreBuffers:
        token = self.cursor.token
        name = self.cursor.name()
        for model in MODELS:
            if name == model:
                self._shared_scope()
                return StoreBuffers(model, tuple(self._terms()))
        raise self.cursor.error(f"{' or '.join(MODELS)} expected, not {name!r}", token)

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
        return self.scope.sort(self.cursor.script, self.cursor.expression())

    def _shared_scope(self) -> None:
        self.scope.table.clear()
        self._declare((*self.globals, *self.constants, *map(old, self.globals)))

    def _declare(self, variables: Iterable[Term]) -> None:
        self.scope.table.update((symbol(variable.name), variable) for variable in variables)

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
                    raise self.cursor.error(f"a contract or a block expected, not {token.text!r}", token)
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
            case "fence":
                stores_only = cursor.take_if("stores")
                if not stores_only:
                    cursor.expect("full")
                return Fence(stores_only, cursor.location())
        raise cursor.error(f"a statement expected, not {token.text!r}", token)

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
            raise cursor.error("a spawn has one result or none", place)
        return Spawn(procedure, arguments, results[0] if results else None, cursor.location())

    def _term(self) -> Term:
        return self.terms.read(self.cursor.expression())

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
