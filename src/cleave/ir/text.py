"""The text form of programs: what golden cases, error reports and people read; `reader` reads it back.

    property end-reachable
    checked division 3, shift 0
    var g: Int
    buffered tso g
    const limit: Int
    function f(Int, Bool) -> Int
    axiom (< 0 limit)
    proc main(n: Int) -> (r: Int) [entry, extra_recursion 2] {
      requires (<= 0 n) "n is a size"
      ensures free (= g |old(g)|)
      modifies g
      local i: Int
      start:
        i, r := 0, (+ n 1)
        havoc g
        call inc(i) -> (i)
        assume (< i n)
        assert (= g 1) "g is one"
        assert (< i n) "{0:int} is less than {1:int}" check division 2 values (i, n)
        spawn work(i) -> (r)
        join r
        self i
        atomic begin
        atomic end
        fence full
        fence stores
        goto start, done
      done:
        return
    }

Terms and names are SMT-LIB's, as `logic.smtlib` prints them. A block ends with ``goto`` or ``return``; a
procedure without blocks has no body. With ``locations=True`` whatever has a place in the source ends in it:
``@ file.bpl:3:7``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from cleave.ir.program import (
    Assert,
    Assign,
    Assume,
    AtomicBegin,
    AtomicEnd,
    Block,
    Call,
    Clause,
    Fence,
    Havoc,
    Join,
    Location,
    Procedure,
    Program,
    Property,
    Self,
    Spawn,
    Statement,
)
from cleave.logic.smtlib import print_sort, print_term
from cleave.logic.symbols import symbol
from cleave.logic.terms import Function, Term

_PLAIN_FILE = re.compile(r"[\w./+-]+")
_DEFAULT_MESSAGE = "assertion"


def print_program(program: Program, *, locations: bool = False, notes: bool = False) -> str:
    """The whole program as text, one statement a line; with ``notes`` also what its front end took for granted."""
    return "".join(f"{line}\n" for line in _program_lines(program, locations, notes))


def print_statement(statement: Statement, *, locations: bool = False) -> str:
    """One statement as one line, without indentation."""
    return _statement_text(statement) + _at(statement.location, locations)


def _program_lines(program: Program, locations: bool, notes: bool) -> Iterator[str]:
    if notes:
        yield from (f"assumption {json.dumps(sentence)}" for sentence in program.assumptions)
        yield from (f"left-out {json.dumps(sentence)}" for sentence in program.left_out)
    if program.property is not Property.ASSERTIONS:
        yield f"property {program.property.value}"
    if program.checked:
        yield f"checked {', '.join(f'{symbol(name)} {count}' for name, count in program.checked.items())}"
    yield from (f"var {_declaration(variable)}" for variable in program.globals)
    if program.store_buffers is not None:
        yield f"buffered {program.store_buffers.model} {_terms(program.store_buffers.variables)}".rstrip()
    yield from (f"const {_declaration(constant)}" for constant in program.constants)
    yield from (_function_text(function) for function in program.functions)
    yield from (f"axiom {print_term(axiom)}" for axiom in program.axioms)
    for procedure in program.procedures.values():
        yield from _procedure_lines(procedure, locations)


def _function_text(function: Function) -> str:
    arguments = ", ".join(print_sort(sort) for sort in function.arguments)
    return f"function {symbol(function.name)}({arguments}) -> {print_sort(function.result)}"


def _procedure_lines(procedure: Procedure, locations: bool) -> Iterator[str]:
    head = f"proc {symbol(procedure.name)}({_declarations(procedure.parameters)})"
    attributes = list(_attributes(procedure))
    marks = f" [{', '.join(attributes)}]" if attributes else ""
    place = _at(procedure.location, locations)
    yield f"{head} -> ({_declarations(procedure.returns)}){marks} {{{place}"
    yield from (f"  requires {_clause_text(clause, locations)}" for clause in procedure.requires)
    yield from (f"  ensures {_clause_text(clause, locations)}" for clause in procedure.ensures)
    if procedure.modifies:
        yield f"  modifies {_terms(procedure.modifies)}"
    yield from (f"  local {_declaration(variable)}" for variable in procedure.locals)
    for block in procedure.blocks.values():
        yield from _block_lines(block, locations)
    yield "}"


def _attributes(procedure: Procedure) -> Iterator[str]:
    if procedure.is_entry:
        yield "entry"
    if procedure.is_loop:
        yield "loop"
    if procedure.extra_recursion:
        yield f"extra_recursion {procedure.extra_recursion}"


def _clause_text(clause: Clause, locations: bool) -> str:
    free = "free " if clause.free else ""
    message = f" {json.dumps(clause.message)}" if clause.message else ""
    return f"{free}{print_term(clause.condition)}{message}{_at(clause.location, locations)}"


def _block_lines(block: Block, locations: bool) -> Iterator[str]:
    yield f"  {symbol(block.label)}:{_at(block.location, locations)}"
    yield from (f"    {print_statement(statement, locations=locations)}" for statement in block.statements)
    if block.successors:
        yield f"    goto {', '.join(symbol(label) for label in block.successors)}"
    else:
        yield "    return"


def _statement_text(statement: Statement) -> str:
    match statement:
        case Assume():
            return f"assume {print_term(statement.condition)}"
        case Assert():
            return _assert_text(statement)
        case Assign():
            return f"{_terms(statement.targets)} := {_terms(statement.values)}".strip()
        case Havoc():
            function = f" {json.dumps(statement.function)}" if statement.function else ""
            return f"havoc {_terms(statement.targets)}".strip() + function
        case Call():
            callee = symbol(statement.procedure)
            return f"call {callee}({_terms(statement.arguments)}) -> ({_terms(statement.results)})"
        case Spawn():
            result = () if statement.result is None else (statement.result,)
            return f"spawn {symbol(statement.procedure)}({_terms(statement.arguments)}) -> ({_terms(result)})"
        case Join():
            return f"join {print_term(statement.thread)}"
        case Self():
            return f"self {print_term(statement.target)}"
        case AtomicBegin():
            return "atomic begin"
        case AtomicEnd():
            return "atomic end"
        case Fence(stores_only):
            return "fence stores" if stores_only else "fence full"


def _assert_text(statement: Assert) -> str:
    message = "" if statement.message == _DEFAULT_MESSAGE else f" {json.dumps(statement.message)}"
    check = f" check {symbol(statement.check.property)} {statement.check.number}" if statement.check is not None else ""
    values = f" values ({_terms(statement.values)})" if statement.values else ""
    return f"assert {print_term(statement.condition)}{message}{check}{values}"


def _at(location: Location | None, locations: bool) -> str:
    if location is None or not locations:
        return ""
    file = location.file if _PLAIN_FILE.fullmatch(location.file) else json.dumps(location.file)
    column = f":{location.column}" if location.column else ""
    return f" @ {file}:{location.line}{column}"


def _terms(terms: Iterable[Term]) -> str:
    return ", ".join(print_term(term) for term in terms)


def _declarations(variables: Iterable[Term]) -> str:
    return ", ".join(_declaration(variable) for variable in variables)


def _declaration(variable: Term) -> str:
    return f"{symbol(variable.name)}: {print_sort(variable.sort)}"
