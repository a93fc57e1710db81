"""Data types are declared only if they have values."""

from __future__ import annotations

import pytest

from cleave.errors import UnsupportedError
from cleave.logic.datatypes import ArrayOf, Declaration, declare
from cleave.logic.sorts import INT

_OWN = Declaration("Own", (("c", (("of", 0),)),))
_FIRST = Declaration("First", (("a", (("b", 1),)),))
_SECOND = Declaration("Second", (("b", (("x", INT), ("a", ArrayOf(INT, 0)))),))
_FINE = Declaration("Fine", (("f", ()),))
_NOT = Declaration("Not", (("n", (("again", 1),)),))


@pytest.mark.parametrize(("group", "named"), [((_OWN,), "Own"), ((_FIRST, _SECOND), "First"), ((_FINE, _NOT), "Not")])
def test_a_type_without_values_is_refused(group: tuple[Declaration, ...], named: str) -> None:
    with pytest.raises(UnsupportedError, match=f"data type {named} holds another"):
        declare(group)


def test_a_type_whose_values_begin_somewhere_is_not() -> None:
    forest = Declaration("Forest", (("none", ()), ("more", (("first", 1), ("rest", 0)))))
    tree = Declaration("Tree", (("node", (("below", 0),)),))
    assert [sort.name for sort in declare((forest, tree))] == ["Forest", "Tree"]
