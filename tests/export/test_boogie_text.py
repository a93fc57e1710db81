"""What is printed as Boogie, read again, is the same program."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from cleave import Options, verify
from cleave.cli.main import main
from cleave.export.boogie import print_boogie
from cleave.frontends.boogie import read_boogie
from cleave.ir.check import check_program
from cleave.ir.program import Program
from cleave.ir.text import print_program
from cleave.passes.entries import choose_entries
from support.concurrent_programs import ConcurrentMaker, Features, violating_schedule

EVERYTHING = """
type T; datatype L { Nil(), Cons(h: int, t: L) }
var g: int; var m: [bv8][int]real; const c: T; function f(x: int, y: T): bool;
axiom (forall x: int :: {f(x, c)} f(x, c) ==> x > 0);
procedure p(x: bv8, l: L) returns (r: bv16); requires g > 0; modifies g; free ensures g == old(g) + 1;
procedure {:entrypoint} main() modifies g, m; {
  var x: bv8; var r: bv16; var l: L; var k: [int]int;
  g := 1; k := (lambda i: int :: 7);
  call r := p(x, Cons(1, Nil()));
  m[x][g] := 1.5;
  if (l is Cons && l->h < 0 && x[8:4] == 3bv4 && g mod 2 == 0) { havoc x; goto L; }
  assert {:msg "a {brace} and a \\\\"quote\\\\""} g == 2 && k[3] == 7 && m[x][2] == 1.5;
  L: return;
}
"""


def again(program: Program, entry: str | None = None) -> Program:
    found = read_boogie(print_boogie(program, choose_entries(program, entry)), "printed.bpl")
    check_program(found)
    return found


def test_all_that_there_is() -> None:
    program = read_boogie(EVERYTHING, "case.bpl")
    printed = again(program)
    assert same_names(print_program(again(printed))) == same_names(print_program(printed))
    kept = [p for p in print_program(program).splitlines() if "(forall" in p or "Cons" in p]
    assert len(kept) == len([p for p in print_program(printed).splitlines() if "(forall" in p or "Cons" in p])


def same_names(text: str) -> str:
    """Bound variables have new names each time."""
    return re.sub(r"(\?\d+)+", "?", text)


def word(file: Path) -> str:
    return verify(str(file), Options(engine="inline", workers=1, journal=None, timelimit=20)).verdict.word


def test_modifies_has_what_started_threads_write() -> None:
    program = read_boogie("var x: int; procedure w() { x := 1; } procedure main() { async call w(); }", "case.bpl")
    assert print_boogie(program, ("main",)).count("modifies x;") == 2


@pytest.mark.parametrize("name", sorted(p.name for p in (Path(__file__).parents[2] / "examples").glob("*.bpl")))
def test_examples_keep_their_verdict(name: str, tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "examples" / name
    printed = tmp_path / "printed.bpl"
    assert main(["boogie", str(file), "-o", str(printed)]) == 0
    assert word(printed) == word(file)


@pytest.mark.parametrize("seed", range(6))
def test_threads(seed: int) -> None:
    program = ConcurrentMaker(random.Random(seed), Features(statements=2)).program()
    found = violating_schedule(again(program), 8)
    assert (found is None) == (violating_schedule(program, 8) is None)


@pytest.mark.parametrize(("value", "expected"), [("1912", "safe"), ("1913", "unsafe")])
def test_c(value: str, expected: str, tmp_path: Path) -> None:
    source, printed = tmp_path / "a.c", tmp_path / "a.bpl"
    source.write_text(
        "void reach_error(void) {} int main(void) { unsigned x = 3; for (int i = 0; i < 4; i++) x = x * 5 + i;"
        f" if (x == {value}) reach_error(); return 0; }}"
    )
    assert main(["boogie", str(source), "-o", str(printed)]) == 0
    result = verify(str(printed), Options(engine="inline", workers=1, journal=None, timelimit=30))
    assert result.verdict.word == expected
