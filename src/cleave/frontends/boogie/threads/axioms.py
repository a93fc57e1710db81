"""Axioms of a program with threads: quantified ones are instantiated where their triggers match.

    axiom (forall x: int :: {Base(x)} Base(x) <= x);
    y := Base(z);                                          assume Base(z) <= z; y := Base(z)

What a trigger never matches says nothing about what is executed, so it is left out, and the result says so: that such
axioms have a model at all is taken for granted. Others are kept as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.rewriting import read_terms, with_statements
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import free_variables, functions, postorder, substitute
from cleave.records import dataclass

_MOST_INSTANCES = 200  # for one statement: what needs more goes round in circles
LEFT_OUT = "axioms about functions that the program does not use have a model"


@dataclass(frozen=True, slots=True)
class _Rule:
    """An axiom ``forall variables :: {pattern} body``."""

    pattern: Term
    variables: tuple[Term, ...]
    body: Term

    def instance(self, term: Term) -> Term | None:
        """What the axiom says about an application, if it says something."""
        found: dict[Term, Term] = {}
        for wanted, given in zip(self.pattern.args, term.args, strict=True):
            if wanted in self.variables:
                if found.setdefault(wanted, given) is not given:
                    return None
            elif wanted is not given:
                return None
        return substitute(self.body, found)


class Axioms:
    def __init__(self, axioms: Iterable[Term], procedures: Iterable[ir.Procedure], names: Names) -> None:
        self._names = names
        self.ground: list[Term] = []
        self.is_any_left_out = False
        self._rules: dict[Function, list[_Rule]] = {}
        terms = [term for p in procedures for statement in p.statements() for term in read_terms(statement)]
        self._read(list(axioms), set(functions(*terms)))

    def _read(self, axioms: list[Term], used: set[Function]) -> None:
        waiting: list[Term] = []
        for axiom in axioms:
            if any(node.op in (Op.FORALL, Op.EXISTS) for node in postorder((axiom,))):
                waiting.append(axiom)
            else:
                self.ground.append(axiom)
                used.update(functions(axiom))
        changed = True
        while changed:
            relevant = [axiom for axiom in waiting if _can_match(axiom, used)]
            waiting = [axiom for axiom in waiting if axiom not in relevant]
            before = len(used)
            for axiom in relevant:
                used.update(functions(axiom))
                self._add(axiom)
            changed = bool(relevant) or len(used) > before
        self.is_any_left_out = bool(waiting)

    def _add(self, axiom: Term) -> None:
        rules = _rules(axiom)
        if rules is None:
            self.ground.append(axiom)
            return
        for rule in rules:
            self._rules.setdefault(rule.pattern.value, []).append(rule)

    def procedure(self, procedure: ir.Procedure) -> ir.Procedure:
        if not self._rules:
            return procedure
        made: list[Term] = []
        blocks = with_statements(procedure, lambda one: self._statement(one, made))
        return replace(procedure, blocks=blocks, locals=(*procedure.locals, *made))

    def _statement(self, statement: ir.Statement, made: list[Term]) -> Iterator[ir.Statement]:
        instances = self._instances(read_terms(statement))
        if not instances:
            yield statement
            return
        place = statement.location
        yield ir.AtomicBegin(place)
        for condition in instances:
            if condition.op is Op.EXISTS:
                chosen = {v: t.var(self._names.fresh("some"), v.sort) for v in condition.value.variables}
                made += chosen.values()
                yield ir.Havoc(tuple(chosen.values()), place)
                condition = substitute(condition.args[0], chosen)
            yield ir.Assume(condition, place)
        if isinstance(statement, ir.Call | ir.Spawn):
            kept = tuple(t.var(self._names.fresh("argument"), a.sort) for a in statement.arguments)
            made += kept
            yield ir.Assign(kept, statement.arguments, place)
            yield ir.AtomicEnd(place)
            yield replace(statement, arguments=kept)
        else:
            yield statement
            yield ir.AtomicEnd(place)

    def _instances(self, terms: Iterable[Term]) -> list[Term]:
        found: dict[Term, None] = {}
        seen: set[Term] = set()
        pending = list(terms)
        while pending:
            if len(found) > _MOST_INSTANCES:
                raise UnsupportedError("axioms whose triggers match again and again are not supported with threads")
            term = pending.pop()
            bound = {v for n in postorder((term,)) if n.op in (Op.FORALL, Op.EXISTS) for v in n.value.variables}
            for node in postorder((term,)):
                if node.op is not Op.APPLY or node in seen or not bound.isdisjoint(free_variables(node)):
                    continue
                seen.add(node)
                for rule in self._rules.get(node.value, ()):
                    instance = rule.instance(node)
                    if instance is not None and not instance.is_true and instance not in found:
                        found[instance] = None
                        pending.append(instance)
        return list(found)


def _triggers(axiom: Term) -> list[tuple[Term, ...]]:
    found, args = [], list(axiom.args[1:])
    for size in axiom.value.trigger_sizes:
        found.append(tuple(args[:size]))
        del args[:size]
    return found


def _can_match(axiom: Term, used: set[Function]) -> bool:
    """Whether one of the triggers is made of functions that are used; without a trigger, whether any of its is."""
    if axiom.op is not Op.FORALL:
        return True
    own = set(functions(axiom))
    if not axiom.value.trigger_sizes:
        return not own or not own.isdisjoint(used)
    return any(set(functions(*trigger)) <= used for trigger in _triggers(axiom))


def _rules(axiom: Term) -> list[_Rule] | None:
    """None: the triggers have another form, or there are none."""
    if axiom.op is not Op.FORALL or not axiom.value.trigger_sizes:
        return None
    body, variables = axiom.args[0], axiom.value.variables
    inner = body.args[0] if body.op is Op.EXISTS else body
    if any(node.op in (Op.FORALL, Op.EXISTS) for node in postorder((inner,))):
        return None
    found: list[_Rule] = []
    for trigger in _triggers(axiom):
        if len(trigger) != 1 or trigger[0].op is not Op.APPLY:
            return None
        plain = all(a in variables or free_variables(a).isdisjoint(variables) for a in trigger[0].args)
        if not plain:
            return None
        found.append(_Rule(trigger[0], variables, body))
    return found
