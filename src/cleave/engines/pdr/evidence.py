"""Interpretations and derivations as bytes, for messages and the journal.

    decode_interpretation(encode_interpretation(found)) == found

Decoding trusts nothing: what is not well-formed is an `InputError`. Whether it is true is for `validate` to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from cleave.errors import InputError
from cleave.ir.horn import Derivation, Interpretation, Relation, Step
from cleave.ir.horn_partition import Partition
from cleave.logic.encoding import decode, encode
from cleave.logic.sorts import BOOL
from cleave.logic.terms import Op, Term
from cleave.records import dataclass
from cleave.verdict import Reason

REASONS = {"memory": Reason.MEMORY, "unconfirmed": Reason.UNCONFIRMED, "interrupted": Reason.INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Invariants:
    """An interpretation of the prepared clauses for each partition, None being the whole problem. ``checked`` says how
    this very process has checked it; what comes from elsewhere is still to be, and that the partitions make up the
    whole."""

    interpretations: Mapping[Partition | None, Interpretation]
    checked: str = ""


class _Relations(msgspec.Struct, array_like=True, tag=1):
    """Predicates with the number of their parameters; and for each its parameters and its formula."""

    predicates: list[tuple[str, int]]
    terms: bytes


class _Steps(msgspec.Struct, array_like=True, tag=2):
    """(clause, predicate, number of arguments, premises) of each step; and all arguments."""

    steps: list[tuple[int, str | None, int, list[int]]]
    terms: bytes


def encode_interpretation(interpretation: Interpretation) -> bytes:
    predicates = [(name, len(relation.parameters)) for name, relation in interpretation.items()]
    terms = [term for relation in interpretation.values() for term in (*relation.parameters, relation.formula)]
    return msgspec.msgpack.encode(_Relations(predicates, encode(terms)))


def decode_interpretation(data: bytes) -> dict[str, Relation]:
    read = _decoded(data, _Relations)
    terms = _Terms(decode(read.terms))
    found: dict[str, Relation] = {}
    for name, count in read.predicates:
        parameters, (formula,) = terms.take(count), terms.take(1)
        if any(parameter.op is not Op.VAR for parameter in parameters) or formula.sort is not BOOL:
            raise InputError(f"an encoded relation {name} that is none")
        found[name] = Relation(parameters, formula)
    terms.end()
    return found


def encode_derivation(derivation: Derivation) -> bytes:
    steps = [(step.clause, step.predicate, len(step.arguments), list(step.premises)) for step in derivation.steps]
    return msgspec.msgpack.encode(_Steps(steps, encode([term for step in derivation.steps for term in step.arguments])))


def decode_derivation(data: bytes) -> Derivation:
    read = _decoded(data, _Steps)
    terms = _Terms(decode(read.terms))
    steps = [
        Step(clause, predicate, terms.take(count), tuple(premises)) for clause, predicate, count, premises in read.steps
    ]
    terms.end()
    return Derivation(tuple(steps))


_Evidence = TypeVar("_Evidence", _Relations, _Steps)


def _decoded(data: bytes, kind: type[_Evidence]) -> _Evidence:
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"evidence that can't be read: {error}") from None


class _Terms:
    def __init__(self, terms: Sequence[Term]) -> None:
        self._rest: Iterator[Term] = iter(terms)

    def take(self, count: int) -> tuple[Term, ...]:
        taken = tuple(term for _, term in zip(range(count), self._rest, strict=False))
        if len(taken) != count:
            raise InputError("evidence with terms missing")
        return taken

    def end(self) -> None:
        if next(self._rest, None) is not None:
            raise InputError("evidence with terms to spare")
