"""What is not a program, or not one that Cleave handles: one clear sentence, at the right place."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.boogie import read_boogie
from cleave.frontends.read import read_bytes, read_program

WRONG = [
    ("var x: int; var x: bool;", "'x' is declared twice"),
    ("const x: int; var x: bool;", "'x' is declared twice"),
    ("type T; type T;", "type 'T' is declared twice"),
    ("function f(): int; function f(): int;", "function 'f' is declared twice"),
    ("procedure p(); procedure p();", "procedure 'p' is declared twice"),
    ("function p(): int; procedure p();", "both as a function and as a procedure"),
    ("procedure p(x: int) returns (x: int);", "'x' is declared twice"),
    ("implementation p() { }", "procedure 'p' is implemented but not declared"),
    ("procedure p(x: int); implementation p() { }", "declared with 1 parameters, not 0"),
    ("procedure p(x: int); implementation p(x: bool) { }", "declared with type 'int', not 'bool'"),
    ("procedure p() { goto L; }", "label 'L' does not exist"),
    ("procedure p() { L: L: }", "label 'L' is used twice"),
    ("procedure p() { break; }", "'break' is not inside a loop"),
    ("procedure p() { while (*) { break L; } }", "not inside a statement labelled 'L'"),
    ("procedure p(x: int) { x := 1; }", "'x' is a parameter and can't be changed"),
    ("const x: int; procedure p() { havoc x; }", "'x' is a constant and can't be changed"),
    ("procedure p() { x := 1; }", "'x' is not declared here"),
    ("var x: int; procedure p() { x := true; }", "'x' has type 'int', not 'bool'"),
    ("var x: int; procedure p() { x, x := 1, 2; }", "assigned twice"),
    ("var x: int; procedure p() { x, x := 1; }", "2 targets are assigned 1 values"),
    ("var x: int; procedure p() { x := 1; var y: int; }", "declared before the first statement"),
    ("procedure p() { call q(); }", "procedure 'q' is not declared"),
    ("procedure q(x: int); procedure p() { call q(); }", "'q' has 1 arguments, not 0"),
    ("procedure q(x: int); procedure p() { call q(true); }", "argument 1 of 'q' has type 'int', not 'bool'"),
    ("procedure q() returns (x: int); procedure p() { call q(); }", "'q' has 1 results, not 0"),
    ("procedure p(); modifies x;", "'x' is not a global variable"),
    ("var g: int; axiom g == 1;", "'g' is not declared here"),
    ("var g: int; procedure p(); requires old(g) == 1;", "'old' means nothing here"),
    ("var x: [int;", "expected ']', not ';'"),
    ("procedure p() {", "expected a statement or '}', not the end of the file"),
    ("procedure p() { if (*) { }", "not the end of the file"),
    ("wrong", "expected a declaration, not 'wrong'"),
    ("var x: int; @", "unexpected character '@'"),
    ('procedure p() { assert {:msg "open} true; }', "the string is not closed"),
    ("/* /* */ var x: int;", "the comment is never closed"),
    ("procedure p() { assert {:msg true;", "the attribute is never closed"),
    ("type A = B; type B = A; var x: A;", "defined by itself"),
    ("function f(x: int): int { true }", "the body of 'f' has type 'int', not 'bool'"),
    ("procedure p() { assert " + "9" * 5000 + " > 0; }", "more than 4000 digits"),
]

UNSUPPORTED = [
    ("procedure p() { call forall p(); }", "'call forall'"),
    ("procedure p<T>() { } procedure q() { call p(); }", "nothing tells what 'T' is in this call of 'p'"),
    ("procedure p<T>(x: T) { call p((lambda i: int :: x)); }", "more than 64 instances"),
    ("yield procedure p();", "Civl's actions, yield invariants and yield procedures"),
    ("procedure p() { while (*) measure 1; { } }", "measures (termination) are not checked"),
    ("procedure p() measure 1; { }", "measures (termination) are not checked"),
    ("var x: bv0;", "between 1 and 65536 bits"),
    ("var x: bv65537;", "between 1 and 65536 bits"),
    ("var x: float24e80;", "3 to 15 bits of exponent"),
    ("var x: string;", "'string' is not supported"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_input(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_boogie(text, "case.bpl")
    assert not isinstance(caught.value, UnsupportedError)
    assert message in caught.value.message


@pytest.mark.parametrize(("text", "message"), UNSUPPORTED)
def test_unsupported_input(text: str, message: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        read_boogie(text, "case.bpl")
    assert message in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "function f<T>(x: T): T;",
        "function f(x: float2e8): float2e8;",
        'function {:builtin "fp.rem"} f(x: float24e8): float24e8; function g(x: float24e8): float24e8 { f(x) }',
        "procedure p<T>(x: T);",
        "type M = <a>[a]int;",
        "type float; var x: float;",
        "const a: int extends unique b, c complete; const b, c: int;",
    ],
)
def test_what_is_declared_and_never_used_does_no_harm(text: str) -> None:
    read_boogie(text, "case.bpl")


def test_an_error_shows_its_place() -> None:
    with pytest.raises(InputError) as caught:
        read_boogie("var x: int;\nprocedure p()\n{\n  x := y;\n}\n", "case.bpl")
    assert str(caught.value) == "case.bpl:4:8: 'y' is not declared here\n      x := y;\n           ^"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "latin.bpl"
    path.write_bytes(b"// fine\n   \xe4\n")
    with pytest.raises(InputError) as caught:
        read_program(str(path))
    assert (caught.value.line, caught.value.column) == (2, 4)
    assert "UTF-8" in caught.value.message


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "missing.bpl"), "a\0b"):
        with pytest.raises(InputError, match="can't read the file"):
            read_bytes(path)
