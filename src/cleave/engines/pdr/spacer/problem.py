"""A Horn system in Z3's terms, as SPACER takes it.

    Inv(x + 1) :- Inv(x), x < 10     is the rule     (forall (x) (=> (and (p0 x) (< x 10)) (p0 (+ x 1))))

Predicates are called p0, p1, ... by their place in the system, so that names of constants that SPACER derives from them
are known, and never another's. All queries lead to one more predicate, of no arguments.

Only the clauses that can take part in a derivation are given to Z3: all atoms of their bodies can be derived at all
(whatever the constraints say), and their heads are needed for a query. A predicate that can't be derived is false, one
that isn't needed is true.
"""

from __future__ import annotations

from cleave.engines.pdr.spacer.native import Fixedpoint, native
from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.sorts import BOOL, Sort, SortKind
from cleave.logic.terms import Function, Term
from cleave.passes.horn.relevant import relevant_clauses
from cleave.records import dataclass
from cleave.smt.z3.native import Context, array, lib
from cleave.smt.z3.terms import Translator


@dataclass(frozen=True)
class NativeAtom:
    predicate: str
    arguments: list[int]


@dataclass(frozen=True)
class NativeRule:
    """One clause; a query has no head."""

    head: NativeAtom | None
    body: tuple[NativeAtom, ...]
    constraint: int


class Problem:
    """The native clauses of ``system`` in one context; nodes live as long as the context."""

    def __init__(self, system: HornSystem, context: Context) -> None:
        self.context = context
        self.translator = Translator(context)
        self.system = system
        self.sorts = named_sorts(system)
        derivable, self.clauses = relevant_clauses(system)
        self.underivable = frozenset(system.predicates) - derivable
        self.functions: dict[str, Function] = {}
        self.declarations: dict[str, int] = {}
        for place, predicate in enumerate(system.predicates.values()):
            function = Function(f"p{place}", predicate.sorts, BOOL)
            self.functions[predicate.name] = function
            self.declarations[predicate.name] = self._declare(function)
        self.names = {self.functions[name].name: name for name in self.functions}
        self.query = self._declare(Function("query", (), BOOL))
        self.goal = self._apply(self.query, [])
        self.rules = [self._rule(system.clauses[index]) for index in self.clauses]
        self.used = [name for name in system.predicates if any(_uses(rule, name) for rule in self.rules)]

    def _declare(self, function: Function) -> int:
        domain = [self.translator.sort(sort) for sort in function.arguments]
        symbol = self.context.symbol(function.name)
        made = lib.Z3_mk_func_decl(
            self.context.pointer, symbol, len(domain), array(domain), self.translator.sort(function.result)
        )
        return self.context.own(made)

    def _apply(self, declaration: int, arguments: list[int]) -> int:
        made = lib.Z3_mk_app(self.context.pointer, declaration, len(arguments), array(arguments))
        return self.context.own(made)

    def _rule(self, clause: Clause) -> NativeRule:
        head = None if clause.head is None else self._atom(clause.head)
        body = tuple(self._atom(atom) for atom in clause.body)
        return NativeRule(head, body, self.translator.ast(clause.constraint))

    def _atom(self, atom: Atom) -> NativeAtom:
        return NativeAtom(atom.predicate, [self.translator.ast(argument) for argument in atom.arguments])

    def load(self, fixedpoint: Fixedpoint) -> None:
        """Gives SPACER the predicates and the rules."""
        pointer = self.context.pointer
        for declaration in (*(self.declarations[name] for name in self.used), self.query):
            native.Z3_fixedpoint_register_relation(pointer, fixedpoint.pointer, declaration)
            self.context.check()
        for index, rule in zip(self.clauses, self.rules, strict=True):
            formula = self._formula(rule, self.system.clauses[index].variables())
            symbol = self.context.symbol(f"r{index}")
            native.Z3_fixedpoint_add_rule(pointer, fixedpoint.pointer, formula, symbol)
            self.context.check()

    def _formula(self, rule: NativeRule, variables: frozenset[Term]) -> int:
        pointer = self.context.pointer
        parts = [self._apply(self.declarations[atom.predicate], atom.arguments) for atom in rule.body]
        parts.append(rule.constraint)
        body = self.context.own(lib.Z3_mk_and(pointer, len(parts), array(parts)))
        head = self.goal
        if rule.head is not None:
            head = self._apply(self.declarations[rule.head.predicate], rule.head.arguments)
        formula = self.context.own(lib.Z3_mk_implies(pointer, body, head))
        if not variables:
            return formula
        bound = [self.translator.ast(variable) for variable in sorted(variables, key=lambda v: (v.name, repr(v.sort)))]
        made = lib.Z3_mk_quantifier_const_ex(
            pointer, True, 0, None, None, len(bound), array(bound), 0, array([]), 0, None, formula
        )
        return self.context.own(made)


def named_sorts(system: HornSystem) -> list[Sort]:
    """The sorts with names of their own, data types and uninterpreted ones, that variables and arguments have."""
    waiting = [sort for predicate in system.predicates.values() for sort in predicate.sorts]
    for clause in system.clauses:
        waiting += sorted((variable.sort for variable in clause.variables()), key=repr)
    seen: dict[Sort, None] = {}
    while waiting:
        sort = waiting.pop()
        if sort in seen:
            continue
        seen[sort] = None
        if sort.is_array:
            waiting += (sort.index, sort.element)
        elif sort.is_datatype:
            waiting += sort.group
            waiting += (field for constructor in sort.constructors for field in constructor.fields)
    return [sort for sort in seen if sort.is_datatype or sort.kind is SortKind.UNINTERPRETED]


def _uses(rule: NativeRule, name: str) -> bool:
    return (rule.head is not None and rule.head.predicate == name) or any(atom.predicate == name for atom in rule.body)
