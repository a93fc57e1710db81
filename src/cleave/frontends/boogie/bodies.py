"""One implementation's statements to blocks.

    while (c) invariant i; { x := 1; }

        head:  assert i; goto body, done
        body:  assume c; x := 1; goto head
        done:  assume !c; ...

Variables with a ``where`` clause are followed by an explicit assume wherever they take an arbitrary value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cleave.frontends.boogie import syntax as s
from cleave.frontends.boogie.attributes import message, user_location
from cleave.frontends.boogie.blocks import BlockBuilder
from cleave.frontends.boogie.evaluator import Evaluator, Scope
from cleave.frontends.boogie.generics import Generics
from cleave.frontends.boogie.headers import Header
from cleave.frontends.boogie.houdini import candidate_text
from cleave.frontends.boogie.maps import select_all, store_at
from cleave.frontends.boogie.threads.lowering import Lowered, ThreadLowering
from cleave.frontends.boogie.threads.starting import NOT_REACHABLE, Threads
from cleave.frontends.boogie.types import type_name
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.sorts import Sort
from cleave.logic.terms import TRUE, Term
from cleave.records import dataclass


@dataclass(slots=True, eq=False)
class _Open:
    """An ``if`` or ``while`` whose end has not come yet."""

    is_loop: bool
    label: str  # the user's label on it, or ""
    condition: Term | None
    other: str  # the block for when the condition is false; "" once that has been written
    after: str  # the block after the loop or if
    at: int
    head: str = ""  # of a loop
    is_used: bool = False  # something jumps to ``after``


class BodyLowering:
    """Lowers one body; ``lower`` is called once."""

    def __init__(
        self,
        evaluator: Evaluator,
        scope: Scope,
        assignable: Mapping[str, Term],
        wheres: Mapping[Term, Term],
        headers: Mapping[str, Header],
        threads: Threads | None = None,
        result: Term | None = None,
        generics: Generics | None = None,
    ) -> None:
        """``result`` gets what a code expression returns."""
        self._evaluator = evaluator
        self._source = evaluator.source
        self._scope = scope
        self._assignable = assignable
        self._wheres = wheres
        self._headers = headers
        self._generics = generics
        self._open: list[_Open] = []
        self._label = ""
        self._blocks = BlockBuilder(evaluator.source)
        self.extra_locals: list[Term] = []
        self._result = result
        self._threads = ThreadLowering(threads, headers, self.new_local) if threads is not None else None

    def lower(self, first: list[ir.Statement], statements: list[s.Statement]) -> dict[str, ir.Block]:
        self._add(first)
        for statement in statements:
            _STATEMENTS[type(statement)](self, statement)
        return self._blocks.finish()

    # --- simple statements ------------------------------------------------------------------------------------------

    def _assume(self, statement: s.Assume) -> None:
        condition = self._evaluator.condition(statement.condition, self._scope)
        place = user_location(statement.attributes) if statement.attributes else None
        if condition is TRUE and place is None:
            return
        self._blocks.add(ir.Assume(condition, place or self._source.location(statement.at)))

    def _assert(self, statement: s.Assert) -> None:
        condition = self._evaluator.condition(statement.condition, self._scope)
        place = user_location(statement.attributes) or self._source.location(statement.at)
        name = self._evaluator.candidate(statement.condition)
        text = message(statement.attributes, "assertion") if name is None else candidate_text(name)
        self._blocks.add(ir.Assert(condition, text, place))

    def _assign(self, statement: s.Assign) -> None:
        evaluator, scope = self._evaluator, self._scope
        targets: list[Term] = []
        values: list[Term] = []
        for target, code in zip(statement.targets, statement.values, strict=True):
            variable = self._variable(target.name, target.at)
            value = evaluator.term(code, scope)
            if target.indices:
                value = self._updated(target, variable, value)
                targets.append(variable)
                values.append(value)
                continue
            value = evaluator.unknown.fit(value, variable.sort)
            self._require_sort(target.name, variable, value, target.at)
            targets.append(variable)
            values.append(value)
        self._require_distinct(targets, statement.at)
        self._blocks.add(ir.Assign(tuple(targets), tuple(values), self._source.location(statement.at)))

    def _unpack(self, statement: s.Unpack) -> None:
        evaluator, place = self._evaluator, self._source.location(statement.at)
        targets = [self._variable(name, at) for at, name in statement.targets]
        self._require_distinct(targets, statement.at)
        value = evaluator.term(statement.value, self._scope)
        made = evaluator.datatypes.unpacked(value, statement.constructor, len(targets), statement.at)
        for (at, name), target, field in zip(statement.targets, targets, made.fields, strict=True):
            self._require_sort(name, target, field, at)
        self._blocks.add(ir.Assert(made.test, "unpacked value", place))
        self._blocks.add(ir.Assign(tuple(targets), made.fields, place))

    def _require_sort(self, name: str, variable: Term, value: Term, at: int) -> None:
        if value.sort is not variable.sort:
            message = f"'{name}' has type '{type_name(variable.sort)}', not '{type_name(value.sort)}'"
            raise self._source.error(at, message)

    def _updated(self, target: s.Target, variable: Term, value: Term) -> Term:
        """What holds the changed element or field. ``m[i][j]`` and ``m[i, j]`` mean the same."""
        steps: list[list[Term] | str] = [
            group if isinstance(group, str) else [self._evaluator.term(code, self._scope) for code in group]
            for group in target.indices
        ]
        data = self._evaluator.datatypes
        held = [variable]
        for step in steps[:-1]:
            at = target.at
            inner = held[-1]
            held.append(
                data.get(inner, step, at) if isinstance(step, str) else select_all(self._source, at, inner, step)
            )
        for one, step in zip(reversed(held), reversed(steps), strict=True):
            if isinstance(step, str):
                value = data.changed(one, step, value, target.at)
            else:
                indices, element = self._evaluator.unknown.indices(one.sort, step)
                value = self._evaluator.unknown.fit(value, element)
                value = store_at(self._source, target.at, one, indices, value)
        return value

    def _havoc(self, statement: s.Havoc) -> None:
        targets = tuple(dict.fromkeys(self._variable(name, at) for at, name in statement.names))
        place = self._source.location(statement.at)
        made: list[ir.Statement] = [ir.Havoc(targets, place)]
        made += [ir.Assume(self._wheres[target], place) for target in targets if target in self._wheres]
        if len(made) > 1 and self._threads is not None:  # nobody sees a value that is not allowed
            made = [ir.AtomicBegin(place), *made, ir.AtomicEnd(place)]
        self._add(made)

    def _add(self, statements: Iterable[ir.Statement]) -> None:
        for statement in statements:
            self._blocks.add(statement)

    def _call(self, statement: s.Call) -> None:
        made = self._made(statement)
        if made.header.body is None and made.header.name == NOT_REACHABLE:
            self._blocks.add(ir.Assert(t.FALSE, "assertion", made.place))
            return
        special = self._threads.called(made) if self._threads is not None and made.header.body is None else None
        self._add(special or [ir.Call(made.header.name, made.arguments, made.results, made.place)])

    def _made(self, statement: s.Call) -> Lowered:
        """A call whose arguments have been evaluated."""
        header = self._headers.get(statement.procedure)
        if header is None:
            raise self._source.error(statement.at, f"procedure '{statement.procedure}' is not declared")
        if header.is_polymorphic:
            header = self._instance(statement, header)
        place = user_location(statement.attributes) if statement.attributes else None
        place = place or self._source.location(statement.at)
        arguments = self._arguments(statement, header, place)
        return Lowered(header, arguments, self._results(statement, header), place)

    def _instance(self, statement: s.Call, header: Header) -> Header:
        """What a polymorphic procedure is for the types of a call's arguments and results."""
        signature, unknown = header.declaration.signature, self._evaluator.unknown
        self._require_count(statement, "arguments", len(signature.parameters), len(statement.arguments))
        self._require_count(statement, "results", len(signature.returns), len(statement.results))
        found: list[tuple[s.Type, Sort]] = []
        for code, parameter in zip(statement.arguments, signature.parameters, strict=True):
            term = self._evaluator.term(code, self._scope) if code is not None else None
            if term is not None and not unknown.holds(term):
                found.append((parameter.type, term.sort))
        for (at, name), returned in zip(statement.results, signature.returns, strict=True):
            if name != "*":
                found.append((returned.type, self._variable(name, at).sort))
        assert self._generics is not None
        return self._generics.called(header, found, statement.at)

    # --- threads ----------------------------------------------------------------------------------------------------

    def _async(self, statement: s.Async) -> None:
        assert self._threads is not None
        call = statement.call
        header = self._headers.get(call.procedure)
        if header is not None and not call.results:  # nobody waits for the results
            call.results = [(call.at, "*") for _ in header.returns]
        self._add(self._threads.started(self._made(call)))

    def _par(self, statement: s.Par) -> None:
        assert self._threads is not None
        self._require_distinct_results(statement)
        self._add(self._threads.all_of([self._made(call) for call in statement.calls]))

    def _require_distinct_results(self, statement: s.Par) -> None:
        names = [name for call in statement.calls for _, name in call.results if name != "*"]
        if len(set(names)) < len(names):
            raise self._source.error(statement.at, "the same variable is assigned twice in one statement")

    def _fork(self, statement: s.Fork) -> None:
        assert self._threads is not None
        ids = tuple(self._evaluator.term(code, self._scope) for code in statement.ids)
        call = statement.call
        header = self._headers.get(call.procedure)
        call.results = [(call.at, "*") for _ in header.returns] if header is not None else []
        self._add(self._threads.forked(ids, self._made(call)))

    def _join(self, statement: s.Join) -> None:
        assert self._threads is not None
        ids = tuple(self._evaluator.term(code, self._scope) for code in statement.ids)
        results = [self._variable(name, at) for at, name in statement.results]
        self._require_distinct(results, statement.at)
        self._add(self._threads.joined(ids, tuple(results), self._source.location(statement.at)))

    def _yield(self, statement: s.Yield) -> None:
        if self._threads is not None:
            self._add(self._threads.give_way(self._source.location(statement.at)))

    def _atomic(self, statement: s.Atomic) -> None:
        if self._threads is not None:
            self._blocks.add(ir.AtomicBegin(self._source.location(statement.at)))

    def _end_atomic(self, statement: s.EndAtomic) -> None:
        if self._threads is not None and self._blocks.is_open:
            self._blocks.add(ir.AtomicEnd(self._source.location(statement.at)))

    def _arguments(self, statement: s.Call, header: Header, place: ir.Location) -> tuple[Term, ...]:
        self._require_count(statement, "arguments", len(header.parameters), len(statement.arguments))
        found: list[Term] = []
        for number, (code, parameter) in enumerate(zip(statement.arguments, header.parameters, strict=True), 1):
            if code is None:
                found.append(self._anything(parameter))
                self._blocks.add(ir.Havoc((found[-1],), place))
                continue
            argument = self._evaluator.unknown.fit(self._evaluator.term(code, self._scope), parameter.sort)
            if argument.sort is not parameter.sort:
                wanted = type_name(parameter.sort)
                message = f"argument {number} of '{header.name}' has type '{wanted}', not '{type_name(argument.sort)}'"
                raise self._source.error(code[0][1], message)
            found.append(argument)
        return tuple(found)

    def _results(self, statement: s.Call, header: Header) -> tuple[Term, ...]:
        self._require_count(statement, "results", len(header.returns), len(statement.results))
        found: list[Term] = []
        for (at, name), returned in zip(statement.results, header.returns, strict=True):
            variable = self._anything(returned) if name == "*" else self._variable(name, at)
            if variable.sort is not returned.sort:
                message = f"'{name}' has type '{type_name(variable.sort)}', the result '{type_name(returned.sort)}'"
                raise self._source.error(at, message)
            found.append(variable)
        self._require_distinct(found, statement.at)
        return tuple(found)

    def _anything(self, like: Term) -> Term:
        """A new local for a ``*``."""
        return self.new_local("any", like.sort)

    def new_local(self, hint: str, sort: Sort) -> Term:
        variable = t.var(self._evaluator.names.fresh(hint), sort)
        self.extra_locals.append(variable)
        return variable

    def _require_count(self, statement: s.Call, what: str, expected: int, found: int) -> None:
        if expected != found:
            message = f"'{statement.procedure}' has {expected} {what}, not {found}"
            raise self._source.error(statement.at, message)

    def _require_distinct(self, variables: list[Term], at: int) -> None:
        if len(variables) > 1 and len(set(variables)) < len(variables):
            raise self._source.error(at, "the same variable is assigned twice in one statement")

    def _variable(self, name: str, at: int) -> Term:
        """The variable that a statement changes."""
        found = self._assignable.get(name)
        if found is not None:
            return found
        if name in self._scope.locals:
            raise self._source.error(at, f"'{name}' is a parameter and can't be changed")
        found = self._scope.shared.get(name)
        if found is None:
            raise self._source.error(at, f"'{name}' is not declared here")
        assert self._scope.old is not None
        if self._scope.old[name] is found:
            raise self._source.error(at, f"'{name}' is a constant and can't be changed")
        return found

    # --- control ----------------------------------------------------------------------------------------------------

    def _label_(self, statement: s.Label) -> None:
        self._blocks.declare(statement.name, statement.at)
        self._label = statement.name

    def _goto(self, statement: s.Goto) -> None:
        self._blocks.jump(statement.labels)

    def _return(self, statement: s.Return) -> None:
        if self._result is not None:
            if statement.value is None:
                raise self._source.error(statement.at, "a code expression returns a value")
            value = self._evaluator.condition(statement.value, self._scope)
            self._blocks.add(ir.Assign((self._result,), (value,)))
        self._blocks.close(())

    def _break(self, statement: s.Break) -> None:
        for around in reversed(self._open):
            if around.label == statement.label if statement.label else around.is_loop:
                around.is_used = True
                self._blocks.close((around.after,))
                return
        place = f"a statement labelled '{statement.label}'" if statement.label else "a loop"
        raise self._source.error(statement.at, f"'break' is not inside {place}")

    def _branch(self, condition: Term | None, at: int) -> None:
        """Starts a branch that is only taken when ``condition`` holds."""
        if condition is not None and condition is not TRUE:
            self._blocks.add(ir.Assume(condition, self._source.location(at)))

    def _condition(self, code: s.Code | None) -> Term | None:
        return None if code is None else self._evaluator.condition(code, self._scope)

    def _if(self, statement: s.If) -> None:
        condition = self._condition(statement.condition)
        then, other, after = (self._blocks.fresh(hint) for hint in ("then", "else", "join"))
        self._blocks.close((then, other))
        self._open.append(_Open(False, self._label, condition, other, after, statement.at))
        self._label = ""
        self._blocks.open(then)
        self._branch(condition, statement.at)

    def _else(self, statement: s.Else) -> None:
        opened = self._open[-1]
        self._leave(opened)
        self._open_other(opened)

    def _open_other(self, opened: _Open) -> None:
        """Starts the branch for when the condition is false."""
        self._blocks.open(opened.other)
        opened.other = ""
        self._branch(t.neg(opened.condition) if opened.condition is not None else None, opened.at)

    def _leave(self, opened: _Open) -> None:
        if self._blocks.is_open:
            opened.is_used = True
            self._blocks.close((opened.after,))

    def _end_if(self, statement: s.EndIf) -> None:
        opened = self._open[-1]
        self._leave(opened)
        if opened.other:
            self._open_other(opened)
            self._leave(opened)
        self._open.pop()
        self._label = ""
        if opened.is_used:
            self._blocks.open(opened.after)

    def _while(self, statement: s.While) -> None:
        head, body, done, after = (self._blocks.fresh(hint) for hint in ("head", "body", "done", "after"))
        self._blocks.open(head, self._source.location(statement.at))
        for invariant in statement.invariants:
            self._invariant(invariant)
        condition = self._condition(statement.condition)
        self._blocks.close((body, done))
        self._open.append(_Open(True, self._label, condition, done, after, statement.at, head))
        self._label = ""
        self._blocks.open(body)
        self._branch(condition, statement.at)

    def _invariant(self, invariant: s.Specification) -> None:
        condition = self._evaluator.condition(invariant.condition, self._scope)
        place = user_location(invariant.attributes) or self._source.location(invariant.at)
        if invariant.free:
            self._blocks.add(ir.Assume(condition, place))
        else:
            name = self._evaluator.candidate(invariant.condition)
            text = message(invariant.attributes, "loop invariant") if name is None else candidate_text(name)
            self._blocks.add(ir.Assert(condition, text, place))

    def _end_while(self, statement: s.EndWhile) -> None:
        opened = self._open.pop()
        self._label = ""
        if self._blocks.is_open:
            self._blocks.close((opened.head,))
        self._open_other(opened)
        if opened.is_used:
            self._blocks.open(opened.after)


_STATEMENTS: dict[type, Callable[[BodyLowering, Any], None]] = {
    s.Label: BodyLowering._label_,
    s.Assume: BodyLowering._assume,
    s.Assert: BodyLowering._assert,
    s.Assign: BodyLowering._assign,
    s.Unpack: BodyLowering._unpack,
    s.Havoc: BodyLowering._havoc,
    s.Call: BodyLowering._call,
    s.Async: BodyLowering._async,
    s.Par: BodyLowering._par,
    s.Fork: BodyLowering._fork,
    s.Join: BodyLowering._join,
    s.Yield: BodyLowering._yield,
    s.Atomic: BodyLowering._atomic,
    s.EndAtomic: BodyLowering._end_atomic,
    s.Goto: BodyLowering._goto,
    s.Return: BodyLowering._return,
    s.Break: BodyLowering._break,
    s.If: BodyLowering._if,
    s.Else: BodyLowering._else,
    s.EndIf: BodyLowering._end_if,
    s.While: BodyLowering._while,
    s.EndWhile: BodyLowering._end_while,
}
