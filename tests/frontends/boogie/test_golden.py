"""Golden cases: Boogie in, the text form of ir out."""

from __future__ import annotations

from textwrap import dedent

import pytest

from cleave.frontends.boogie import read_boogie
from cleave.ir.check import check_program
from cleave.ir.text import print_program


def lowered(text: str) -> str:
    program = read_boogie(dedent(text), "case.bpl")
    check_program(program)
    return print_program(program).strip()


CASES = {
    "a straight body returns at its end": (
        """
        var g: int;
        procedure main() { g := 1; assert g == 1; }
        """,
        """
        var g: Int
        proc main() -> () {
          |entry#1|:
            g := 1
            assert (= g 1)
            return
        }
        """,
    ),
    "user labels stay, and falling through is a jump": (
        """
        procedure main() returns (r: int) {
          A: r := 1; goto B, C;
          B: r := 2;
          C: return;
        }
        """,
        """
        proc main() -> (r: Int) {
          A:
            r := 1
            goto B, C
          B:
            r := 2
            goto C
          C:
            return
        }
        """,
    ),
    "what no one reaches is dropped, and nothing jumps to the entry": (
        "procedure main() { L: goto L; M: assert false; }",
        """
        proc main() -> () {
          |entry#2|:
            goto L
          L:
            goto L
        }
        """,
    ),
    "a loop asserts its invariants on every arrival at its head": (
        """
        procedure main(n: int) {
          var i: int;
          i := 0;
          while (i < n)
            invariant {:msg "in range"} i <= n;
            free invariant 0 <= i;
          { i := i + 1; }
        }
        """,
        """
        proc main(n: Int) -> () {
          local i: Int
          |entry#1|:
            i := 0
            goto |head#2|
          |head#2|:
            assert (<= i n) "in range"
            assume (<= 0 i)
            goto |body#3|, |done#4|
          |body#3|:
            assume (< i n)
            i := (+ i 1)
            goto |head#2|
          |done#4|:
            assume (not (< i n))
            return
        }
        """,
    ),
    "a jump back to the label of a loop": (
        "procedure main() { L: while (*) { goto L; } }",
        """
        proc main() -> () {
          |entry#6|:
            goto L
          L:
            goto |head#2|
          |head#2|:
            goto |body#3|, |done#4|
          |body#3|:
            goto L
          |done#4|:
            return
        }
        """,
    ),
    "break leaves the loop or the labelled statement": (
        """
        procedure main(b: bool) {
          outer: while (*) { if (b) { break outer; } else { break; } }
        }
        """,
        """
        proc main(b: Bool) -> () {
          outer:
            goto |head#2|
          |head#2|:
            goto |body#3|, |done#4|
          |body#3|:
            goto |then#6|, |else#7|
          |then#6|:
            assume b
            goto |after#5|
          |else#7|:
            assume (not b)
            goto |after#5|
          |done#4|:
            goto |after#5|
          |after#5|:
            return
        }
        """,
    ),
    "else-if without a last else": (
        """
        procedure main(b: bool) returns (r: int) {
          if (b) { r := 1; } else if (*) { r := 2; }
        }
        """,
        """
        proc main(b: Bool) -> (r: Int) {
          |entry#1|:
            goto |then#2|, |else#3|
          |then#2|:
            assume b
            r := 1
            goto |join#4|
          |else#3|:
            assume (not b)
            goto |then#5|, |else#6|
          |then#5|:
            r := 2
            goto |join#7|
          |else#6|:
            goto |join#7|
          |join#7|:
            goto |join#4|
          |join#4|:
            return
        }
        """,
    ),
    "where clauses are assumed wherever a value is arbitrary": (
        """
        var g: int where g > 0;
        procedure open(p: int where p > 1) returns (q: int where q > 2);
          modifies g;
        procedure main() returns (r: int where r > 3) {
          var l: int where l > r;
          havoc g, l;
          call l := open(*);
        }
        """,
        """
        var g: Int
        proc open(p: Int) -> (q: Int) {
          requires free (< 1 p)
          ensures free (< 2 q)
          ensures free (< 0 g)
          modifies g
        }
        proc main() -> (r: Int) {
          requires free (< 0 g)
          local l: Int
          local |any#1|: Int
          |entry#1|:
            assume (< 3 r)
            assume (< r l)
            havoc g, l
            assume (< 0 g)
            assume (< r l)
            havoc |any#1|
            call open(|any#1|) -> (l)
            return
        }
        """,
    ),
    "a contract takes the implementation's names, and old its variable": (
        """
        var g: int;
        procedure p(x: int) returns (y: int);
          requires {:msg "positive"} x > 0;
          free requires g > 0;
          modifies g;
          ensures y == old(g) + x;
        implementation p(a: int) returns (b: int) { b := a + old(g); }
        """,
        """
        var g: Int
        proc p(a: Int) -> (b: Int) {
          requires (< 0 a) "positive"
          requires free (< 0 g)
          ensures (= b (+ |old(g)| a))
          modifies g
          |entry#1|:
            b := (+ a |old(g)|)
            return
        }
        """,
    ),
    "a local that hides a global gets another name": (
        """
        var x: int;
        procedure main() { var x: bool; x := true; }
        """,
        """
        var x: Int
        proc main() -> () {
          local |x#1|: Bool
          |entry#1|:
            |x#1| := true
            return
        }
        """,
    ),
    "maps with several indices are arrays of arrays": (
        """
        var m: [int, bool]int;
        procedure main() returns (r: int) {
          m[1, true] := 2;
          m[1][false], r := m[3, true], 4;
          m := m[5, true := 6];
        }
        """,
        """
        var m: (Array Int (Array Bool Int))
        proc main() -> (r: Int) {
          |entry#1|:
            m := (store m 1 (store (select m 1) true 2))
            m, r := (store m 1 (store (select m 1) false (select (select m 3) true))), 4
            m := (store m 5 (store (select m 5) true 6))
            return
        }
        """,
    ),
    "functions: expanded, recursive, named by a trigger, and without a body": (
        """
        const unique a, b: T;
        type T;
        function twice(x: int): int { x + x }
        function fact(n: int): int { if n <= 0 then 1 else n * fact(n - 1) }
        function kept(n: int): int { n + 1 }
        function opaque(T, int): bool;
        axiom (forall t: T, i: int :: {opaque(t, i)} {:weight 3} opaque(t, i));
        axiom (forall i: int :: { kept(i) } kept(i) > i);
        axiom twice(fact(2)) == 4;
        """,
        """
        const a: T
        const b: T
        function opaque(T, Int) -> Bool
        function kept(Int) -> Int
        function fact(Int) -> Int
        axiom (not (= a b))
        axiom (forall ((t?1 T) (i?2 Int)) (! (opaque t?1 i?2) :pattern ((opaque t?1 i?2))))
        axiom (forall ((i?3 Int)) (! (< i?3 (kept i?3)) :pattern ((kept i?3))))
        axiom (= (+ (fact 2) (fact 2)) 4)
        axiom (forall ((n?4 Int)) (! (= (kept n?4) (+ n?4 1)) :pattern ((kept n?4))))
        axiom (forall ((n?5 Int)) (! (= (fact n?5) (ite (<= n?5 0) 1 (* n?5 (fact (- n?5 1))))) :pattern ((fact n?5))))
        """,
    ),
    "a quantifier in an expanded body gets names of its own": (
        """
        function all(m: [int]bool): bool { (forall i: int :: m[i]) }
        const p, q: [int]bool;
        axiom all(p) || all(q);
        """,
        """
        const p: (Array Int Bool)
        const q: (Array Int Bool)
        axiom (or (forall ((i?3 Int)) (select p i?3)) (forall ((i?4 Int)) (select q i?4)))
        """,
    ),
    "SDV's form: the entry's end is the violation": (
        """
        procedure {:entrypoint} user();
        procedure fakeMain();
        procedure loop(); implementation {:LoopProcedure} {:SIextraRecBound 4} loop() { return; }
        implementation {:entrypoint} fakeMain() { call user(); assume {:OldAssert} !false; return; }
        """,
        """
        property end-reachable
        proc user() -> () {
        }
        proc fakeMain() -> () [entry] {
          |entry#1|:
            call user() -> ()
            return
        }
        proc loop() -> () [loop, extra_recursion 4] {
          |entry#1|:
            return
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_lowering(name: str) -> None:
    text, expected = CASES[name]
    assert lowered(text) == dedent(expected).strip()
