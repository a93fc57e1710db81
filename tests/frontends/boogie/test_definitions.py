"""Axioms that define functions and constants."""

from __future__ import annotations

import pytest

from cleave.errors import InputError
from cleave.frontends.boogie import read_boogie
from cleave.ir.check import check_program
from cleave.ir.program import Assume, Program
from cleave.logic.smtlib import print_term


def program(declarations: str, assumed: str) -> Program:
    found = read_boogie(f"const k: int; {declarations} procedure main() {{ assume {assumed}; }}", "case.bpl")
    check_program(found)
    return found


def condition(found: Program) -> str:
    (statement,) = found.procedures["main"].statements()
    assert isinstance(statement, Assume)
    return print_term(statement.condition)


@pytest.mark.parametrize(
    ("declarations", "assumed", "meaning"),
    [
        ("function f(x: int): int; axiom (forall a: int :: f(a) == a + 1);", "f(k) == 7", "(= (+ k 1) 7)"),
        ("function f(x: int): int; axiom (forall a: int :: {f(a)} f(a) == a + 1);", "f(k) == 7", "(= (+ k 1) 7)"),
        ("function p(int): bool; axiom (forall i: int :: p(i) <==> i != 0);", "(exists k: int :: p(k))", None),
        (
            "function f(x: int, y: int): int; axiom (forall a: int, b: int :: f(b, a) == a - b);",
            "f(5, k) == 0",
            "(= (- k 5) 0)",
        ),
        (
            "function f(x: int): int; function g(x: int): int; axiom (forall a: int :: f(a) == g(a) + 1); "
            "axiom (forall a: int :: g(a) == a * 2);",
            "f(k) == 9",
            "(= (+ (* k 2) 1) 9)",
        ),
    ],
)
def test_a_function_that_an_axiom_defines_is_expanded(declarations: str, assumed: str, meaning: str | None) -> None:
    found = program(declarations, assumed)
    assert not found.axioms
    assert not found.functions
    assert meaning is None or condition(found) == meaning


@pytest.mark.parametrize(
    "declarations",
    [
        "function f(x: int): int; axiom (forall a: int :: f(a) == f(a - 1) + 1);",  # of itself
        "function f(x: int): int; axiom (forall a: int :: a > 0 ==> f(a) == 1);",  # not everywhere
        "function f(x: int, y: int): int; axiom (forall a: int :: f(a, a) == 1);",
        "function f(x: int): int; axiom (exists a: int :: f(a) == 1);",
        "function f(x: int): int; axiom f(0) == 1;",
        "function f(x: int): bool; axiom (forall a: int :: f(a) <==> (exists b: int :: b * b == a));",
    ],
)
def test_other_axioms_stay(declarations: str) -> None:
    name = declarations.split("(")[0].removeprefix("function ")
    found = read_boogie(f"{declarations} procedure main() {{ }}", "case.bpl")
    assert len(found.axioms) == 1
    assert [function.name for function in found.functions] == [name]


def test_a_second_definition_stays_as_a_condition_on_the_first() -> None:
    twice = "function f(x: int): int; axiom (forall a: int :: f(a) == a + 1); axiom (forall a: int :: f(a) == 2);"
    (axiom,) = program(twice, "true").axioms
    assert "(+ " in print_term(axiom)


def test_a_function_that_another_trigger_names_stays() -> None:
    named = (
        "function f(x: int): int; function g(x: int): int; axiom (forall a: int :: {f(a)} f(a) == a + 1); "
        "axiom (forall a: int :: {f(a)} g(f(a)) > 0);"
    )
    found = program(named, "f(2) == 3")
    assert condition(found) == "(= (f 2) 3)"
    assert len(found.axioms) == 2


def test_types_of_a_definition_are_checked() -> None:
    with pytest.raises(InputError, match="argument 1 of 'f' has type 'int', not 'bool'"):
        program("function f(x: int): int; axiom (forall a: bool :: f(a) == 1);", "true")
    with pytest.raises(InputError, match="the body of 'f' has type 'int', not 'bool'"):
        program("function f(x: int): int; axiom (forall a: int :: f(a) == true);", "f(1) == 2")


def test_a_constant_that_an_axiom_defines_is_its_value() -> None:
    found = program("const c, d: int; axiom c == -8; axiom d == c - 1; axiom k > 3;", "c + d + k == 0")
    assert condition(found) == "(= (+ (- 17) k) 0)"
    assert {print_term(axiom) for axiom in found.axioms} >= {"(= c (- 8))", "(= d (- 9))", "(< 3 k)"}


def test_contradicting_constants_stay_contradictions() -> None:
    found = program("const c: int; axiom c == 1; axiom c == 2;", "true")
    assert any(axiom.is_false for axiom in found.axioms)
    found = program("const unique c, d: int; axiom c == 1; axiom d == 1;", "true")
    assert {print_term(axiom) for axiom in found.axioms} == {"(= c 1)", "(= d 1)", "(not (= c d))"}


def test_constants_that_are_to_be_inferred_are_told_of() -> None:
    found = program("const {:existential true} b: bool; const c: bool;", "b")
    assert found.assumptions == ("constants that are marked as existential (b) have any value: none is inferred",)
    assert not program("const c: bool;", "c").assumptions
