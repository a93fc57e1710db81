"""Reads SMT-LIB terms: text, or an expression of a script, into `terms`.

    >>> x = t.var("x", INT)
    >>> read_term("(let ((y (+ x 1))) (forall ((x Int)) (=> (> x y) (! (>= x 0 y) :named a))))", {"x": x})
    (forall ((x!1 Int)) (=> (< (+ x 1) x!1) (and (<= 0 x!1) (<= (+ x 1) 0))))

The work is done by a stack of open expressions, not by recursion. A ``let`` gives its name to the very term, so that a
thousand nested ones make a DAG and not a tree. A bound variable that is already in scope gets a new name: in Cleave's
terms bound variables have names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias

from cleave.logic import datatypes
from cleave.logic import terms as t
from cleave.logic.sexpr import Node, Script, read_expression
from cleave.logic.smtlib_applications import Applications
from cleave.logic.smtlib_operators import as_real
from cleave.logic.smtlib_scope import Construct, Macro, Meaning, Scope
from cleave.logic.sorts import INT, REAL, Sort
from cleave.logic.symbols import word_name
from cleave.logic.terms import Function, SortError, Term

_Finish: TypeAlias = "Callable[[list[Node], list[Term]], Term | Frame]"
Frame: TypeAlias = tuple[list[Node], int, list[Term], _Finish]
"""An open expression: its parts, the next of them to read, what the earlier ones are, and what to do at the end."""


def read_term(
    text: str,
    scope: Mapping[str, Term],
    functions: Mapping[str, Function] | None = None,
    *,
    sorts: Iterable[Sort] = (),
    file: str = "",
) -> Term:
    """The term that ``text`` is. ``sorts`` are uninterpreted ones and data types that it may name; those of ``scope``
    and ``functions`` are known. Raises `InputError` with the place."""
    names = Scope()
    names.table.update(scope)
    names.table.update(functions or {})
    known = [*sorts, *(v.sort for v in scope.values())]
    for function in (functions or {}).values():
        known += [*function.arguments, function.result]
    names.know_datatypes(known)
    names.sorts.update({sort.name: sort for sort in known if sort.name})
    script, node = read_expression(text, file)
    return TermReader(script, names).read(node)


class TermReader(Applications):
    """Reads expressions of one script. Its scope may grow between terms.

    With ``keeps_names``, a bound variable may be one that is in scope: its quantifier hides that.
    """

    def __init__(self, script: Script, scope: Scope, *, keeps_names: bool = False) -> None:
        super().__init__(script, scope)
        self._keeps_names = keeps_names
        self._open: set[Term] = {v for v in scope.table.values() if isinstance(v, Term) and v.is_var}
        self._words: set[str] | None = None
        self._variables: dict[tuple[str, Sort], Term] = {}
        self._fresh = 0
        self._always_fresh = False
        self.on_annotation: Callable[[list[Node], Term], None] | None = None  # is told of each (! term ...)

    def read(self, root: Node) -> Term:
        """The term that an expression is."""
        tokens, table = self.script.tokens, self.scope.table
        stack: list[Frame] = []
        node, at, args, finish = self._wrap(root, _only)
        while True:
            while at < len(node):
                part = node[at]
                at += 1
                if isinstance(part, int):
                    found = table.get(tokens[part])
                    args.append(found if found.__class__ is Term else self.leaf(part))
                else:
                    stack.append((node, at, args, finish))
                    node, at, args, finish = self._enter(part)
            value = finish(node, args)
            if value.__class__ is tuple:
                node, at, args, finish = value
            elif stack:
                node, at, args, finish = stack.pop()
                args.append(value)  # type: ignore[arg-type]
            else:
                return value  # type: ignore[return-value]

    def read_of_sort(self, root: Node, sort: Sort) -> Term:
        term = self.read(root)
        if term.sort is INT and sort is REAL:
            return as_real(term)
        if term.sort is not sort:
            raise self.script.error(root, f"a term of sort {sort!r} expected, not of {term.sort!r}")
        return term

    def declare_variable(self, word: str, sort: Sort) -> Term:
        """A variable that is known from now on."""
        variable = t.var(self.scope.name(word, sort), sort)
        self.scope.table[word] = variable
        self._open.add(variable)
        return variable

    def bind(self, pairs: Node) -> tuple[list[str], tuple[Term, ...]]:
        """The words and the variables of ``((x Int) (y Bool))``."""
        if isinstance(pairs, int):
            raise self.script.error(pairs, "a list of variables with their sorts expected")
        tokens, sorts = self.script.tokens, self.scope.sorts
        words: dict[str, None] = {}
        variables: dict[Term, None] = {}
        for pair in pairs[1:]:
            if isinstance(pair, int) or len(pair) != 3 or not isinstance(pair[1], int):
                raise self.script.error(pair, "a variable with its sort expected, as in (x Int)")
            sort = sorts.get(tokens[pair[2]]) if isinstance(pair[2], int) else None
            if not isinstance(sort, Sort):
                sort = self.scope.sort(self.script, pair[2])
            word = tokens[pair[1]]
            if word in words:
                raise self.script.error(pair, f"{word} is bound twice")
            words[word] = None
            variables[self._new_variable(word, sort, variables)] = None
        return list(words), tuple(variables)

    def macro(self, parameters: Node, result: Sort, body: Node) -> Macro:
        """A definition. Variables bound in it get names that are used nowhere else, as it will stand in many places."""
        words, variables = self.bind(parameters)
        saved = self._cover(words, variables)
        self._always_fresh = True
        try:
            return Macro(variables, self.read_of_sort(body, result))
        finally:
            self._always_fresh = False
            self._uncover(saved, variables)

    def _new_variable(self, word: str, sort: Sort, beside: Collection[Term]) -> Term:
        """A variable that is neither in scope nor among those bound ``beside`` it."""
        made = self._variables.get((word, sort))
        if made is None:
            made = self._variables[word, sort] = t.var(word_name(word), sort)
        if self._keeps_names or (not self._always_fresh and made not in self._open and made not in beside):
            return made
        if self._words is None:
            self._words = {word_name(token) for token in set(self.script.tokens)}
        while True:
            self._fresh += 1
            name = f"{made.name}!{self._fresh}"
            if name not in self._words and t.var(name, sort) not in self._open:
                return t.var(name, sort)

    def _cover(self, words: list[str], meanings: Iterable[Term]) -> list[tuple[str, Meaning | None]]:
        """Gives words a new meaning; what they meant before."""
        table = self.scope.table
        saved = [(word, table.get(word)) for word in words]
        table.update(zip(words, meanings, strict=True))
        self._open.update(v for v in meanings if v.is_var)
        return saved

    def _uncover(self, saved: list[tuple[str, Meaning | None]], variables: tuple[Term, ...] = ()) -> None:
        table = self.scope.table
        for word, meaning in saved:
            if meaning is None:
                del table[word]
            else:
                table[word] = meaning
        self._open.difference_update(variables)

    # --- lists ------------------------------------------------------------------------------------------------------

    def _wrap(self, node: Node, finish: _Finish) -> Frame:
        return [0, node], 1, [], finish

    def _enter(self, node: list[Node]) -> Frame:
        if len(node) < 2:
            raise self.script.error(node, "a term expected, not ()")
        head = node[1]
        if isinstance(head, int):
            match self.script.tokens[head]:
                case "let":
                    return self._enter_let(node)
                case "forall" | "exists":
                    return self._enter_quantifier(node)
                case "!":
                    return self._enter_annotation(node)
                case "_":
                    return [0], 1, [], lambda _, args: self.indexed_constant(node)
                case "as":
                    return [0], 1, [], lambda _, args: self.qualified(node, node, args)
                case "match":
                    return self._enter_match(node)
                case word:
                    self.refuse(node, word)
        return node, 2, [], self.application

    # --- let, quantifiers, annotations, match -----------------------------------------------------------------------

    def _enter_let(self, node: list[Node]) -> Frame:
        if len(node) != 4 or isinstance(node[2], int):
            raise self.script.error(node, "a let with bindings and a body expected, as in (let ((x 1)) x)")
        words, values = [], []
        for pair in node[2][1:]:
            if isinstance(pair, int) or len(pair) != 3 or not isinstance(pair[1], int):
                raise self.script.error(pair, "a name with its value expected, as in (x 1)")
            words.append(self.script.word(pair[1]))
            values.append(pair[2])

        def bind(_: list[Node], args: list[Term]) -> Frame:
            table = self.scope.table
            saved = [(word, table.get(word)) for word in words]
            table.update(zip(words, args, strict=True))

            def leave(_: list[Node], body: list[Term]) -> Term:
                self._uncover(saved)
                return body[0]

            return self._wrap(node[3], leave)

        return [0, *values], 1, [], bind

    def _enter_quantifier(self, node: list[Node]) -> Frame:
        if len(node) != 4:
            raise self.script.error(node, "a quantifier with variables and one body expected")
        script, build = self.script, t.forall if self.script.word(node[1]) == "forall" else t.exists
        words, variables = self.bind(node[2])
        body, patterns = node[3], []
        if not isinstance(body, int) and len(body) > 2 and script.word(body[1]) == "!":
            pairs = zip(body[3::2], body[4::2], strict=False)
            patterns = [value[1:] for key, value in pairs if script.word(key) == ":pattern" and isinstance(value, list)]
            body = body if any(script.word(key) == ":named" for key in body[3::2]) else body[2]
        saved = self._cover(words, variables)

        def leave(_: list[Node], args: list[Term]) -> Term:
            self._uncover(saved, variables)
            formula, *flat = args
            triggers = []
            for pattern in patterns:
                triggers.append(tuple(flat[: len(pattern)]))
                del flat[: len(pattern)]
            try:
                return build(variables, formula, tuple(trigger for trigger in triggers if trigger))
            except SortError as error:
                raise script.error(node, str(error)) from None

        return [0, body, *(term for pattern in patterns for term in pattern)], 1, [], leave

    def _enter_annotation(self, node: list[Node]) -> Frame:
        if len(node) < 3:
            raise self.script.error(node, "a term with annotations expected, as in (! x :named y)")

        def leave(_: list[Node], args: list[Term]) -> Term:
            for key, value in zip(node[3::2], node[4::2], strict=False):
                if self.script.word(key) == ":named":
                    self.scope.table[self.script.word(value)] = args[0]
            if self.on_annotation is not None:
                self.on_annotation(node, args[0])
            return args[0]

        return self._wrap(node[2], leave)

    def _enter_match(self, node: list[Node]) -> Frame:
        if len(node) != 4 or isinstance(node[3], int) or len(node[3]) < 2:
            raise self.script.error(node, "a match with a term and its cases expected")
        cases = node[3][1:]
        results: list[tuple[Term, Term]] = []

        def next_case(_: list[Node], args: list[Term]) -> Term | Frame:
            value = args[0]
            if len(results) == len(cases):
                return self._cases(node, results)
            words, fields, condition, body = self._pattern(cases[len(results)], value)
            saved = [(word, self.scope.table.get(word)) for word in words]
            self.scope.table.update(zip(words, fields, strict=True))

            def leave(_: list[Node], result: list[Term]) -> Frame:
                self._uncover(saved)
                results.append((condition, result[0]))
                return [0], 1, [value], next_case

            return self._wrap(body, leave)

        return self._wrap(node[2], next_case)

    def _pattern(self, case: Node, value: Term) -> tuple[list[str], list[Term], Term, Node]:
        """The words that a case binds, to what, when it applies, and its body."""
        script = self.script
        if isinstance(case, int) or len(case) != 3:
            raise script.error(case, "a case with its pattern and its term expected")
        pattern = case[1]
        words = [script.word(pattern)] if isinstance(pattern, int) else script.words(pattern)
        found = self.scope.table.get(words[0]) if words else None
        if not isinstance(found, Construct):
            if not isinstance(pattern, int):
                raise script.error(pattern, "a pattern starts with a constructor")
            return words, [value], t.TRUE, case[2]
        if found.sort is not value.sort or len(words) - 1 != len(found.sort.constructors[found.number].fields):
            raise script.error(pattern, f"the pattern does not fit {value.sort!r}")
        fields = [datatypes.field(value, found.number, place) for place in range(len(words) - 1)]
        return words[1:], fields, datatypes.test(value, found.number), case[2]

    def _cases(self, node: list[Node], results: list[tuple[Term, Term]]) -> Term:
        """The last case needs no condition: SMT-LIB demands that the cases cover all values."""
        try:
            made = results[-1][1]
            for condition, result in reversed(results[:-1]):
                made = t.ite(condition, result, made)
            return made
        except SortError as error:
            raise self.script.error(node, str(error)) from None


def _only(_: list[Node], args: list[Term]) -> Term:
    return args[0]
