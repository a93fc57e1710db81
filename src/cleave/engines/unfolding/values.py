"""Which values a term can have, where these are few.

    (ite c #x04 #x08)                {4, 8}
    (bvand x #x03)                   {0, 1, 2, 3}
    (bvadd (bvand x #x01) #x10)      {16, 17}
    (bvurem x #x03)                  {0, 1, 2}

What its variables can be may be known or not. Each value comes with a number, the *generation*: the greatest of those
of the values that it is made from.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from cleave.engines.unfolding.folding import FOLDED, fold
from cleave.engines.unfolding.simplify import cases, equal, simplified
from cleave.logic.terms import Op, Term, bv
from cleave.logic.walk import postorder

_MOST_COMBINATIONS = 256
_MOST_CASES = 32
_MOST_BITS = 5  # of a mask, or of a divisor

Values = dict[Term, int]


class Evaluation:
    """Of terms in which a variable has the values that ``of_variable`` tells; None where these are not known."""

    def __init__(self, of_variable: Callable[[Term], Values | None], most: int) -> None:
        self._of_variable = of_variable
        self._most = most
        self._found: dict[Term, Values | None] = {}
        self._seen: set[Term] = set()

    def __call__(self, term: Term) -> Values | None:
        """The values that a term can have; None: too many, or not known."""
        found = self._found
        for node in postorder((term,), self._seen):
            values = self._of_variable(node) if node.op is Op.VAR else _at(node, [found[arg] for arg in node.args])
            found[node] = values if values is None or len(values) <= self._most else None
        return found[term]


def choices(term: Term) -> list[tuple[Term, Term]] | None:
    """The constants that a term can be, whatever its variables are, each with the condition under which it is."""
    found = cases(term)
    if found is None:
        few = Evaluation(lambda _: None, _MOST_CASES)(term)
        found = None if few is None else [(equal(term, value), value) for value in few]
    return found


def united(one: Values, other: Values) -> Values:
    """Each value with the smaller of its generations."""
    return {**one, **{value: min(made, one.get(value, made)) for value, made in other.items()}}


def _at(node: Term, parts: list[Values | None]) -> Values | None:
    if node.op is Op.VALUE:
        return {node: 0}
    if node.sort.is_array or not node.args or node.op is Op.SELECT:
        return None
    if {} in parts:
        return {}  # something that it is made from has no value yet
    if node.op is Op.ITE:
        return _chosen(*parts)
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return _limited(node, parts)
    combinations = 1
    for part in known:
        combinations *= len(part)
    if combinations > _MOST_COMBINATIONS:
        return _limited(node, parts)
    made: Values = {}
    computed = fold if node.op in FOLDED else simplified
    for combination in product(*(part.items() for part in known)):
        value = computed(node, tuple([one for one, _ in combination]))
        if value.op is not Op.VALUE:
            return None
        generation = max(one for _, one in combination)
        made[value] = min(generation, made.get(value, generation))
    return made


def _chosen(condition: Values | None, then: Values | None, other: Values | None) -> Values | None:
    if condition is not None and len(condition) == 1:
        return then if next(iter(condition)).value else other
    return None if then is None or other is None else united(then, other)


def _limited(node: Term, parts: list[Values | None]) -> Values | None:
    """What a mask or a divisor leaves of any value."""
    if node.op is Op.BV_AND and len(parts) == 2:
        masks = parts[0] if parts[0] is not None else parts[1]
    elif node.op is Op.BV_UREM:
        masks = parts[1]
    else:
        return None
    found: Values = {}
    for mask, generation in (masks or {}).items():
        if mask.value.bit_length() > _MOST_BITS or (node.op is Op.BV_UREM and mask.value == 0):
            return None
        below = range(mask.value) if node.op is Op.BV_UREM else range(mask.value + 1)
        fitting = (number for number in below if node.op is Op.BV_UREM or number & ~mask.value == 0)
        found = united(found, {bv(number, node.sort.width): generation for number in fitting})
    return found if masks is not None else None


def contents(array: Term) -> list[Term]:
    """All that an array term can hold; the array itself where that can't be told."""
    found: dict[Term, None] = {}
    stack, seen = [array], {array}
    while stack:
        node = stack.pop()
        match node.op:
            case Op.STORE:
                found[node.args[2]] = None
                below = [node.args[0]]
            case Op.ITE:
                below = list(node.args[1:])
            case Op.CONST_ARRAY:
                found[node.args[0]] = None
                below = []
            case _:
                return [array]
        stack.extend(one for one in below if one not in seen)
        seen.update(below)
    return list(found)
