"""An asserted formula as Horn clauses.

    (forall ((x Int)) (=> (or (P x) (and (Q x) (> x 0))) (and (R x) (S (+ x 1)))))

becomes

    R(x) :- P(x)           S(x + 1) :- P(x)
    R(x) :- Q(x), x > 0    S(x + 1) :- Q(x), x > 0

A formula is denied, and the ways in which that can be so are the clauses: the predicates that a way assumes are the
clause's body, the one that it denies is its head, and all formulas without predicates are its constraint, whole. Only
where predicates differ are ways separated. When that would give many clauses, a disjunction in a body becomes a
predicate of its own with one clause for each case, so that the number of clauses stays linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from cleave.frontends.horn.polarity import ENCLOSED, NEGATIVE, POSITIVE, Analysis
from cleave.ir.horn import Atom, Clause, Predicate
from cleave.ir.program import Location
from cleave.logic import terms as t
from cleave.logic.terms import Function, Op, Term
from cleave.logic.walk import free_variables, postorder, substitute
from cleave.records import dataclass

_WIDE = 16  # clauses of one assertion; above, disjunctions get predicates
_MOST = 100_000  # clauses of one assertion

_Item: TypeAlias = tuple[Term, bool]
"""A formula that is assumed to be true, or false."""


class NotHornError(Exception):
    """The formula is no conjunction of Horn clauses; ``predicate`` is one that is in the way."""

    def __init__(self, message: str, predicate: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.predicate = predicate


@dataclass(slots=True)
class _Way:
    """A clause in the making: what is still to be taken apart, and what was found."""

    pending: list[_Item]  # the next one last
    branching: list[_Item] = field(default_factory=list)
    body: list[Atom] = field(default_factory=list)
    constraint: list[Term] = field(default_factory=list)
    head: Atom | None = None
    variables: set[Term] = field(default_factory=set)

    def copy(self, pending: list[_Item]) -> _Way:
        return _Way(
            pending, list(self.branching), list(self.body), list(self.constraint), self.head, set(self.variables)
        )


class Normaliser:
    """Makes clauses of formulas, and new predicates where they are needed."""

    def __init__(self, declared: Mapping[Function, Predicate], words: set[str]) -> None:
        self._declared = declared
        self._words = words
        self._count = 0
        self.new_predicates: list[Predicate] = []

    def clauses(self, formula: Term, location: Location | None) -> list[Clause]:
        """The clauses that say the same as ``formula``, which may have free variables. Raises `NotHornError`."""
        return list(_Assertion(self, formula).clauses(location))

    def predicates(self) -> set[Function]:
        return set(self._declared)

    def fresh(self, name: str, taken: set[str]) -> str:
        while True:
            self._count += 1
            made = f"{name}!{self._count}"
            if made not in self._words and made not in taken:
                return made


class _Assertion:
    def __init__(self, normaliser: Normaliser, formula: Term) -> None:
        self._normaliser = normaliser
        self._analysis = Analysis(normaliser.predicates())
        self._analysis.add(formula)
        self._wide = self._analysis.width(formula)[1] > _WIDE
        self._named: dict[_Item, Atom] = {}
        self._ways = [_Way([(formula, False)], variables=set(free_variables(formula)))]

    def clauses(self, location: Location | None) -> Iterator[Clause]:
        count = 0
        while self._ways:
            way = self._ways.pop()
            if not self._follow(way):
                continue
            if way.branching:
                self._branch(way)
                continue
            count += 1
            if count > _MOST:
                raise NotHornError(f"the assertion stands for more than {_MOST} clauses")
            yield Clause(way.head, tuple(way.body), t.conj_all(way.constraint), location)

    def _follow(self, way: _Way) -> bool:
        """Takes apart what does not branch. False if the way is impossible."""
        while way.pending:
            term, assumed = way.pending.pop()
            polarity = self._analysis.polarity(term)
            if not polarity:
                constraint = term if assumed else t.neg(term)
                if constraint is t.FALSE:
                    return False
                way.constraint.append(constraint)
            elif polarity & ENCLOSED:
                self._refuse_enclosed(term)
            elif self._analysis.is_predicate(term):
                self._take(way, Atom(term.value.name, term.args), assumed)
            else:
                self._open(way, term, assumed)
        return True

    def _take(self, way: _Way, atom: Atom, assumed: bool) -> None:
        if assumed:
            way.body.append(atom)
        elif way.head is None:
            way.head = atom
        else:
            raise NotHornError(
                f"not a Horn clause: {way.head.predicate} and {atom.predicate} are alternatives in a head, or"
                " a predicate is denied in a body",
                atom.predicate,
            )

    def _open(self, way: _Way, term: Term, assumed: bool) -> None:
        match term.op:
            case Op.NOT:
                way.pending.append((term.args[0], not assumed))
            case Op.AND if assumed:
                way.pending += [(a, True) for a in reversed(term.args)]
            case Op.OR if not assumed:
                way.pending += [(a, False) for a in reversed(term.args)]
            case Op.IMPLIES if not assumed:
                way.pending += [(term.args[1], False), (term.args[0], True)]
            case Op.EXISTS | Op.FORALL:
                way.pending.append((self._instantiate(way, term, assumed), assumed))
            case _:
                way.branching.append((term, assumed))

    def _instantiate(self, way: _Way, term: Term, assumed: bool) -> Term:
        """The body of a quantifier that only says that the clause has more variables."""
        if assumed is (term.op is Op.FORALL):
            where = "a forall in a body" if assumed else "an exists in a head"
            name = self._some_predicate(term)
            raise NotHornError(f"not a Horn clause: the predicate {name} stands below {where}", name)
        analysis, renamed = self._analysis, {}
        for variable in term.value.variables:
            if analysis.binders[variable] > 1 or variable in way.variables:
                name = self._normaliser.fresh(variable.name, analysis.names)
                renamed[variable] = t.var(name, variable.sort)
            way.variables.add(renamed.get(variable, variable))
        if not renamed:
            return term.args[0]
        body = substitute(term.args[0], renamed)
        analysis.add(body)
        return body

    def _branch(self, way: _Way) -> None:
        """Tells the cases of one formula apart, or gives them a predicate. The first case is followed first."""
        term, assumed = way.branching.pop(0)
        if self._wide and not self._analysis.polarity(term) & (NEGATIVE if assumed else POSITIVE):
            self._name(way, term, assumed)
            return
        self._ways += [way.copy(list(case)) for case in reversed(self._cases(term, assumed))]

    def _name(self, way: _Way, term: Term, assumed: bool) -> None:
        atom = self._named.get((term, assumed))
        self._ways.append(way)
        if atom is None:
            variables = _in_order(term)
            name = self._normaliser.fresh("case", self._analysis.names)
            self._normaliser.new_predicates.append(Predicate(name, tuple(v.sort for v in variables)))
            atom = self._named[term, assumed] = Atom(name, variables)
            for case in reversed(self._cases(term, assumed)):
                self._ways.append(_Way(list(case), head=atom, variables=set(variables)))
        way.body.append(atom)

    def _cases(self, term: Term, assumed: bool) -> list[list[_Item]]:
        """Each a list of formulas to take apart, the next one last."""
        match term.op:
            case Op.OR | Op.AND:
                return self._grouped([(a, assumed) for a in term.args])
            case Op.IMPLIES:
                return self._grouped([(term.args[0], False), (term.args[1], True)])
            case Op.ITE:
                condition, then, other = term.args
                return [[(then, assumed), (condition, True)], [(other, assumed), (condition, False)]]
            case Op.EQ:
                left, right = term.args
                return [[(right, assumed), (left, True)], [(right, not assumed), (left, False)]]
        raise NotHornError(f"{term.op.value} is not supported around predicates", self._some_predicate(term))

    def _grouped(self, cases: list[_Item]) -> list[list[_Item]]:
        """One case each, and one for all that have no predicate."""
        found = [[item] for item in cases if self._analysis.polarity(item[0])]
        plain = [term if assumed else t.neg(term) for term, assumed in cases if not self._analysis.polarity(term)]
        if plain:
            found.append([(t.disj_all(plain), True)])
        return found

    def _refuse_enclosed(self, term: Term) -> None:
        for node in postorder((term,)):
            if self._analysis.polarity(node) & ENCLOSED:
                name = self._some_predicate(node)
                around = node.value.name if node.op is Op.APPLY else node.op.value
                raise NotHornError(f"not a Horn clause: the predicate {name} stands in an argument of {around}", name)

    def _some_predicate(self, term: Term) -> str:
        inner = [n for n in postorder((term,)) if self._analysis.is_predicate(n)]
        return str(inner[0].value.name)


def _in_order(term: Term) -> tuple[Term, ...]:
    """The free variables in the order in which they occur."""
    free = free_variables(term)
    return tuple(node for node in postorder((term,)) if node in free)
