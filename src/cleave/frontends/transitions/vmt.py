"""The VMT front end: transition systems as annotated SMT-LIB in, `ir.horn.HornSystem` out.

    (declare-fun x () Int)
    (declare-fun x_next () Int)
    (define-fun state () Int (! x :next x_next))
    (define-fun start () Bool (! (= x 0) :init true))
    (define-fun step () Bool (! (= x_next (+ x 1)) :trans true))
    (define-fun good () Bool (! (>= x 0) :invar-property 0))

Constants without a ``:next`` are inputs: they take any value in each step. All properties are checked; those of
infinite runs (``:live-property``, ``:ltl-property``) are refused.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.errors import UnsupportedError
from cleave.frontends.transitions.symbolic_system import Bad, SymbolicSystem
from cleave.ir.horn import HornSystem
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.sexpr import Node, Script, decode_text, read_script
from cleave.logic.smtlib_declarations import DECLARING, declare
from cleave.logic.smtlib_reader import TermReader
from cleave.logic.smtlib_scope import Scope
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Function, Term

_IGNORED = frozenset(("set-logic", "set-info", "set-option", "check-sat", "exit", "echo"))


def read_vmt(file: str, content: bytes) -> HornSystem:
    """The system in a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    return _VmtReader(read_script(decode_text(content, file), file)).system()


class _VmtReader:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._reader = TermReader(script, Scope())
        self._reader.on_annotation = self._annotated
        self._functions: list[Function] = []
        self._next: dict[Term, Term] = {}
        self._initial: list[Term] = []
        self._step: list[Term] = []
        self._bad: list[Bad] = []

    def system(self) -> HornSystem:
        for node in self._script.expressions:
            if isinstance(node, int) or len(node) < 2:
                raise self._script.error(node, f"a command expected, not {self._script.show(node)}")
            self._command(node)
        if not self._bad:
            raise UnsupportedError(
                "the system has no :invar-property, so there is nothing to check", file=self._script.file
            )
        state = tuple(self._next)
        return SymbolicSystem(
            state=state,
            first=state,
            initial=t.conj_all(self._initial),
            following=tuple(self._next.values()),
            step=t.conj_all(self._step),
            bad=self._bad,
            functions=tuple(self._functions),
            location=Location(self._script.file, 1, 1),
        ).horn()

    def _command(self, node: list[Node]) -> None:
        word = self._script.word(node[1])
        if word in DECLARING:
            function = declare(self._reader, node)
            if function is not None and function.arguments:
                self._functions.append(function)
            elif function is not None:
                self._reader.declare_variable(self._script.word(node[2]), function.result)
        elif word == "assert" and len(node) == 3:
            self._reader.read_of_sort(node[2], BOOL)  # some writers hang the annotations on (assert true)
        elif word not in _IGNORED:
            raise self._script.unsupported(node, f"the command {word} is not supported in a VMT file")

    def _annotated(self, node: list[Node], term: Term) -> None:
        for key, value in zip(node[3::2], node[4::2], strict=False):
            word = self._script.word(key)
            if word in _REFUSED:
                raise self._script.unsupported(key, f"{word} is about infinite runs, which are not supported")
            if word in _ANNOTATIONS:
                _ANNOTATIONS[word](self, node, term, value)

    def _add_next(self, node: list[Node], term: Term, value: Node) -> None:
        following = self._reader.scope.table.get(self._script.word(value))
        if not term.is_var or not isinstance(following, Term) or not following.is_var:
            raise self._script.error(node, "a declared constant with the constant of its next value expected")
        if following.sort is not term.sort:
            raise self._script.error(value, f"the next value is of sort {following.sort!r}, not {term.sort!r}")
        if term is following or self._next.setdefault(term, following) is not following:
            raise self._script.error(node, f"{term.name} has another next value")
        if list(self._next.values()).count(following) > 1:
            raise self._script.error(value, f"{following.name} is the next value of two constants")

    def _formula(self, node: list[Node], term: Term) -> Term:
        if term.sort is not BOOL:
            raise self._script.error(node, f"a formula expected, not a term of sort {term.sort!r}")
        return term

    def _add_initial(self, node: list[Node], term: Term, value: Node) -> None:
        self._initial.append(self._formula(node, term))

    def _add_step(self, node: list[Node], term: Term, value: Node) -> None:
        self._step.append(self._formula(node, term))

    def _add_property(self, node: list[Node], term: Term, value: Node) -> None:
        location = Location(self._script.file, *self._script.place(node))
        self._bad.append(Bad(t.neg(self._formula(node, term)), location))


_REFUSED = frozenset((":live-property", ":ltl-property"))
_ANNOTATIONS: dict[str, Callable[[_VmtReader, list[Node], Term, Node], None]] = {
    ":next": _VmtReader._add_next,
    ":init": _VmtReader._add_initial,
    ":trans": _VmtReader._add_step,
    ":invar-property": _VmtReader._add_property,
}
