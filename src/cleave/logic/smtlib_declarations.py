"""SMT-LIB's commands that declare and define, carried out on a scope.

(declare-fun f (Int) Int)    (declare-const c Int)    (define-fun g ((x Int)) Int (+ x 1))    (define-const d Int 3)
(declare-sort S 0)           (define-sort T () Int)   (declare-datatypes ((D 0)) (((A) (B (b Int)))))
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.logic.sexpr import Node
from cleave.logic.smtlib_operators import OPERATORS
from cleave.logic.smtlib_reader import TermReader
from cleave.logic.smtlib_scope import SortMacro
from cleave.logic.sorts import Sort
from cleave.logic.terms import Function

_RESERVED = frozenset(("let", "forall", "exists", "!", "_", "as", "match", "par", "true", "false"))


def declare(reader: TermReader, command: list[Node]) -> Function | None:
    """Carries out ``command`` if it is one of `DECLARING`. The function that it declared, if it did."""
    return DECLARING[reader.script.word(command[1])](reader, command)


def new_name(reader: TermReader, node: Node) -> str:
    """The word of an atom that names something new."""
    word = reader.script.word(node)
    if not word or word[0] in '0123456789#":':
        raise reader.script.error(node, "a name expected")
    if word in reader.scope.table or word in _RESERVED:
        raise reader.script.error(node, f"{word} is declared twice" if word not in _RESERVED else f"{word} is no name")
    return word


def sort_list(reader: TermReader, node: Node) -> tuple[Sort, ...]:
    if isinstance(node, int):
        raise reader.script.error(node, "a list of sorts expected")
    return tuple(reader.scope.sort(reader.script, part) for part in node[1:])


def _need(reader: TermReader, command: list[Node], count: int, shape: str) -> None:
    if len(command) != count + 1:
        raise reader.script.error(command, f"{shape} expected")


def _declare_function(reader: TermReader, command: list[Node]) -> Function:
    _need(reader, command, 4, "(declare-fun name (sorts) sort)")
    word = new_name(reader, command[2])
    return _enter(reader, command, word, sort_list(reader, command[3]), command[4])


def _declare_constant(reader: TermReader, command: list[Node]) -> Function:
    _need(reader, command, 3, "(declare-const name sort)")
    return _enter(reader, command, new_name(reader, command[2]), (), command[3])


def _enter(reader: TermReader, command: list[Node], word: str, arguments: tuple[Sort, ...], result: Node) -> Function:
    if word in OPERATORS:
        raise reader.script.error(command[2], f"{word} belongs to a theory and can't be declared")
    return reader.scope.declare_function(word, arguments, reader.scope.sort(reader.script, result))


def _define_function(reader: TermReader, command: list[Node]) -> None:
    _need(reader, command, 5, "(define-fun name (parameters) sort term)")
    _define(reader, command[2], command[3], command[4], command[5])


def _define_constant(reader: TermReader, command: list[Node]) -> None:
    _need(reader, command, 4, "(define-const name sort term)")
    _define(reader, command[2], [command[0]], command[3], command[4])


def _define(reader: TermReader, name: Node, parameters: Node, result: Node, body: Node) -> None:
    word = new_name(reader, name)
    macro = reader.macro(parameters, reader.scope.sort(reader.script, result), body)
    reader.scope.table[word] = macro if macro.parameters else macro.body


def _refuse_recursion(reader: TermReader, command: list[Node]) -> None:
    raise reader.script.unsupported(command, "recursive definitions are not supported: declare a predicate instead")


def _declare_sort(reader: TermReader, command: list[Node]) -> None:
    if len(command) == 4 and reader.script.word(command[3]) != "0":
        raise reader.script.unsupported(command, "sorts with parameters are not supported")
    word = reader.script.word(command[2]) if len(command) in (3, 4) else ""
    if not word or word in reader.scope.sorts:
        raise reader.script.error(command, "(declare-sort name 0) with a new name expected")
    reader.scope.declare_sort(word)


def _define_sort(reader: TermReader, command: list[Node]) -> None:
    _need(reader, command, 4, "(define-sort name (parameters) sort)")
    word = reader.script.word(command[2])
    if not word or word in reader.scope.sorts or isinstance(command[3], int):
        raise reader.script.error(command, "(define-sort name (parameters) sort) with a new name expected")
    parameters = tuple(reader.script.words(command[3]))
    if parameters:
        reader.scope.sorts[word] = SortMacro(parameters, command[4], reader.script)
    else:
        reader.scope.sorts[word] = reader.scope.sort(reader.script, command[4])


def _declare_datatypes(reader: TermReader, command: list[Node]) -> None:
    _need(reader, command, 3, "(declare-datatypes ((name 0)) ((constructors)))")
    script, names, bodies = reader.script, command[2], command[3]
    if isinstance(names, int) or isinstance(bodies, int):
        raise script.error(command, "(declare-datatypes ((name 0)) ((constructors))) expected")
    if len(names) == 1 and len(bodies) > 1:  # before SMT-LIB 2.6: () ((name constructors...))
        return _old_datatypes(reader, command, bodies)
    if len(names) != len(bodies):
        raise script.error(command, "as many lists of constructors as names expected")
    for name in names[1:]:
        if isinstance(name, int) or script.words(name)[1:] != ["0"]:
            raise script.unsupported(name, "a name with 0 parameters expected, as in (List 0)")
    _enter_datatypes(reader, [name[1] for name in names[1:]], bodies[1:])
    return None


def _old_datatypes(reader: TermReader, command: list[Node], bodies: list[Node]) -> None:
    for body in bodies[1:]:
        if isinstance(body, int) or len(body) < 3 or not isinstance(body[1], int):
            raise reader.script.error(command, "a data type with its constructors expected, as in (List (nil))")
    _enter_datatypes(reader, [b[1] for b in bodies[1:]], [[b[0], *b[2:]] for b in bodies[1:]])  # type: ignore[index]


def _declare_datatype(reader: TermReader, command: list[Node]) -> None:
    _need(reader, command, 3, "(declare-datatype name (constructors))")
    _enter_datatypes(reader, [command[2]], [command[3]])


def _enter_datatypes(reader: TermReader, names: list[Node], bodies: list[Node]) -> None:
    words = [reader.script.word(name) for name in names]
    for word, name in zip(words, names, strict=True):
        if not word or word in reader.scope.sorts or words.count(word) > 1:
            raise reader.script.error(name, "a new name of a sort expected")
    reader.scope.declare_datatypes(reader.script, names, bodies)


DECLARING: dict[str, Callable[[TermReader, list[Node]], Function | None]] = {
    "declare-fun": _declare_function,
    "declare-const": _declare_constant,
    "define-fun": _define_function,
    "define-const": _define_constant,
    "define-fun-rec": _refuse_recursion,
    "define-funs-rec": _refuse_recursion,
    "declare-sort": _declare_sort,
    "define-sort": _define_sort,
    "declare-datatypes": _declare_datatypes,
    "declare-datatype": _declare_datatype,
}
