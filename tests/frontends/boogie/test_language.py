"""Records, data types, lambda and code expressions: small programs with the verdict that they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie import read_boogie, read_boogie_bytes
from cleave.frontends.boogie_options import BoogieOptions
from cleave.verdict import Unsafe

LISTS = "datatype L { Nil(), Cons(h: int, t: L) }"
OLD = "type {:datatype} L; function {:constructor} Nil(): L; function {:constructor} Cons(h: int, t: L): L;"

HEAP = "type F a; var h: <a>[int, F a]a; const unique f, g: F int; const unique b: F bool; "

OPTIONS = "datatype O<T> { None(), Some(t: T) } "

HOLDS = {
    "a data type for each type": OPTIONS
    + "procedure main() { var o: O int; var b: O bool; o := Some(3); b := Some(true); assert o->t == 3 && b->t; }",
    "the type that a target has": OPTIONS + "procedure main() { var o: O int; o := None(); assert o is None; }",
    "the type that others have": OPTIONS
    + "procedure main(b: bool) { var o: O int; o := if b then None() else Some(4); assert None() == o || o->t == 4; }",
    "types in types": "datatype L<T> { Nil(), Cons(h: T, t: L T) } datatype T<T> { Node(v: T, kids: L (T T)) }"
    " procedure main() { var t: T int; t := Node(1, Cons(Node(2, Nil()), Nil())); assert t->kids->h->v == 2; }",
    "in a map": OPTIONS + "var m: [int]O bv8; procedure main() { m[1] := None(); assert m[1] == None(); }",
    "and in a quantifier": OPTIONS + "function f<T>(o: O T): int; axiom (forall<T> :: f(None(): O T) == 7);"
    " procedure main() { var a: O int; a := None(); assert f(a) == 7; }",
    "types of literals": "function f<a>(x: a): int; axiom (forall<a> x: a :: f(x) > 0);"
    " procedure main() { assert f(1bv8) > 0 && f(1.5) > 0; }",
    "what an argument tells": "type S a; function empty<a>(): S a; function has<a>(x: a, s: S a): bool;"
    " axiom (forall<a> x: a :: !has(x, empty())); procedure main() { var s: S int; assert !has(3, empty()); }",
    "record": "procedure main() { var p: { x, y: int }; p := { y: 2, x: 1 }; p!x := p!x + 1; assert p!x == p!y; }",
    "record in a map": (
        "type P = { x: int }; var m: [P]P; procedure main() { m[{ x: 1 }]!x := 7; assert m[{ x: 1 }]!x == 7; }"
    ),
    "data type": LISTS + "procedure main() { var l: L; l := Cons(1, Nil()); assert l is Cons && l->h == 1; }",
    "a field of a data type": LISTS
    + "procedure main() { var l: L; assume l is Cons; l->h := 3; assert l->h == 3 && l->(h := 4)->h == 4; }",
    "data type, old style": OLD
    + "procedure main() { var l: L; l := Cons(1, Nil()); assert is#Cons(l) && h#Cons(l) == 1; }",
    "one of the constructors": LISTS + "procedure main() { var l: L; assert l is Nil || l is Cons; }",
    "lambda": "var g: int; procedure main() { var m: [int]int; m := (lambda i: int :: i + g); assert m[3] == g + 3; }",
    "two indices": "procedure main() { assert (lambda i: int, j: int :: i - j)[5, 3] == 2; }",
    "constant lambda": "var m: [int]int; procedure main() { m := (lambda i: int :: 7); assert m[5] == 7; }",
    "equal lambdas": "var g: int; procedure main() { assert (lambda i: int :: i + g) == (lambda j: int :: j + g); }",
    "polymorphic function": (
        "function id<a>(x: a): a { x } procedure main() { assert id(3) == 3 && id(true) && id(id(4)) == 4; }"
    ),
    "a function for each type": (
        "function f<a>(x: a): int; axiom (forall<a> x: a :: {f(x)} f(x) > 0);"
        " procedure main() { assert f(1) + f(true) > 1; }"
    ),
    "the result's type": (
        "type S a; function empty<a>(): S a; function size<a>(s: S a): int;"
        " axiom (forall<a> :: size(empty(): S a) == 0); procedure main() { assert size(empty(): S int) == 0; }"
    ),
    "polymorphic map": HEAP
    + "procedure main() { h[1, f] := 5; h[1, b] := true; h[2, f] := 6; assert h[1, f] == 5 && h[1, b]; }",
    "a quantifier over types": HEAP + "procedure main() { var k: <a>[int, F a]a; k := h; h[1, f] := 5;"
    " assert (forall<a> i: int, x: F a :: i != 1 ==> h[i, x] == k[i, x]); }",
    "fields of other types": HEAP + "procedure main() { var k: <a>[int, F a]a; k := h; h[1, f] := 5;"
    " assert (forall<a> i: int, x: F a :: x == f || h[i, x] == k[i, x]); }",
    "code": "var g: int; procedure main() { g := 1; assert |{ var a: int; A: a := g; return a == 1; }|; }",
    "code with ways": (
        "procedure main() { var x: int; assert |{ A: goto B, C; B: assume x > 0; return x >= 1;"
        " C: assume x <= 0; return x < 1; }|; }"
    ),
    "code with a call": (
        "var g: int; procedure p(i: int) returns (r: int) { r := g + i; }"
        "procedure main() { g := 1; assert |{ var a: int; A: call a := p(2); return a == 3; }|; }"
    ),
    "code with if": (
        "procedure main() { var x: int; assert |{ var a: int; if (x > 0) { a := x; } else { a := -x; }"
        " return a >= 0; }|; }"
    ),
    "a term of SMT-LIB": (
        'function {:smtdefined "(+ a (* 2 b))"} f(a: int, b: int) returns (r: int);'
        " procedure main() { assert f(1, 3) == 7; }"
    ),
    "terms for the fields of a record": (
        'type R = { n: int, v: real }; function {:expand_struct "n"} {:smtdefined "a"} {:expand_struct "v"}'
        ' {:smtdefined "(/ (to_real a) 2.0)"} f(a: int) returns (r: R);'
        " procedure main() { assert f(1)!n == 1 && f(1)!v == 0.5; }"
    ),
    "division of Ultimate": "procedure ULTIMATE.start() { assert 7 / 2 == 3; }",
    "target": "corral_assert_not_reachable",
    "unpacked": LISTS
    + "procedure main() { var l: L; var i: int; l := Cons(1, Nil()); Cons(i, l) := l; assert i == 1 && l is Nil; }",
    "attributes of statements": (
        "procedure main() { var x: int; x := {:id 1} 2; goto {:a} L; L: assert x == 2; return {:b}; }"
    ),
    "what a proof may use": (
        "const c: int uses { axiom c == 3; } function f(): int uses { hideable axiom f() == 4; }"
        " revealed function g(): int { 5 } uses { } procedure main() { hide *; push; reveal f; pop;"
        " assert c + f() + g() == 12; }"
    ),
    "a pure procedure": "pure procedure p(x: int) { assert x > 0; } procedure main() { call p(1); }",
    "a map without indices": "var m: []int; procedure main() { m[] := 4; m := m[:= m[] + 1]; assert m[] == 5; }",
    "several implementations": (
        "procedure p() returns (x: int); implementation p() returns (x: int) { x := 1; }"
        " implementation p() returns (y: int) { y := 2; } procedure main() { var a: int; call a := p();"
        " assert a == 1 || a == 2; }"
    ),
    "polymorphic procedure": (
        "procedure id<T>(x: T) returns (y: T); implementation id<S>(x: S) returns (y: S) { y := x; }"
        " procedure main() { var i: int; var b: bool; call i := id(3); call b := id(true); assert i == 3 && b; }"
    ),
    "polymorphic procedures call each other": (
        "procedure twice<T>(x: T) returns (p: [int]T) { call p := once(x); p[1] := x; }"
        " procedure once<T>(x: T) returns (p: [int]T) { p[0] := x; }"
        " procedure main() { var p: [int]bool; call p := twice(true); assert p[0] && p[1]; }"
    ),
    "what a result tells": OPTIONS
    + "procedure p<T>() returns (o: O T) { o := None(); } procedure main() { var o: O int; call o := p();"
    " assert o is None; }",
    "synonyms with parameters": (
        "type S a = [a]bool; function u<T>(a: S T, b: S T): S T;"
        " axiom (forall<T> a, b: S T :: u(a, b) == (lambda x: T :: a[x] || b[x]));"
        " procedure main(a: S int, b: S int) { assume b[2]; assert u(a, b)[2]; }"
    ),
    "what an index tells": (
        "var s: [int]bool; function empty<T>(): [T]bool; axiom (forall<T> x: T :: !empty()[x]);"
        " procedure main() { assert !empty()[3]; }"
    ),
    "lambda of something unknown": OPTIONS
    + "procedure main() { var m: [int]O bool; m := (lambda i: int :: None()); assert m[3] is None; }",
    "operators on maps": (
        'function {:builtin "MapAnd"} both(a: [int]bool, b: [int]bool): [int]bool;'
        ' function {:builtin "MapAdd"} sum(a: [int]int, b: [int]int): [int]int;'
        ' function {:builtin "MapIte"} pick(a: [int]bool, b: [int]int, c: [int]int): [int]int;'
        " procedure main(a: [int]bool, b: [int]int) { assert both(a, a)[1] == a[1];"
        " assert pick(a, sum(b, b), b)[2] == (if a[2] then 2 * b[2] else b[2]); }"
    ),
    "maps with the same elements": (
        "procedure main(a: [int]bool, i: int) { assert a[i := true] == (lambda x: int :: a[x] || x == i); }"
    ),
    "a type that no declaration has": (
        "function f<a>(x: a): int; axiom (forall<a> x: a :: f(x) > 0); procedure main() { assert f(1bv8 ++ 1bv8) > 0; }"
    ),
    "polymorphic lambda": HEAP + "procedure main() { var k: <a>[int, F a]a; var l: <a>[int, F a]bool; k := h;"
    " l := (lambda<a> i: int, x: F a :: h[i, x] == k[i, x]); assert l[1, f] && l[2, b]; }",
    "values of different types": HEAP + "procedure p<T>(x: T) returns (r: bool) { r := x == 5; }"
    " procedure main() { var r: bool; call r := p(5); assert r; call r := p(true); assert !r; }",
}
HOLDS["target"] = (
    "procedure corral_assert_not_reachable(); procedure main() { if (false) { call corral_assert_not_reachable(); } }"
)
FAILS = {
    "unpacked": LISTS + "procedure main() { var l: L; var i: int; Cons(i, l) := l; }",
    "several implementations": (
        "procedure p() returns (x: int); implementation p() returns (x: int) { x := 1; }"
        " implementation p() returns (y: int) { y := 2; }"
        " procedure main() { var a: int; call a := p(); assert a == 1; }"
    ),
    "polymorphic procedure": (
        "procedure p<T>(x: T, y: T) returns (z: T) { if (*) { z := x; } else { z := y; } }"
        " procedure main() { var i: int; call i := p(3, 4); assert i == 3; }"
    ),
    "polymorphic where it starts": "procedure p<T>(x: T, y: T) { assert x == y; }",
    "operators on maps": (
        'function {:builtin "MapNot"} not(a: [int]bool): [int]bool;'
        " procedure main(a: [int]bool) { assert not(a)[1] == a[1]; }"
    ),
    "axioms about constructors": LISTS + "function size(l: L): int; axiom size(Nil()) == 0;"
    " axiom (forall h: int, l: L :: {size(Cons(h, l))} size(Cons(h, l)) == size(l) + 1);"
    " procedure main() { var l: L; l := Cons(1, Cons(2, Nil())); assert size(l) == 2; assert l->t->h == 1; }",
    "polymorphic map": HEAP + "procedure main() { h[1, f] := 5; assert h[2, f] == 5; }",
    "a quantifier over types": HEAP + "procedure main() { var k: <a>[int, F a]a; k := h; h[1, f] := 5;"
    " assert (forall<a> i: int, x: F a :: h[i, x] == k[i, x]); }",
    "types that do not occur": HEAP
    + "procedure main() { assert (forall<a> i: int, x, y: F a :: h[i, x] == h[i, y]); }",
    "record": "procedure main() { var p: { x, y: int }; p!x := 1; assert p!y == 1; }",
    "data type": LISTS + "procedure main() { var l: L; assert l is Cons; }",
    "lambda": "var g: int; procedure main() { assert (lambda i: int :: i + g)[1] == 1; }",
    "code": "procedure main() { var x: int; assert |{ A: assume x > 0; return x > 1; }|; }",
    "code that is not set": "procedure main() { assert |{ var a: bool; A: return a; }|; }",
    "target": "procedure corral_assert_not_reachable(); procedure main() { call corral_assert_not_reachable(); }",
}


def word(text: str, folder: Path) -> str:
    file = folder / "case.bpl"
    file.write_text(text)
    return verify(str(file), Options(engine="inline", workers=1, journal=None)).verdict.word


@pytest.mark.parametrize("name", HOLDS)
def test_what_holds(name: str, tmp_path: Path) -> None:
    assert word(HOLDS[name], tmp_path) == "safe"


@pytest.mark.parametrize("name", FAILS)
def test_what_fails(name: str, tmp_path: Path) -> None:
    assert word(FAILS[name], tmp_path) == "unsafe"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("procedure main() { assert |{ A: goto A; }|; }", "loops in code expressions"),
        ("procedure p(); procedure main() { assert |{ A: call p(); return true; }|; }", "has no body"),
        ("procedure p() { call p(); } procedure main() { assert |{ A: call p(); return true; }|; }", "calls itself"),
        ("datatype L<a> { Nil(), C(t: L (L a)) } var l: L int;", "more than 64 instances"),
        ("datatype L<a> { Nil() } procedure main() { assert Nil() == Nil(); }", "say the type of the result of 'Nil'"),
        (
            'function {:smtdefined "(f 1)"} f(int, int): int; procedure main() { assert f(1, 2) == 0; }',
            "needs the operator",
        ),
        (
            "function f<a>(x: a): int { if x == x then 1 else f((lambda i: int :: x)) }"
            " procedure main() { assert (forall<a> x: a :: f(x) > 0) && f(1) > 0; }",
            "is used within itself with ever other types",
        ),
    ],
)
def test_what_is_not_supported(text: str, message: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        read_boogie(text, "case.bpl")
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("procedure main() { var p: { x: int }; assert p!y == 1; }", "has no field 'y'"),
        ("procedure main() { var p: { x: int }; p!x := true; }", "has type 'int', not 'bool'"),
        ("var p: { x, x: int };", "two fields of one name"),
        (LISTS + "procedure main() { assert Cons(1) == Nil(); }", "constructor 'Cons' takes (int, L)"),
        (LISTS + "procedure main() { assert Nil() is Other; }", "has no constructor 'Other'"),
        ("type {:datatype} L;", "has no constructor"),
        ("procedure main() { assert |{ A: return; }|; }", "returns a value"),
        ("procedure main() { return 1; }", "expected ';'"),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_boogie(text, "case.bpl")
    assert message in caught.value.message


def test_comments_need_not_be_utf8() -> None:
    assert read_boogie_bytes("// Käse\nprocedure main() { }".encode("latin-1"), "case.bpl").procedures.keys() == {
        "main"
    }


def test_two_files_are_one_program(tmp_path: Path) -> None:
    main, other = tmp_path / "main.bpl", tmp_path / "other.bpl"
    main.write_text("procedure main() { call p(); }")
    other.write_text("procedure p() {\n  assert false;\n}")
    result = verify(str(main), Options(workers=1, journal=None, boogie=BoogieOptions(others=(str(other),))))
    assert result.verdict.word == "unsafe"
    assert isinstance(result.verdict, Unsafe)
    assert str(result.verdict.trace.location) == f"{other}:2:3"
