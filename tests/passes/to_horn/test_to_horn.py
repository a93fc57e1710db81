"""Programs as Horn clauses: what comes out in small cases, and that the answers agree with the programs.

A case in ``golden/`` is a program, its entries in the first line, and its clauses, separated by lines of three dashes.
After a change that is meant, ``python tests/passes/to_horn/test_to_horn.py`` writes the clauses anew.
"""

from __future__ import annotations

import random
from pathlib import Path as File

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.boogie import read_boogie
from cleave.ir.horn import Derivation, HornSystem, Step
from cleave.ir.horn_check import check_horn
from cleave.ir.horn_text import print_horn
from cleave.ir.path import Enter, Leave, Path, Visit
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.passes.flow import reachable, strongly_connected
from cleave.passes.to_horn import HornProgram, program_to_horn
from cleave.passes.to_horn.cuts import cut_points
from cleave.passes.to_horn.inlining import Limits
from cleave.validate.semantics import events
from cleave.validate.semantics.interpreter import run
from cleave.validate.violations.confirm import validate_trace
from support.horn_fixedpoint import decide
from support.programs import EVERYTHING, Dice, Features, ProgramMaker, Reference, TooManyPaths

GOLDEN = File(__file__).parent / "golden"
CASES = sorted(GOLDEN.glob("*.txt"))
SEPARATOR = "---\n"
SEEDS = st.integers(0, 2**32 - 1)
LOOPS = Features(procedures=2, blocks=5, statements=2, loops=True)
CALLS = Features(procedures=3, blocks=3, statements=2, recursion=True)
NO_INLINING = Limits(small=0, caller=0)


def translated(text: str, limits: Limits | None = None) -> HornProgram:
    entries, _, source = text.partition("\n")
    made = program_to_horn(read_program(source), tuple(entries.split()), limits)
    check_horn(made.system)
    return made


def clauses_of(case: File) -> tuple[str, str]:
    """The program and the clauses of a case."""
    program, _, clauses = case.read_text().partition(SEPARATOR)
    return program, clauses


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_clauses(case: File) -> None:
    program, clauses = clauses_of(case)
    assert print_horn(translated(program).system) == clauses


def confirmed(program: Program, horn: HornProgram, derivation: Derivation) -> Path:
    path = horn.path(derivation)
    judged = validate_trace(program, "main", path)
    assert judged.holds, (judged, path)
    return path


@pytest.mark.parametrize("limits", [None, NO_INLINING], ids=["inlined", "summaries"])
@pytest.mark.parametrize("features", [EVERYTHING, LOOPS, CALLS], ids=["everything", "loops", "calls"])
def test_the_answers_agree_with_the_program(features: Features, limits: Limits | None) -> None:
    answers = {"safe": 0, "unsafe": 0, "unknown": 0}

    @settings(max_examples=60, deadline=None, database=None)
    @given(SEEDS)
    def holds(number: int) -> None:
        program = ProgramMaker(random.Random(number), features).program()
        horn = program_to_horn(program, ("main",), limits)
        check_horn(horn.system)
        answer, derivation = decide(horn.system, seconds=1.0)
        answers[answer] += 1
        if derivation is not None:
            confirmed(program, horn, derivation)
        if answer == "safe":
            assert not violated(program)

    holds()
    assert min(answers["unsafe"], answers["safe"]) > 3, answers


def violated(program: Program) -> bool:
    """Whether some execution within small bounds violates the property, as far as can be tried."""
    for seed in range(10):
        if isinstance(run(program, "main", Dice(seed), max_steps=60).outcome, events.Violated):
            return True
    try:
        return Reference(program, bound=2, steps=300).violates("main")
    except TooManyPaths:
        return False


@settings(max_examples=150, deadline=None, database=None)
@given(SEEDS)
def test_every_cycle_has_a_cut_point(number: int) -> None:
    pick = random.Random(number)
    program = ProgramMaker(pick, Features(procedures=1, blocks=8, statements=0, loops=True)).program()
    main = program.procedures["main"]
    cuts = cut_points(main)
    between = reachable(main.blocks, main.entry.label) - cuts
    graph = {label: [s for s in main.blocks[label].successors if s in between] for label in sorted(between)}
    assert all(len(part) == 1 and part[0] not in graph[part[0]] for part in strongly_connected(graph))


# --- single cases ---------------------------------------------------------------------------------------------------

IRREDUCIBLE = """\
main
proc main() -> () {
  local x: Int
  start:
    x := 0
    goto a, b
  a:
    x := (+ x 1)
    goto b, out
  b:
    x := (+ x 2)
    goto a
  out:
    assert (not (= x %d))
    return
}
"""


@pytest.mark.parametrize(("number", "expected"), [(2, "safe"), (-3, "safe"), (7, "unsafe"), (6, "unsafe"), (5, "safe")])
def test_a_loop_with_two_entries(number: int, expected: str) -> None:
    text = (IRREDUCIBLE % number).replace("-3", "(- 3)")
    horn = translated(text)
    answer, derivation = decide(horn.system)
    assert answer in (expected, "unknown")
    if expected == "unsafe":
        assert derivation is not None
        confirmed(read_program(text.partition("\n")[2]), horn, derivation)


SWITCHES = """\
main
var g: Int
proc main() -> () {{
  a:
    g := 0
    goto {first}
{left}
  join:
    goto {second}
{right}
  end:
    assert (< g 1000)
    return
}}
proc f() -> () {{
  b:
    goto b, c
  c:
    g := (+ g 1)
    return
}}
"""


def switches(number: int) -> str:
    left = [f"  l{i}:\n    call f() -> ()\n    goto join" for i in range(number)]
    right = [f"  r{i}:\n    call f() -> ()\n    goto end" for i in range(number)]
    first, second = (", ".join(f"{side}{i}" for i in range(number)) for side in "lr")
    return SWITCHES.format(first=first, second=second, left="\n".join(left), right="\n".join(right))


def test_the_number_of_clauses_stays_near_the_number_of_blocks() -> None:
    sizes = [len(translated(switches(number), NO_INLINING).system.clauses) for number in (10, 20, 40)]
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    assert sizes[2] < 5 * 40


RECURSIVE = """\
main
proc main() -> () {
  local x: Int
  a:
    call count(2) -> (x)
    assert (not (= x 2))
    return
}
proc count(n: Int) -> (r: Int) {
  b:
    goto zero, more
  zero:
    assume (<= n 0)
    r := 0
    return
  more:
    assume (< 0 n)
    call count((- n 1)) -> (r)
    r := (+ r 1)
    return
}
"""


def test_the_path_nests_the_calls_of_a_recursion() -> None:
    horn = translated(RECURSIVE)
    answer, derivation = decide(horn.system)
    assert answer == "unsafe"
    assert derivation is not None
    again = (Enter("count"), Visit("b"), Visit("more"))
    deepest = (Enter("count"), Visit("b"), Visit("zero"), Leave())
    expected = (Enter("main"), Visit("a"), *again, *again, *deepest, Leave(), Leave())
    assert confirmed(read_program(RECURSIVE.partition("\n")[2]), horn, derivation) == expected


def test_a_long_derivation_becomes_a_path_without_recursion() -> None:
    text = RECURSIVE.replace("call count(2)", "call count(20000)").replace("(= x 2)", "(= x 20000)")
    horn = translated(text)
    path = horn.path(deep(horn.system, 20000))
    assert sum(step == Enter("count") for step in path) == 20001


def deep(system: HornSystem, depth: int) -> Derivation:
    """The only derivation of the recursion's clauses, with the numbers put in."""
    from cleave.logic.terms import integer

    heads = [clause.head.predicate if clause.head else None for clause in system.clauses]
    summary, calling = "count", next(h for h in heads if h is not None and h.startswith("count:"))
    base, rest = (i for i, head in enumerate(heads) if head == summary)
    if system.clauses[base].body:
        base, rest = rest, base
    steps = [Step(base, summary, (integer(0), integer(0)), ())]
    for number in range(1, depth + 1):
        steps.append(Step(heads.index(calling), calling, (integer(number),), ()))
        value = (integer(number), integer(number))
        steps.append(Step(rest, summary, value, (len(steps) - 1, max(0, len(steps) - 2))))
    query = next(clause for clause in system.clauses if clause.head is None)
    premises = [len(steps) - 1]
    assert [atom.predicate for atom in query.body] == [summary]
    return Derivation((*steps, Step(system.clauses.index(query), None, (), tuple(premises))))


QUANTIFIED = """\
main
const c: T
function f(T) -> Int
proc main() -> () {
  a:
    assume (forall ((x T)) (= (f x) 0))
    assert (= (f c) 0)
    return
}
"""


def test_fields_of_data_types_lose_uninterpreted_sorts() -> None:
    text = """
    type X; datatype L { N(), C(h: X, m: [X]L) }
    procedure main(x: X) { var l: L; l := C(x, l->m); while (*) { l := C(l->h, l->m[x := l]); } assert l->h == x; }
    """
    check_horn(program_to_horn(read_boogie(text, "case.bpl"), ("main",)).system)


def test_a_quantifier_over_an_uninterpreted_sort_is_refused() -> None:
    with pytest.raises(InputError, match="quantifier over the type T"):
        translated(QUANTIFIED)


if __name__ == "__main__":
    for case in CASES:
        program, _ = clauses_of(case)
        case.write_text(program + SEPARATOR + print_horn(translated(program).system))
