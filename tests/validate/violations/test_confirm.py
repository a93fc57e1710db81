"""A path is confirmed when it can end in a violation, and refuted, with the reason, when it can't."""

from __future__ import annotations

import pytest

from cleave.ir.path import Enter, Leave, Path, PathStep, Visit
from cleave.ir.reader import read_program
from cleave.validate.confirmation import Confirmation
from cleave.validate.violations.confirm import CANDIDATE_NOTE, validate_trace
from cleave.verdict import Trace


def main(body: str, declarations: str = "var g: Int\n", header: str = "", rest: str = "") -> str:
    locals_ = "  local x: Int\n  local y: Int\n"
    return f"{declarations}proc main(n: Int) -> (r: Int) {{\n{header}{locals_}  b0:\n{body}}}\n{rest}"


def validate(text: str, *steps: str | PathStep, seconds: float = 20) -> Confirmation:
    path: Path = (Enter("main"), *(Visit(step) if isinstance(step, str) else step for step in steps))
    return validate_trace(read_program(text), "main", path, seconds=seconds)


def confirmed(text: str, *steps: str | PathStep) -> Confirmation:
    result = validate(text, *steps)
    assert result.holds, result
    return result


def trace_of(text: str, *steps: str | PathStep) -> Trace:
    trace = confirmed(text, *steps).trace
    assert trace is not None
    return trace


def reason(text: str, *steps: str | PathStep) -> str:
    result = validate(text, *steps)
    assert not result.holds, result
    return result.text


# --- what can fail --------------------------------------------------------------------------------------------------


def test_an_assertion_in_the_last_block() -> None:
    text = main('    assume (< 5 n)\n    assert (< n 7) "small"\n    return\n')
    trace = trace_of(text, "b0")
    assert trace.violated == "small: n < 7"
    assert int(trace.inputs["n"]) >= 7


def test_a_later_assertion_when_the_first_holds() -> None:
    text = main('    x := 1\n    assert (= x 1) "one"\n    assert (= x 2) "two"\n    return\n')
    assert trace_of(text, "b0").violated == "two: x == 2"


def test_assertions_that_were_passed_held() -> None:
    text = main("    assert (< n 5)\n    goto b1\n  b1:\n    assert (< n 4)\n    return\n")
    assert trace_of(text, "b0", "b1").inputs["n"] == "4"


F = "proc f(p: Int) -> (q: Int) {{\n{}  fb:\n    q := (+ p 1)\n    return\n}}\n"
CALL_F = "    call f(n) -> (x)\n    assert (< x 9)\n    return\n"


def test_an_assertion_after_a_call() -> None:
    text = main(CALL_F, rest=F.format(""))
    returns_left_out = trace_of(text, "b0", Enter("f"), "fb")
    for trace in (trace_of(text, "b0", Enter("f"), "fb", Leave()), returns_left_out):
        assert int(trace.inputs["n"]) >= 8
    assert "nothing that could be violated" in reason(text, "b0")


def test_a_checked_requires_at_a_call() -> None:
    text = main(CALL_F, rest=F.format("  requires (< p 3)\n"))
    assert trace_of(text, "b0").violated == "requires of f: p < 3"
    assert "every check at the end of the path holds" in reason(text, "b0", Enter("f"), "fb", Leave())


def test_a_free_requires_is_assumed() -> None:
    text = main(CALL_F, rest=F.format("  requires free (< p 3)\n"))
    assert "every check at the end" in reason(text, "b0", Enter("f"), "fb", Leave())


def test_a_checked_ensures_at_the_end_of_a_body() -> None:
    text = main(CALL_F, rest=F.format("  ensures (< q 4)\n"))
    assert trace_of(text, "b0", Enter("f"), "fb").violated == "ensures of f: q < 4"
    assert "every check at the end" in reason(text, "b0", Enter("f"), "fb", Leave())


def test_a_free_ensures_is_assumed_after_the_call() -> None:
    text = main(CALL_F, rest=F.format("  ensures free (< q 4)\n"))
    assert "every check at the end" in reason(text, "b0", Enter("f"), "fb", Leave())


def test_the_entrys_own_contract() -> None:
    text = main("    r := n\n    return\n", header="  requires (< 3 n)\n  ensures free false\n  ensures (< r 5)\n")
    assert trace_of(text, "b0").violated == "ensures of main: r < 5"
    weak = main("    r := n\n    return\n", header="  requires (< n 5)\n  ensures (< r 5)\n")
    assert "every check at the end" in reason(weak, "b0")


def test_a_procedure_without_a_body() -> None:
    rest = "proc e(p: Int) -> (q: Int) {\n  ensures (and (< p q) (= g (+ |old(g)| 1)))\n  modifies g\n}\n"
    text = main(
        "    g := 2\n    call e(n) -> (x)\n    assert (not (and (= g 3) (= x (+ n 4))))\n    return\n", rest=rest
    )
    confirmed(text, "b0")
    assert "every check" in reason(text.replace("(= g 3)", "(= g 4)"), "b0")
    assert "every check" in reason(text.replace("(+ n 4)", "n"), "b0")


def test_old_values() -> None:
    rest = (
        "proc f() -> () {\n  ensures free (= g (+ |old(g)| 1))\n  fb:\n    havoc g\n"
        "    assert (= g (+ |old(g)| 1))\n    return\n}\n"
    )
    text = main("    g := n\n    call f() -> ()\n    assert (= g n)\n    return\n", rest=rest)
    assert trace_of(text, "b0", Enter("f"), "fb").violated.startswith("assertion: g == old(g) + 1")
    confirmed(text, "b0", Enter("f"), "fb", Leave())
    assert "every check" in reason(text.replace("(= g n)", "(= g (+ n 1))"), "b0", Enter("f"), "fb", Leave())


def test_reaching_the_end() -> None:
    text = "property end-reachable\n" + main("    assume (< 3 n)\n    assert (< n 5)\n    return\n")
    trace = trace_of(text, "b0", Leave())
    assert trace.violated == "the end of main is reached"
    assert trace.inputs["n"] == "4"
    assert "before the end is reached" in reason(text, "b0")
    assert "is false" in reason(text.replace("(< n 5)", "false"), "b0", Leave())


# --- what the reason says -------------------------------------------------------------------------------------------


def test_the_assume_that_contradicts_is_named_with_its_place() -> None:
    text = main(
        "    assume (< n 3) @ a.bpl:1:1\n    assume (< 0 x) @ a.bpl:2:1\n    assume (< 4 n) @ a.bpl:3:1\n"
        "    goto b1\n  b1:\n    assert false\n    return\n"
    )
    text_reason = reason(text, "b0", "b1")
    assert text_reason == "the path can't be taken: the assume in block b0 of main is false, at a.bpl:3:1"


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (("b1",), "main does not start in block b1"),
        (("b0", "b0"), "block b0 of main does not lead to block b0"),
        (("b0", "b2"), "does not lead to block b2"),
        (("b0", "b1", Leave()), "where block b1 of main calls f"),
        (("b0", "b1", "b2"), "where block b1 of main calls f"),
        (("b0", "b1", Enter("main")), "does not call main"),
        (("b0", Enter("f")), "the path can't be taken|does not call f|nothing that could be"),
        (("b0", Leave()), "does not return"),
        (("b0", "b1", Enter("f"), "fb", Leave(), Enter("f"), "fb"), "does not call f"),
        (("b0", "b1", Enter("f"), "b0"), "f does not start in block b0"),
        (("b0", "b1", Enter("f"), Leave()), "before it visits a block of f"),
        (("b0", "b1", Enter("f"), "fb", Leave(), "b2", Leave()), "after the entry procedure has returned"),
        (("b0", "b1", Enter("f"), "fb", Leave(), "b2", Leave(), Leave()), "goes on after"),
        ((), "before it visits a block of main"),
    ],
)
def test_illegal_steps(steps: tuple[str | PathStep, ...], message: str) -> None:
    body = "    goto b1\n  b1:\n    call f(n) -> (x)\n    goto b2\n  b2:\n    assert false\n    return\n"
    text = main(body, rest=F.format(""))
    confirmed(text, "b0", "b1", Enter("f"), "fb", Leave(), "b2")
    result = validate(text, *steps)
    assert not result.holds
    assert any(part in result.text for part in message.split("|")), result.text


def test_a_path_must_start_at_the_entry() -> None:
    program = read_program(main("    assert false\n    return\n"))
    assert not validate_trace(program, "main", ()).holds
    assert not validate_trace(program, "main", (Visit("b0"),)).holds
    assert not validate_trace(program, "nobody", (Enter("nobody"),)).holds
    bodyless = read_program("proc main() -> () {\n}\n")
    assert not validate_trace(bodyless, "main", (Enter("main"),)).holds


# --- values ---------------------------------------------------------------------------------------------------------


def test_division_by_zero_takes_the_models_value() -> None:
    text = main("    x := 0\n    assume (= (div n x) 41)\n    assume (= (mod 7 x) 3)\n    assert (= n 5)\n    return\n")
    confirmed(text, "b0")
    assert "every check" in reason(main("    assume (= x 0)\n    assert (= (div n x) (div n 0))\n    return\n"), "b0")


def test_maps_reals_bit_vectors_and_uninterpreted_sorts() -> None:
    declarations = (
        "var a: (Array Int (Array (_ BitVec 8) Real))\nvar t: T\nvar u: T\nvar m: (Array T Bool)\n"
        "var w: (_ BitVec 8)\nvar k: (Array (Array Int Bool) Int)\nvar s: (Array Int Bool)\n"
    )
    body = (
        "    assume (= (select (select a 3) #xff) 1.5)\n    assume (select m t)\n    assume (not (select m u))\n"
        "    w := (bvmul #x02 w)\n    assume (= w #x06)\n    a := (store a 2 (store (select a 3) w 0.25))\n"
        "    assume (and (= (select k s) 1) (= (select k (store s 4 (not (select s 4)))) 2))\n"
        "    assert (not (= (+ (select (select a 2) #xff) (select (select a 2) #x06)) 1.75))\n    return\n"
    )
    confirmed(main(body, declarations), "b0")
    assert "every check" in reason(main(body.replace("1.75", "1.5"), declarations), "b0")


def test_functions_and_quantified_axioms() -> None:
    declarations = "function f(Int) -> Int\naxiom (forall ((i Int)) (! (= (f i) (+ i 1)) :pattern ((f i))))\n"
    text = main("    x := (f n)\n    y := (f x)\n    assert (not (= y 12))\n    return\n", declarations)
    result = confirmed(text, "b0")
    assert result.trace is not None
    assert result.trace.inputs["n"] == "10"
    assert result.notes
    assert "every check" in reason(text.replace("(= y 12)", "(= y n)"), "b0")


def test_a_candidate_model_is_enough_where_the_solver_can_give_no_more() -> None:
    """The axioms have only infinite models, which no solver finds; the run needs them at one place."""
    declarations = (
        "function f(T) -> T\nfunction rank(T) -> Int\nconst start: T\n"
        "axiom (forall ((i T)) (! (< (rank i) (rank (f i))) :pattern ((f i))))\n"
        "axiom (forall ((i T) (j T)) (! (=> (= (rank i) (rank j)) (= i j)) :pattern ((rank i) (rank j))))\n"
    )
    text = main("    assume (= (rank (f start)) n)\n    assert (< n 10)\n    return\n", declarations)
    result = confirmed(text, "b0")
    assert CANDIDATE_NOTE in result.notes


def test_axioms_that_the_candidate_breaks_are_instantiated() -> None:
    """Matching on equal terms does not see that x is 0; the replay does."""
    declarations = (
        "function or(Int, Int) -> Int\nfunction f(T) -> T\nfunction rank(T) -> Int\nconst start: T\n"
        "axiom (forall ((i T)) (! (< (rank i) (rank (f i))) :pattern ((rank i))))\n"
        "axiom (forall ((i Int)) (! (= (|%6fr| 0 i) i) :pattern ((|%6fr| 0 i))))\n"
    ).replace("function or", "function |%6fr|")
    body = (
        "    assume (and (<= 0 x) (< x 1) (< 0 (rank start)))\n    y := (|%6fr| x 4)\n    assert (= y 5)\n    return\n"
    )
    assert trace_of(main(body, declarations), "b0").violated == "assertion: y == 5"
    assert not validate(main(body.replace("y 5", "y 4"), declarations), "b0", seconds=3).holds


def test_quantified_assumptions_and_assertions() -> None:
    declarations = "var a: (Array Int Int)\n"
    zeros = "(forall ((i Int)) (=> (and (<= 0 i) (< i n)) (= (select a i) 0)))"
    body = f"    assume {zeros}\n    assume (< 3 n)\n    a := (store a 2 x)\n    assert {zeros.replace('i ', 'j ').replace(' i)', ' j)')}\n    return\n"  # noqa: E501
    result = confirmed(main(body, declarations), "b0")
    assert result.trace is not None
    assert result.trace.violated.startswith("assertion: (forall j: Int ::")
    assert result.notes
    assert "every check" in reason(main(body.replace("a 2 x", "a 2 0"), declarations), "b0")


def test_an_existential_assumption_gets_a_witness() -> None:
    declarations = "var a: (Array Int Int)\n"
    body = "    assume (exists ((i Int)) (and (< 100 i) (= (select a (* 2 i)) 7)))\n    assert false\n    return\n"
    assert confirmed(main(body, declarations), "b0").holds


def test_a_deep_path() -> None:
    text = main(
        "    x := 0\n    goto b1\n  b1:\n    x := (+ x 1)\n    goto b1, b2\n  b2:\n    assert (< x n)\n    return\n"
    )
    confirmed(text, "b0", *(["b1"] * 3000), "b2")


def test_running_out_of_time_is_no_confirmation() -> None:
    text = main(
        "    assume (and (< 2 x) (< 2 y) (< 2 n))\n    assert (not (= (+ (* x x x) (* y y y)) (* n n n)))\n    return\n"
    )
    result = validate(text, "b0", seconds=0.5)
    assert not result.holds
