"""Z3's settings follow from what a program computes with."""

from __future__ import annotations

import pytest

from cleave.engines.inline.solvers import profile_for
from cleave.frontends.boogie import read_boogie
from cleave.smt.z3.solver import BOOGIE, EXTENSIONAL, PLAIN, Profile


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("var g: int; procedure main() {}", BOOGIE),
        ("var g: bv32; procedure main() {}", PLAIN),
        ("var g: [int]bool; procedure main() { var x: [int][bv8]int; }", PLAIN),
        ("procedure main() returns (r: bv1) {}", PLAIN),
        ("procedure main(a: [int]int, b: [int]int) { assert a == b; }", EXTENSIONAL),
        ("procedure main(a: [int]int) { assert a == (lambda i: int :: a[i] + 1); }", EXTENSIONAL),
        ("procedure main(a: [int]int, b: [int]int) { assert a == b || (forall i: int :: a[i] == 1); }", BOOGIE),
        ("datatype P { P(m: [int]int) } procedure main(a: P, b: P) { assert a == b; }", EXTENSIONAL),
    ],
)
def test_what_is_computed_changes_the_settings(text: str, profile: Profile) -> None:
    assert profile_for(read_boogie(text, "p.bpl")) is profile
