"""Equations of single bits joined to equations of whole bit vectors, or of parts of them.

x[0] = 1, x[1] = 0, x[2] = 0, x[7] = 0, y < z     of 8 bits:     x[2:0] = 001, x[7:7] = 0, y < z
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.logic.terms import Op, Term, bv, eq, extract


def joined(predicates: Iterable[Term]) -> tuple[Term, ...]:
    """The same conjunction, with the vectors in the order of their first equation, before all else."""
    known: dict[Term, dict[int, int]] = {}
    others: list[Term] = []
    for predicate in predicates:
        found = _bits(predicate)
        if found is None:
            others.append(predicate)
            continue
        vector, low, values = found
        bits = known.setdefault(vector, {})
        if any(bits.get(low + place, value) != value for place, value in enumerate(values)):
            others.append(predicate)  # a contradiction, which is not for here
        else:
            bits.update((low + place, value) for place, value in enumerate(values))
    return (*(equation for vector, bits in known.items() for equation in _equations(vector, bits)), *others)


def _bits(predicate: Term) -> tuple[Term, int, list[int]] | None:
    """For an equation of a part of a vector with a constant: the vector, where the part begins, and its bits."""
    if predicate.op is not Op.EQ or not predicate.args[0].sort.is_bitvec:
        return None
    for part, constant in (predicate.args, predicate.args[::-1]):
        if constant.is_value and not part.is_value:
            values = [constant.value >> place & 1 for place in range(constant.sort.width)]
            is_extract = part.op is Op.EXTRACT
            return part.args[0] if is_extract else part, part.value[1] if is_extract else 0, values
    return None


def _equations(vector: Term, bits: dict[int, int]) -> list[Term]:
    """One for each run of known bits, the lowest first."""
    found: list[Term] = []
    low, value = min(bits), 0
    for place in sorted(bits):
        value |= bits[place] << place - low
        if place + 1 not in bits:
            found.append(eq(extract(vector, place, low), bv(value, place - low + 1)))
            low = min((other for other in bits if other > place), default=0)
            value = 0
    return found
