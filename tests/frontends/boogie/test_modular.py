"""Procedures against their contracts, and Houdini."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.verdict import Result

INCREMENT = "var g: int; procedure inc(); modifies g; ensures g == old(g) + 1; implementation inc() { g := g + 1; }"

CASES: dict[str, tuple[str, dict[str, str]]] = {
    "a call is what the contract says": (
        "var g: int; procedure p(); modifies g; ensures g > 0; implementation p() { g := 5; }"
        "procedure q() modifies g; { call p(); assert g == 5; }",
        {"p": "safe", "q": "unsafe"},
    ),
    "a contract that does not hold": (
        "procedure p() returns (r: int) ensures r == 1; { r := 2; }",
        {"p": "unsafe"},
    ),
    "what is required is assumed": ("procedure p(x: int) requires x > 0; { assert x >= 1; }", {"p": "safe"}),
    "and checked by callers": (
        "procedure p(x: int); requires x > 0; procedure q() { call p(0); }",
        {"q": "unsafe"},
    ),
    "a free precondition is assumed inside only": (
        "procedure p(); free requires false; procedure q() { call p(); assert false; }"
        " procedure r() free requires false; { assert false; }",
        {"q": "unsafe", "r": "safe"},
    ),
    "where clauses of parameters, too": (
        "procedure p(x: int where x > 0); procedure q() { call p(0); assert false; }",
        {"q": "unsafe"},
    ),
    "free conditions of what is inlined": (
        "procedure {:inline 1} p() free requires false; free ensures false; { }"
        " procedure q() { call p(); assert false; }",
        {"q": "unsafe"},
    ),
    "a loop is its invariant": (
        "procedure p(n: int) requires n >= 0; { var i: int; i := 0; while (i < n) invariant i <= n; { i := i + 1; }"
        " assert i == n; }",
        {"p": "safe"},
    ),
    "a loop without one": (
        "procedure p(n: int) { var i: int; i := 0; while (i < n) { i := i + 1; } assert i >= 0; }",
        {"p": "unsafe"},
    ),
    "an invariant that does not stay": (
        "procedure p() { var i: int; i := 0; while (i < 5) invariant i < 3; { i := i + 1; } }",
        {"p": "unsafe"},
    ),
    "loops in loops": (
        "procedure p(n: int) { var i, j: int; i := 0; while (i < n) invariant i >= 0; {"
        " j := i; while (j > 0) invariant j >= 0; { j := j - 1; } i := i + j + 1; } assert i >= 0; }",
        {"p": "safe"},
    ),
    "the head of a loop of gotos": (
        "procedure p() { var i: int; i := 0; L: assert i >= 0; goto B, E; B: i := i + 1; goto L; E: assert i >= 0; }",
        {"p": "safe"},
    ),
    "where clauses hold after a loop": (
        "procedure p() { var i: int where i >= 0; havoc i; while (*) { havoc i; } assert i >= 0; }",
        {"p": "safe"},
    ),
    "an inlined procedure": (
        "var g: int; procedure {:inline 1} p() modifies g; { g := g + 1; } procedure q() modifies g;"
        " { g := 1; call p(); assert g == 2; }",
        {"q": "safe"},
    ),
    "as deep as it says": (
        "var g: int; procedure {:inline 2} p() modifies g; { if (*) { g := g + 1; call p(); } }"
        " procedure q() modifies g; { g := 0; call p(); assert g < 2; }",
        {"q": "safe"},
    ),
    "recursion": (
        INCREMENT + "procedure twice() modifies g; ensures g > old(g); { call inc(); if (*) { call twice(); } }",
        {"inc": "safe", "twice": "safe"},
    ),
    "what is not supported in one procedure is no matter for others": (
        "procedure p(x: int) { assert 2 ** x > 0; } procedure q() { assert true; }",
        {"p": "unknown", "q": "safe"},
    ),
    "each implementation": (
        "procedure p() returns (x: int); ensures x > 0; implementation p() returns (x: int) { x := 1; }"
        " implementation p() returns (y: int) { y := 0; }",
        {"p (1)": "safe", "p (2)": "unsafe"},
    ),
    "a free call": (
        "procedure p(i: int) requires i > 0; ensures i != 7; { assume i != 7; } procedure q() { free call p(0); }"
        " procedure r() { call p(0); } procedure s(i: int) { free call p(i); assert i != 7; }",
        {"p": "safe", "q": "safe", "r": "unsafe", "s": "safe"},
    ),
    "a polymorphic procedure": (
        "procedure p<T>(x: T) returns (y: T); ensures x == y; procedure q<T>(x: T) { var y: T; call y := p(x);"
        " assert x == y; } procedure r<T>(x: T, y: T) { assert x == y; }",
        {"q": "safe", "r": "unsafe"},
    ),
    "a type may be one that the file has": (
        "type F a; var h: <a>[F a]a; const g: F int;"
        " procedure p<T>(f: F T, x: T) modifies h; { h[f] := x; assert h[g] == old(h[g]); }"
        " procedure q<T>(f: F T, x: T) modifies h; { h[f] := x; assert h[f] == x; }",
        {"p": "unsafe", "q": "safe"},
    ),
    "values of a type that may be any": ("procedure p<T>(x: T) { assert x != 5; }", {"p": "unknown"}),
    "verify false": ("procedure {:verify false} p() { assert false; } procedure q() { }", {"q": "safe"}),
}


def modular(text: str, folder: Path, infer: str | None = None) -> Result:
    file = folder / "case.bpl"
    file.write_text(text)
    return verify(str(file), Options(workers=1, journal=None, modular=True, infer=infer, timelimit=60))


@pytest.mark.parametrize("name", CASES)
def test_each_procedure_has_its_verdict(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    assert {one.text: one.verdict.word for one in modular(text, tmp_path).each} == expected


HOUDINI = """
const {:existential true} a, b, c: bool;
var g: int;
procedure p() modifies g; ensures a ==> g > 0; ensures b ==> g > 10; { g := 5; }
procedure q() modifies g; ensures c ==> g > 3; ensures g > LIMIT; { call p(); }
"""


def test_houdini_keeps_what_holds_together(tmp_path: Path) -> None:
    found = modular(HOUDINI.replace("LIMIT", "0"), tmp_path, "houdini")
    assert found.inferred == {"a": True, "b": False, "c": False}
    assert found.verdict.word == "safe"


def test_houdini_does_not_hide_a_violation(tmp_path: Path) -> None:
    found = modular(HOUDINI.replace("LIMIT", "4"), tmp_path, "houdini")
    assert {one.text: one.verdict.word for one in found.each} == {"p": "safe", "q": "unsafe"}
