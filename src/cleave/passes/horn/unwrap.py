"""Arithmetic that could go round, but does not in its clause, is written without that.

    P(mod(4*i + 64, 4294967296)) :- P(x), 0 <= i, i < 1000          P(4*i + 64) :- P(x), 0 <= i, i < 1000

Bounds of variables are those that the clause says, also those of a part for that part alone. The clause means the same:
what bounds a variable stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from cleave.ir.horn import Atom, Clause, HornSystem
from cleave.logic.sorts import INT
from cleave.logic.terms import FALSE, TRUE, Op, Term, conj_all, disj_all, implies, ite
from cleave.logic.walk import postorder, rebuild

Range = tuple[float, float]
"""Least and greatest value: integers or infinite."""

Bounds = Mapping[Term, Range]

_ANY: Range = (-inf, inf)
_LARGE = 1 << 512  # numbers beyond are as good as infinite
_DEEPEST = 8  # parts of parts that have bounds of their own


def unwrap(system: HornSystem) -> HornSystem:
    return replace(system, clauses=tuple(map(unwrapped, system.clauses)))


def unwrapped(clause: Clause) -> Clause:
    bounds = _bounds({}, clause.constraint)
    constraint = _formula(clause.constraint, {})

    def atom(given: Atom) -> Atom:
        return Atom(given.predicate, tuple(_term(argument, bounds) for argument in given.arguments))

    head = None if clause.head is None else atom(clause.head)
    return replace(clause, head=head, body=tuple(map(atom, clause.body)), constraint=constraint)


def range_of(term: Term, constraint: Term) -> Range:
    """Between which numbers it is where the constraint holds, as far as its variables have bounds there."""
    ranges: dict[Term, Range] = {}
    bounds = _bounds({}, constraint)
    for part in postorder((term,)):
        ranges[part] = _range(part, ranges, bounds)
    return ranges[term]


def _formula(formula: Term, bounds: Bounds, depth: int = 0) -> Term:
    if formula.op not in (Op.AND, Op.OR, Op.IMPLIES) or depth > _DEEPEST:
        return _term(formula, bounds)
    if formula.op is Op.IMPLIES:
        return implies(*(_formula(part, bounds, depth + 1) for part in formula.args))
    if formula.op is Op.OR:
        return disj_all(_formula(part, bounds, depth + 1) for part in formula.args)
    inside = _bounds(bounds, formula)
    return conj_all(_formula(part, inside, depth + 1) for part in formula.args)


def _bounds(outer: Bounds, formula: Term) -> Bounds:
    """With those that conjuncts say of variables."""
    found = dict(outer)
    for part in formula.args if formula.op is Op.AND else (formula,):
        is_negated = part.op is Op.NOT
        fact = part.args[0] if is_negated else part
        if fact.op not in (Op.LE, Op.LT) or fact.args[0].sort is not INT:
            continue
        low, high = reversed(fact.args) if is_negated else fact.args
        is_strict = (fact.op is Op.LT) is not is_negated
        if high.is_value and low.is_var:
            least, greatest = found.get(low, _ANY)
            found[low] = (least, min(greatest, high.value - is_strict))
        elif low.is_value and high.is_var:
            least, greatest = found.get(high, _ANY)
            found[high] = (max(least, low.value + is_strict), greatest)
    return found


def _term(root: Term, bounds: Bounds) -> Term:
    """With remainders and choices that the bounds decide."""
    made: dict[Term, Term] = {}
    ranges: dict[Term, Range] = {}
    for node in postorder((root,)):
        if node.op in (Op.FORALL, Op.EXISTS):
            return root
        args = tuple(made[argument] for argument in node.args)
        term = rebuild(node, args) if args else node
        if node.op is Op.MOD and args[1].is_value and _within(ranges[args[0]], (0, args[1].value - 1)):
            term = args[0]
        elif node.op is Op.ITE and node.sort is INT:
            decided = _decided(args[0], ranges)
            term = term if decided is None else ite(decided, args[1], args[2])
        made[node] = term
        for part in postorder((term,), done=set(ranges)):
            low, high = _range(part, ranges, bounds)
            ranges[part] = (low if abs(low) < _LARGE else -inf, high if abs(high) < _LARGE else inf)
    return made[root]


def _within(inner: Range, outer: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _decided(condition: Term, ranges: Mapping[Term, Range]) -> Term | None:
    if condition.op not in (Op.LE, Op.LT) or condition.args[0].sort is not INT:
        return None
    (low, high), (other_low, other_high) = (ranges[side] for side in condition.args)
    is_strict = condition.op is Op.LT
    if high < other_low or (high == other_low and not is_strict):
        return TRUE
    if low > other_high or (low == other_high and is_strict):
        return FALSE
    return None


def _range(term: Term, ranges: Mapping[Term, Range], bounds: Bounds) -> Range:
    if term.sort is not INT:
        return _ANY
    if term.is_value:
        return (term.value, term.value)
    known = [ranges[argument] for argument in term.args]
    match term.op:
        case Op.ADD:
            return (sum(one[0] for one in known), sum(one[1] for one in known))
        case Op.SUB if len(known) == 2:
            return (known[0][0] - known[1][1], known[0][1] - known[1][0])
        case Op.MUL if any(argument.is_value for argument in term.args):
            return _scaled(term, known)
        case Op.ITE:
            return (min(known[1][0], known[2][0]), max(known[1][1], known[2][1]))
        case Op.MOD if term.args[1].is_value and term.args[1].value > 0:
            return (0, term.args[1].value - 1)
    return bounds.get(term, _ANY)


def _scaled(term: Term, known: list[Range]) -> Range:
    times = next(argument.value for argument in term.args if argument.is_value)
    low, high = known[1] if term.args[0].is_value else known[0]
    if times == 0:
        return (0, 0)
    return (low * times, high * times) if times > 0 else (high * times, low * times)
