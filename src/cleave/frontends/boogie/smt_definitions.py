"""Ultimate's functions that terms of SMT-LIB define.

    function {:smtdefined "(+ a 1)"} f(a: int) returns (r: int);
    function {:expand_struct "n"} {:smtdefined "a"} {:expand_struct "d"} {:smtdefined "2"} g(a: int) returns (r: R);

The second gives a record, each field of which has a term of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from cleave.errors import InputError
from cleave.frontends.boogie.builtins import Builder
from cleave.frontends.boogie.syntax import Attributes
from cleave.logic import datatypes as d
from cleave.logic import terms as t
from cleave.logic.smtlib_reader import read_term
from cleave.logic.sorts import Sort
from cleave.logic.terms import Term
from cleave.logic.walk import substitute

DEFINED, FIELDS = "smtdefined", "expand_struct"
EVERY = "*"  # ends the name under which all of an attribute's occurrences are kept


def definition(attributes: Attributes, names: Sequence[str], sorts: Sequence[Sort], result: Sort) -> Builder | None:
    """What builds an application; None if the attributes define nothing that can be read."""
    texts = [text.strip('"') for text in attributes.get(f"{DEFINED}{EVERY}", attributes.get(DEFINED, ()))]
    fields = [text.strip('"') for text in attributes.get(f"{FIELDS}{EVERY}", attributes.get(FIELDS, ()))]
    if len(set(names)) < len(names):  # they have no names to be used in a term
        return None
    parameters = {name: t.var(f"{name}?0", sort) for name, sort in zip(names, sorts, strict=True)}
    try:
        terms = [read_term(text, parameters) for text in texts]
    except InputError:
        return None
    body = _record(fields, terms, result) if fields else terms[0] if len(terms) == 1 else None
    if body is None or body.sort is not result:
        return None

    def build(*arguments: Term) -> Term:
        return substitute(body, dict(zip(parameters.values(), arguments, strict=True)))

    return build


def _record(fields: list[str], terms: list[Term], result: Sort) -> Term | None:
    made = result.constructors[0] if result.is_datatype and len(result.constructors) == 1 else None
    if made is None or sorted(fields) != sorted(made.selectors) or len(terms) != len(fields):
        return None
    by_name = dict(zip(fields, terms, strict=True))
    ordered = [by_name[name] for name in made.selectors]
    return d.construct(result, 0, *ordered) if tuple(one.sort for one in ordered) == made.fields else None
