"""Lemmas of SPACER as text that another run understands.

    Lemma("Inv", 3, "(or (<= a0 5) (= a1 0))")      # holds of all that is derived in up to 3 rounds
    Lemma("Inv", INFINITY, "(>= a0 0)")             # holds of all that can be derived

The parameters are named by position: a0, a1, ... The disjuncts are sorted, so that equal lemmas of different runs are
mostly equal texts.

SPACER's own lemmas are over constants of its making (``p0_1_n`` for the second argument of p0), the deltas of its
frames over de Bruijn variables, and so are lemmas that are added. Texts are read with the parameters and the sorts of
the problem declared, and nothing else.

Sending a lemma leaves SPACER's search as it is. It depends on the numbers that Z3 gives to terms, so none is made for
printing: variables are renamed in the text. And the term that SPACER makes to announce a lemma, and forgets, is freed,
so that its number can be used again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from cleave.engines.pdr.spacer.native import INFINITY as NATIVE_INFINITY
from cleave.engines.pdr.spacer.native import native
from cleave.engines.pdr.spacer.problem import Problem
from cleave.logic.sorts import Sort
from cleave.records import dataclass
from cleave.smt.z3.native import array, lib, text

INFINITY: Final = NATIVE_INFINITY
"""The level of a lemma that holds at all levels."""

_AST_APP, _AST_QUANTIFIER = 1, 3
_AND, _OR = 0x105, 0x106
_VARIABLE = re.compile(r"\(:var (\d+)\)|[^\s()|]+|\|[^|]*\|")  # of de Bruijn, or any word


@dataclass(frozen=True, slots=True)
class Lemma:
    """``text`` holds of every fact of ``predicate`` that ``level`` rounds of applying clauses give."""

    predicate: str
    level: int
    text: str


class LemmaTexts:
    """Prints and reads lemmas of one problem; belongs to the thread of its context."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._context = problem.context
        self._pointer = problem.context.pointer
        self._parameters: dict[tuple[Sort, int], int] = {}
        self._parsers: dict[tuple[Sort, ...], int] = {}
        self._variables: dict[str, list[int]] = {}

    def close(self) -> None:
        for parser in self._parsers.values():
            native.Z3_parser_context_dec_ref(self._pointer, parser)
        self._parsers = {}

    def parameters(self, predicate: str) -> list[int]:
        """The constants a0, a1, ... of the predicate's sorts."""
        return [self._parameter(sort, place) for place, sort in enumerate(self._sorts(predicate))]

    def _sorts(self, predicate: str) -> tuple[Sort, ...]:
        return self._problem.functions[predicate].arguments

    def _parameter(self, sort: Sort, place: int) -> int:
        found = self._parameters.get((sort, place))
        if found is None:
            found = self._parameters[sort, place] = self._constant(f"a{place}", sort)
        return found

    def _constant(self, name: str, sort: Sort) -> int:
        made = lib.Z3_mk_const(self._pointer, self._context.symbol(name), self._problem.translator.sort(sort))
        return self._context.own(made)

    def variables(self, predicate: str) -> list[int]:
        """The de Bruijn variables 0, 1, ... of the predicate's sorts, as covers are written with."""
        found = self._variables.get(predicate)
        if found is None:
            sorts = [self._problem.translator.sort(sort) for sort in self._sorts(predicate)]
            found = [self._context.own(lib.Z3_mk_bound(self._pointer, place, s)) for place, s in enumerate(sorts)]
            self._variables[predicate] = found
        return found

    # --- printing ---------------------------------------------------------------------------------------------------

    def print_announced(self, lemma: int) -> tuple[str, str] | None:
        """The predicate and the text of a lemma as the callback gets it, ``(=> (p0 p0_0_n ...) formula)``; None for one
        of the query, and for one with quantifiers."""
        self._context.keep(lemma)
        try:
            atom, formula = self._arguments(lemma)
            predicate = self._problem.names.get(self._name(atom))
            if predicate is None:
                return None
            places = {self._name(given): f"a{place}" for place, given in enumerate(self._arguments(atom))}
            printed = self.print_formula(formula, places)
        finally:
            self._context.release(lemma)
        return None if printed is None else (predicate, printed)

    def _name(self, application: int) -> str:
        symbol = lib.Z3_get_decl_name(self._pointer, lib.Z3_get_app_decl(self._pointer, application))
        return text(lib.Z3_get_symbol_string(self._pointer, symbol))

    def over_parameters(self, predicate: str, delta: int | None) -> int:
        """A delta of a frame, just read, over the parameters; counted, to be released."""
        delta = self._context.keep(delta)  # else it is gone with the next term that is made
        parameters = self.parameters(predicate)
        made = lib.Z3_substitute_vars(self._pointer, delta, len(parameters), array(parameters))
        kept = self._context.keep(made)
        self._context.release(delta)
        return kept

    def conjuncts(self, formula: int) -> Iterator[tuple[int, str]]:
        """The lemmas that a delta of a frame consists of, natively and as text, which is empty for one with
        quantifiers. They live as long as ``formula``."""
        stack = [formula]
        while stack:
            formula = stack.pop()
            if self._kind(formula) == _AND:
                stack += reversed(self._arguments(formula))
                continue
            yield formula, self.print_formula(formula) or ""

    def print_formula(self, formula: int, places: Mapping[str, str] = MappingProxyType({})) -> str | None:
        """Disjuncts in the order of their texts; None if there are quantifiers. Names are replaced as ``places`` says,
        and de Bruijn variables by parameters."""
        parts = self._arguments(formula) if self._kind(formula) == _OR else [formula]
        printed = sorted(_renamed(text(lib.Z3_ast_to_string(self._pointer, part)), places) for part in parts)
        if any("forall" in part or "exists" in part for part in printed):
            return None
        return printed[0] if len(printed) == 1 else f"(or {' '.join(printed)})"

    def _kind(self, node: int) -> int:
        if lib.Z3_get_ast_kind(self._pointer, node) != _AST_APP:
            return 0
        return int(lib.Z3_get_decl_kind(self._pointer, lib.Z3_get_app_decl(self._pointer, node)))

    def _arguments(self, node: int) -> list[int]:
        count = lib.Z3_get_app_num_args(self._pointer, node)
        return [lib.Z3_get_app_arg(self._pointer, node, place) for place in range(count)]

    # --- reading ----------------------------------------------------------------------------------------------------

    def read(self, lemma: Lemma) -> int | None:
        """The formula over the parameters, for the life of the context; None for what is no formula over them."""
        if lemma.predicate not in self._problem.declarations or "\0" in lemma.text:
            return None
        sorts = self._sorts(lemma.predicate)
        parser = self._parsers.get(sorts)
        if parser is None:
            parser = self._parsers[sorts] = self._parser(sorts)
        command = f"(assert {lemma.text})".encode("utf-8", "replace")
        vector = native.Z3_parser_context_from_string(self._pointer, parser, command)
        if vector is None or self._context.error_message():
            return None
        lib.Z3_ast_vector_inc_ref(self._pointer, vector)
        found = None
        if lib.Z3_ast_vector_size(self._pointer, vector) == 1:
            found = self._context.own(lib.Z3_ast_vector_get(self._pointer, vector, 0))
        lib.Z3_ast_vector_dec_ref(self._pointer, vector)
        return found

    def _constructors(self, sort: Sort) -> Iterator[int]:
        declared = self._problem.translator.datatypes
        for number, constructor in enumerate(sort.constructors if sort.is_datatype else ()):
            yield declared.constructor(sort, number)
            for place in range(len(constructor.fields)):
                yield declared.selector(sort, number, place)

    def _parser(self, sorts: tuple[Sort, ...]) -> int:
        parser = native.Z3_mk_parser_context(self._pointer)
        if parser is None:
            raise self._context.error()
        native.Z3_parser_context_inc_ref(self._pointer, parser)
        constants = [self._parameter(sort, place) for place, sort in enumerate(sorts)]
        declarations = [lib.Z3_get_app_decl(self._pointer, constant) for constant in constants]
        functions = [function for function in self._problem.system.functions if function.arguments]
        declarations += [self._problem.translator.function(function) for function in functions]
        for named in self._problem.sorts:
            native.Z3_parser_context_add_sort(self._pointer, parser, self._problem.translator.sort(named))
            declarations += self._constructors(named)
        for declaration in declarations:
            native.Z3_parser_context_add_decl(self._pointer, parser, declaration)
        return int(parser)


def _renamed(printed: str, places: Mapping[str, str]) -> str:
    """On one line, with the names of parameters.

    >>> _renamed("(>= (:var 1)   p0_0_n)", {"p0_0_n": "a0"})
    '(>= a1 a0)'
    """

    def parameter(found: re.Match[str]) -> str:
        return f"a{found[1]}" if found[1] else places.get(found[0], found[0])

    return " ".join(_VARIABLE.sub(parameter, printed).split())
