"""Programs, and a reader of their text: procedures of labelled blocks over terms.

    var g: Int
    proc main() -> () {
      start:
        call inc(1) -> ()
        assert (= g 1) "g is one"
        goto start, done
      done:
        return
    }

One statement is one line. The text has everything that decides a verdict; locations and messages only inform.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from cleave_check.refusal import Unreadable
from cleave_check.sexpr import expressions, name_of, words
from cleave_check.sorts import BOOL, INT, Sort
from cleave_check.term_reader import Function, TermReader, numeral
from cleave_check.terms import Term, below, var

R = TypeVar("R")

_STRING = r'"(?:[^"\\]|\\.)*"'
_LINE_END = re.compile(rf"\s*@ (?:{_STRING}|[\w./+-]+):\d+(?::\d+)?$")
_PIECE = re.compile(rf"{_STRING}|\|[^|]*\||[()\[\]{{}},]|:=|[^\s()\[\]{{}},|\"]+|\s+|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """``kind`` is assume, assert, assign, havoc, call, spawn, join, self, begin or end.

    | kind | targets | terms |
    | --- | --- | --- |
    | assume, assert, join | | the condition, the thread |
    | assign | the variables | their new values |
    | havoc, self | the variables | |
    | call, spawn | the results | the arguments |
    """

    kind: str
    targets: tuple[Term, ...] = ()
    terms: tuple[Term, ...] = ()
    procedure: str = ""
    message: str = ""
    unmodelled: bool = False  # a havoc that only a function which is not modelled could tell more about


@dataclass(frozen=True, slots=True)
class Contract:
    condition: Term
    free: bool


@dataclass(frozen=True, slots=True)
class Block:
    label: str
    statements: tuple[Statement, ...]
    successors: tuple[str, ...]


@dataclass(slots=True)
class Procedure:
    name: str
    parameters: tuple[Term, ...]
    returns: tuple[Term, ...]
    locals: list[Term] = field(default_factory=list)
    requires: list[Contract] = field(default_factory=list)
    ensures: list[Contract] = field(default_factory=list)
    modifies: list[Term] = field(default_factory=list)
    blocks: dict[str, Block] = field(default_factory=dict)
    extra_recursion: int = 0

    @property
    def first(self) -> Block:
        return next(iter(self.blocks.values()))

    def statements(self) -> Iterator[Statement]:
        for block in self.blocks.values():
            yield from block.statements


@dataclass(slots=True)
class Program:
    """``old`` gives, for a global, the variable that holds its value when a procedure was entered, where it is used."""

    ends: bool = False  # a violation is that the entry returns
    checked: dict[str, int] = field(default_factory=dict)
    globals: list[Term] = field(default_factory=list)
    constants: list[Term] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    axioms: list[Term] = field(default_factory=list)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    old: dict[Term, Term] = field(default_factory=dict)

    @property
    def has_threads(self) -> bool:
        kinds = ("spawn", "join", "self", "begin", "end")
        return any(s.kind in kinds for p in self.procedures.values() for s in p.statements())


def read_program(text: str) -> Program:
    program = _Reader(text).program()
    _check(program)
    used = set(map(id, below(_terms_of(program))))
    program.old = {variable: old for variable, old in program.old.items() if id(old) in used}
    return program


def _terms_of(program: Program) -> Iterator[Term]:
    for procedure in program.procedures.values():
        yield from (clause.condition for clause in (*procedure.requires, *procedure.ensures))
        for statement in procedure.statements():
            yield from statement.terms


class _Line:
    """The words of one line; a term is a run of words."""

    def __init__(self, text: str) -> None:
        self.words: list[str] = []
        for match in _PIECE.finditer(_LINE_END.sub("", text)):
            if match[1]:
                raise Unreadable(f"unexpected character {match[1]!r} in the program")
            if not match[0].isspace():
                self.words.append(match[0])
        self.at = 0

    @property
    def next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, expected: str = "") -> str:
        word = self.next
        if not word or (expected and word != expected):
            raise Unreadable(f"{expected or 'more'!r} expected in a line of the program")
        self.at += 1
        return word

    def take_if(self, word: str) -> bool:
        found = self.next == word
        self.at += found
        return found

    def name(self) -> str:
        (found,) = words(self.take())
        return name_of(found)

    def string(self) -> str:
        if not self.next.startswith('"'):
            return ""
        try:
            return str(json.loads(self.take(), strict=False))
        except ValueError:
            raise Unreadable("a message is no string") from None

    def expression(self) -> list[str]:
        """The words of the next term."""
        start, depth = self.at, 0
        while True:
            word = self.take()
            if word in ("(", ")"):
                depth += 1 if word == "(" else -1
            elif word in ("[", "]", "{", "}", ",", ":=") or word.startswith('"'):
                raise Unreadable("a term expected in a line of the program")
            if depth < 0:
                raise Unreadable("a term expected in a line of the program")
            if depth == 0:
                return self.words[start : self.at]

    def end(self) -> None:
        if self.next:
            raise Unreadable(f"the end of a line expected, not {self.next[:60]!r}")


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = [_Line(line) for line in text.split("\n") if line.strip()]
        self._at = 0
        self._made = Program()
        self._scope: dict[str, Term] = {}
        self._shared: dict[str, Term] = {}

    def program(self) -> Program:
        while self._at < len(self._lines):
            line = self._line()
            self._declaration(line)
            line.end()
        return self._made

    def _line(self) -> _Line:
        if self._at == len(self._lines):
            raise Unreadable("the program is cut off")
        self._at += 1
        return self._lines[self._at - 1]

    # --- declarations -----------------------------------------------------------------------------------------------

    def _declaration(self, line: _Line) -> None:
        made = self._made
        match line.take():
            case "property":
                if line.take() != "end-reachable":
                    raise Unreadable("the program asks for a property that is not known")
                made.ends = True
            case "checked":
                while True:
                    name = line.name()
                    made.checked[name] = numeral(line.take())
                    if not line.take_if(","):
                        break
            case "var":
                variable = self._declare(line, self._shared)
                made.globals.append(variable)
                made.old[variable] = var(f"old({variable.data})", variable.sort)
                self._add(made.old[variable], self._shared)
            case "const":
                made.constants.append(self._declare(line, self._shared))
            case "function":
                self._function(line)
            case "axiom":
                self._scope = dict(self._shared)
                made.axioms.append(self._condition(line))
            case "proc":
                self._procedure(line)
            case word:
                raise Unreadable(f"a declaration expected, not {word[:60]!r}")

    def _function(self, line: _Line) -> None:
        name = line.name()
        arguments = self._list(line, self._sort)
        line.take("->")
        if name in self._made.functions:
            raise Unreadable(f"the function {name[:60]!r} is declared twice")
        self._made.functions[name] = Function(name, tuple(arguments), self._sort(line))

    def _declare(self, line: _Line, scope: dict[str, Term]) -> Term:
        name = line.take()
        if name.endswith(":") and len(name) > 1:  # a plain name and its colon are one word
            name = name[:-1]
        else:
            line.take(":")
        (word,) = words(name)
        return self._add(var(name_of(word), self._sort(line)), scope)

    def _add(self, variable: Term, scope: dict[str, Term]) -> Term:
        if scope.setdefault(variable.data, variable) is not variable:
            raise Unreadable(f"{variable.data[:60]!r} is declared twice")
        return variable

    def _sort(self, line: _Line) -> Sort:
        return self._terms().sort(expressions(words(" ".join(line.expression())))[0])

    def _terms(self) -> TermReader:
        return TermReader(self._scope, self._made.functions)

    def _term(self, line: _Line) -> Term:
        return self._terms().read(expressions(words(" ".join(line.expression())))[0])

    def _condition(self, line: _Line) -> Term:
        term = self._term(line)
        if term.sort != BOOL:
            raise Unreadable("a condition is not a Bool")
        return term

    def _variable(self, line: _Line) -> Term:
        term = self._term(line)
        if term.op != "var":
            raise Unreadable("something is assigned to what is no variable")
        return term

    # --- procedures -------------------------------------------------------------------------------------------------

    def _procedure(self, line: _Line) -> None:
        self._scope = scope = dict(self._shared)
        name = line.name()
        parameters = tuple(self._list(line, lambda at: self._declare(at, scope)))
        line.take("->")
        returns = tuple(self._list(line, lambda at: self._declare(at, scope)))
        procedure = Procedure(name, parameters, returns)
        if line.take_if("["):
            while not line.take_if("]"):
                mark = line.take()
                if mark == "extra_recursion":
                    procedure.extra_recursion = numeral(line.take())
                elif mark not in ("entry", "loop", ","):
                    raise Unreadable(f"a procedure is marked as {mark[:60]!r}, which is not known")
        line.take("{")
        line.end()
        if self._made.procedures.setdefault(name, procedure) is not procedure:
            raise Unreadable(f"the procedure {name[:60]!r} is declared twice")
        line = self._contracts(procedure)
        while line.next != "}":
            line = self._block(procedure, line)
        line.take("}")
        line.end()

    def _contracts(self, procedure: Procedure) -> _Line:
        while True:
            line = self._line()
            if line.next == "}" or _label(line) is not None:
                return line
            match line.take():
                case "requires":
                    procedure.requires.append(self._contract(line))
                case "ensures":
                    procedure.ensures.append(self._contract(line))
                case "modifies":
                    procedure.modifies += self._separated(line, self._variable)
                case "local":
                    procedure.locals.append(self._declare(line, self._scope))
                case word:
                    raise Unreadable(f"a contract or a block expected, not {word[:60]!r}")
            line.end()

    def _contract(self, line: _Line) -> Contract:
        free = line.next == "free" and line.at + 1 < len(line.words) and not line.words[line.at + 1].startswith('"')
        if free:
            line.take()
        condition = self._condition(line)
        line.string()
        return Contract(condition, free)

    def _block(self, procedure: Procedure, line: _Line) -> _Line:
        """The line that follows the block."""
        label = _label(line)
        if label is None:
            raise Unreadable("a block expected")
        statements: list[Statement] = []
        while True:
            line = self._line()
            if line.words == ["return"] or (line.next == "goto" and ":=" not in line.words):
                break
            statements.append(self._statement(line))
            line.end()
        successors = tuple(self._separated(line, _Line.name)) if line.take() == "goto" else ()
        line.end()
        if label in procedure.blocks:
            raise Unreadable(f"{procedure.name[:60]!r} has two blocks {label[:60]!r}")
        procedure.blocks[label] = Block(label, tuple(statements), successors)
        return self._line()

    # --- statements -------------------------------------------------------------------------------------------------

    def _statement(self, line: _Line) -> Statement:
        if ":=" in line.words:
            targets = [] if line.next == ":=" else self._separated(line, self._variable)
            line.take(":=")
            values = self._separated(line, self._term) if line.next else []
            return Statement("assign", tuple(targets), tuple(values))
        match line.take():
            case "assume":
                return Statement("assume", terms=(self._condition(line),))
            case "assert":
                return self._assert(line)
            case "havoc":
                bare = not line.next or line.next.startswith('"')
                targets = [] if bare else self._separated(line, self._variable)
                return Statement("havoc", tuple(targets), unmodelled=bool(line.string()))
            case ("call" | "spawn") as kind:
                callee = line.name()
                arguments = tuple(self._list(line, self._term))
                line.take("->")
                return Statement(kind, tuple(self._list(line, self._variable)), arguments, callee)
            case "join":
                return Statement("join", terms=(self._term(line),))
            case "self":
                return Statement("self", (self._variable(line),))
            case "atomic":
                end = line.take()
                if end not in ("begin", "end"):
                    raise Unreadable("an atomic block begins or ends")
                return Statement(end)
            case word:
                raise Unreadable(f"a statement expected, not {word[:60]!r}")

    def _assert(self, line: _Line) -> Statement:
        condition, message = self._condition(line), line.string()
        if line.take_if("check"):
            line.name()
            numeral(line.take())
        if line.take_if("values"):
            self._list(line, self._term)
        return Statement("assert", terms=(condition,), message=message or "assertion")

    def _list(self, line: _Line, read: Callable[[_Line], R]) -> list[R]:
        line.take("(")
        found = [] if line.next == ")" else self._separated(line, read)
        line.take(")")
        return found

    def _separated(self, line: _Line, read: Callable[[_Line], R]) -> list[R]:
        found = [read(line)]
        while line.take_if(","):
            found.append(read(line))
        return found


def _label(line: _Line) -> str | None:
    """Of a line that begins a block: a name and a colon, nothing else."""
    if len(line.words) == 1 and len(line.words[0]) > 1 and line.words[0].endswith(":"):
        text = line.words[0][:-1]
    elif len(line.words) == 2 and line.words[1] == ":":
        text = line.words[0]
    else:
        return None
    found = list(words(text))
    return name_of(found[0]) if len(found) == 1 and found[0] not in ("(", ")") else None


# --- what a text can say that no program is --------------------------------------------------------------------------


def _check(program: Program) -> None:
    for procedure in program.procedures.values():
        for block in procedure.blocks.values():
            if any(label not in procedure.blocks for label in block.successors):
                raise Unreadable(f"a block of {procedure.name[:60]!r} leads to a block that is not there")
        writable = {*program.globals, *procedure.parameters, *procedure.returns, *procedure.locals}
        for statement in procedure.statements():
            if not writable.issuperset(statement.targets) or len(set(statement.targets)) != len(statement.targets):
                raise Unreadable(f"a statement of {procedure.name[:60]!r} assigns twice, or to what can't be assigned")
            _check_statement(program, statement)
        if not set(program.globals).issuperset(procedure.modifies):
            raise Unreadable(f"{procedure.name[:60]!r} modifies what is no global")


def _check_statement(program: Program, statement: Statement) -> None:
    sorts = [term.sort for term in statement.terms]
    results = [target.sort for target in statement.targets]
    if statement.kind == "assign" and sorts != results:
        raise Unreadable("a variable is assigned a value of another sort")
    if statement.kind in ("call", "spawn"):
        callee = program.procedures.get(statement.procedure)
        if callee is None:
            raise Unreadable(f"the procedure {statement.procedure[:60]!r} is called and not there")
        if sorts != [v.sort for v in callee.parameters]:
            raise Unreadable(f"{callee.name[:60]!r} is called with arguments of other sorts")
        if statement.kind == "call" and results != [v.sort for v in callee.returns]:
            raise Unreadable(f"results of {callee.name[:60]!r} are assigned to variables of other sorts")
        if statement.kind == "spawn" and (len(results) > 1 or not callee.blocks):
            raise Unreadable("a thread has one number, and runs a procedure with a body")
    numbers = sorts if statement.kind == "join" else results if statement.kind in ("self", "spawn") else []
    if any(sort != INT and sort[0] != "BitVec" for sort in numbers):
        raise Unreadable("a thread's number is an Int or a bit vector")
