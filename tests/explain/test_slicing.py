"""What a violation depends on, in runs of small programs, and what of that a reader is shown."""

from __future__ import annotations

import pytest

from cleave.explain.control import postdominators
from cleave.explain.folding import SKIPPED, shortened
from cleave.explain.selection import BUDGET, REPEATS
from cleave.explain.trace import compact
from cleave.ir.path import Enter, Leave, PathStep, Visit
from cleave.ir.program import Procedure, Program
from cleave.ir.reader import read_program
from cleave.validate.violations.confirm import validate_trace
from cleave.verdict import Trace


def trace_of(program: Program, path: tuple[PathStep, ...]) -> Trace:
    result = validate_trace(program, "main", path)
    assert result.trace is not None, result
    return result.trace


def compact_texts(text: str, *path: PathStep) -> list[str]:
    return [step.text for step in compact(trace_of(read_program(text), (Enter("main"), *path))).steps]


def main_of(text: str) -> Procedure:
    return read_program(text).procedures["main"]


def visits(labels: str) -> list[PathStep]:
    return [Visit(label) for label in labels.split()]


# --- control --------------------------------------------------------------------------------------------------------

BRANCHES = """\
proc main(n: Int, m: Int) -> () {
  local x: Int
  b0:
    x := 0
    goto b1, b2
  b1:
    assume (< n 0)
    x := 1
    goto b3
  b2:
    assume (<= 0 n)
    goto b3
  b3:
    goto b4, b5
  b4:
    assume (< m 0)
    goto b6
  b5:
    assume (<= 0 m)
    goto b6
  b6:
    assert (= x 0)
    return
}
"""


def test_the_decision_for_a_step_matters_and_one_that_has_joined_again_does_not() -> None:
    assert compact_texts(BRANCHES, *visits("b0 b1 b3 b4 b6")) == [
        "call main(n, m)",
        "assume n < 0",
        "x := 1",
        "assert x == 0",
    ]


def test_ways_join_at_the_immediate_postdominator() -> None:
    joins = {"b0": "b3", "b1": "b3", "b2": "b3", "b3": "b6", "b4": "b6", "b5": "b6", "b6": ""}
    assert postdominators(main_of(BRANCHES)) == joins


@pytest.mark.parametrize(
    ("edges", "joins"),
    [
        ({"a": ["b", "c"], "b": ["a"], "c": []}, {"a": "c", "b": "a", "c": ""}),
        ({"a": ["b", "c"], "b": [], "c": []}, {"a": "", "b": "", "c": ""}),
        ({"a": ["b", "c"], "b": ["b"], "c": []}, {"a": "c", "c": ""}),
        ({"a": ["b", "c"], "b": ["c"], "c": ["b", "d"], "d": []}, {"a": "c", "b": "c", "c": "d", "d": ""}),
    ],
    ids=["loop", "two returns", "no way out", "two entries"],
)
def test_postdominators(edges: dict[str, list[str]], joins: dict[str, str]) -> None:
    ways = {label: f"goto {', '.join(to)}" if to else "return" for label, to in edges.items()}
    blocks = "".join(f"  {label}:\n    {way}\n" for label, way in ways.items())
    assert postdominators(main_of(f"proc main() -> () {{\n{blocks}}}\n")) == joins


def test_an_early_return_that_all_callers_check_is_not_repeated() -> None:
    """As in driver models: the error flag is tested after every call, but these tests decide nothing in the end."""
    inner = "".join(
        f"proc f{n}() -> () {{\n  b0:\n    call f{n + 1}() -> ()\n    goto b1, b2\n"
        "  b1:\n    assume (= err 1)\n    goto b3\n  b2:\n    assume (distinct err 1)\n    goto b3\n"
        "  b3:\n    return\n}\n"
        for n in range(5)
    )
    text = (
        "var err: Int\nproc main() -> () {\n  m0:\n    err := 0\n    call f0() -> ()\n    assert (= err 0)\n"
        f"    return\n}}\n{inner}proc f5() -> () {{\n  e:\n    err := 1\n    return\n}}\n"
    )
    path: list[PathStep] = [Visit("m0")]
    for n in range(5):
        path += [Enter(f"f{n}"), Visit("b0")]
    path += [Enter("f5"), Visit("e"), Leave(), *5 * (Visit("b1"), Visit("b3"), Leave())]
    calls = [f"call f{n}()" for n in range(6)]
    assert compact_texts(text, *path) == ["call main()", *calls, "err := 1", "assert err == 0"]


# --- data -----------------------------------------------------------------------------------------------------------


def straight(body: str, variables: str = "x y z: Int") -> str:
    names, sort = variables.split(": ")
    declared = "".join(f"  local {name}: {sort}\n" for name in names.split())
    statements = "".join(f"    {line.strip()}\n" for line in body.strip().splitlines())
    return f"proc main() -> () {{\n{declared}  b0:\n{statements}    return\n}}\n"


def test_of_a_map_only_the_element_read_matters() -> None:
    body = """
        m := (store m 1 10)
        m := (store m 2 20)
        k := (store m 3 30)
        k := (store k 2 21)
        assert (< (select k 1) 5)
    """
    assert compact_texts(straight(body, "m k: (Array Int Int)"), Visit("b0")) == [
        "call main()",
        "m[1] := 10",
        "assert k[1] < 5",
    ]


def test_a_map_that_is_read_as_a_whole_matters_as_a_whole() -> None:
    body = """
        m := (store m 1 10)
        m := (store m 2 20)
        assert (= m k)
    """
    assert len(compact_texts(straight(body, "m k: (Array Int Int)"), Visit("b0"))) == 4


def test_an_element_that_was_set_is_shown_alone() -> None:
    body = """
        m := (store m 1 10)
        assert (< (select m 1) 5)
    """
    trace = trace_of(read_program(straight(body, "m: (Array Int Int)")), (Enter("main"), Visit("b0")))
    assert [dict(step.values) for step in trace.steps[-2:]] == [{"m[1]": "10"}, {"m[1]": "10"}]


def test_what_is_assumed_about_a_choice_matters() -> None:
    body = """
        havoc x
        assume (< y 3)
        assume (< 7 x)
        y := 4
        assume (< y 5)
        assert (< x 7)
    """
    assert compact_texts(straight(body), Visit("b0")) == ["call main()", "havoc x", "assume 7 < x", "assert x < 7"]


def test_what_a_procedure_without_a_body_promises_matters() -> None:
    text = (
        "var g: Int\nvar h: Int\nproc main() -> () {\n  local x: Int\n  local y: Int\n  b0:\n    g := 1\n    h := 2\n"
        "    y := 3\n    call next(y, 4) -> (x)\n    assert (< x 0)\n    return\n}\n"
        "proc next(p: Int, q: Int) -> (r: Int) {\n  modifies h\n  ensures (= r (+ p |old(g)|))\n  ensures (= h q)\n}\n"
    )
    assert compact_texts(text, Visit("b0")) == [
        "call main()",
        "g := 1",
        "y := 3",
        "call x := next(y, 4)",
        "return from next",
        "assert x < 0",
    ]


def test_where_the_end_is_the_violation_the_last_assume_is_the_reason() -> None:
    text = straight("x := 1\ny := 2\nassume (= x 1)", "x y: Int")
    program = read_program(f"property end-reachable\n{text}")
    trace = trace_of(program, (Enter("main"), Visit("b0"), Leave()))
    shown = [step.text for step in compact(trace).steps]
    assert shown == ["call main()", "x := 1", "assume x == 1", "the end of main is reached"]


# --- what is shown --------------------------------------------------------------------------------------------------

LOOP = """\
proc main() -> () {
  local i: Int
  b0:
    i := 0
    goto head
  head:
    goto body, done
  body:
    assume (< i 20)
    i := (+ i 1)
    goto head
  done:
    assume (<= 20 i)
    assert (< i 20)
    return
}
"""


def test_further_iterations_are_counted() -> None:
    path = [*visits("b0"), *20 * visits("head body"), *visits("head done")]
    assert compact_texts(LOOP, *path) == [
        "call main()",
        "i := 0",
        "… 17 further iterations",
        *3 * ("assume i < 20", "i := i + 1"),
        "assert i < 20",
    ]


def test_a_deep_stack_is_cut_in_the_middle() -> None:
    text = (
        "var g: Int\nproc main() -> () {\n  b0:\n    g := 0\n    call f(0) -> ()\n    return\n}\n"
        "proc f(n: Int) -> () {\n  a:\n    goto more, stop\n  more:\n    call f((+ n 1)) -> ()\n    return\n"
        "  stop:\n    assert (< n 100)\n    return\n}\n"
    )
    deeper: list[PathStep] = [Enter("f"), Visit("a"), Visit("more")]
    path = [Visit("b0"), *100 * deeper, Enter("f"), *visits("a stop")]
    trace = trace_of(read_program(text), (Enter("main"), *path))
    steps = compact(trace).steps
    notes = [step for step in steps if step.kind == SKIPPED]
    calls = sum(step.kind == "call" for step in steps)
    assert [note.text for note in notes] == [f"… {102 - calls} calls deeper"]
    assert calls <= 24 + REPEATS
    assert steps[-1].kind == "violation"


def test_the_compact_trace_of_a_long_program_is_short() -> None:
    """Everything matters: a chain of 2,000 additions, each in a procedure of its own."""
    count = 2_000
    bodies = "".join(
        f"proc f{n}(p: Int) -> (r: Int) {{\n  b:\n    g := (+ g p)\n    r := (+ p g)\n    return\n}}\n"
        for n in range(count)
    )
    calls = "".join(f"    call f{n}(x) -> (x)\n" for n in range(count))
    main = f"  local x: Int\n  b0:\n    g := 1\n    x := 1\n{calls}    assert (< x 0)\n    return\n"
    path: list[PathStep] = [Visit("b0")]
    for n in range(count):
        path += [Enter(f"f{n}"), Visit("b"), Leave()]
    trace = trace_of(read_program(f"var g: Int\nproc main() -> () {{\n{main}}}\n{bodies}"), (Enter("main"), *path))
    shown = compact(trace).steps
    assert len(trace.steps) > 4 * count
    assert BUDGET - 3 <= len(shown) <= BUDGET
    assert shown[-2].text == f"return from f{count - 1}"
    assert all(len(value) <= 60 for step in shown for value in step.values.values())
    assert any(len(value) > 60 for step in trace.steps for value in step.values.values())


def test_a_statement_is_shown_a_few_times_at_most() -> None:
    path = [*visits("b0"), *20 * visits("head body"), *visits("head done")]
    texts = compact_texts(LOOP, *path)
    assert texts.count("i := i + 1") == REPEATS


@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("12345", 5, "12345"),
        ("-" + "9" * 100, 20, "-99999… (100 digits)"),
        ("[" + "x" * 100, 24, "[xxxxx… (101 characters)"),
    ],
)
def test_long_values_are_cut_and_tell_their_size(text: str, length: int, short: str) -> None:
    assert shortened(text, length) == short
