"""What the checker understands, against what Cleave does and against references: operators, programs, threads."""

from __future__ import annotations

import json
import random

import pytest

from cleave.export.certificate_proofs import NoProofError, proof_of
from cleave.ir.reader import read_program as read_with_cleave
from cleave.ir.text import print_program
from cleave.logic import terms as t
from cleave.logic.smtlib import print_sort, print_term
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Op
from cleave.logic.values import Value
from cleave.logic.walk import free_variables
from cleave.passes.loops import loops_to_recursion
from cleave.validate.proofs.interleavings import TooLargeError
from cleave.validate.proofs.interleavings import explore as explore_with_cleave
from cleave.validate.semantics.evaluate import World
from cleave.validate.semantics.evaluate import evaluate as evaluate_with_cleave
from cleave_check.check import schedules
from cleave_check.explore import explore
from cleave_check.program import read_program
from cleave_check.refusal import Refusal, Undecided, Unreadable
from cleave_check.sexpr import one
from cleave_check.smtlib import script
from cleave_check.solvers import ask
from cleave_check.term_reader import TermReader
from cleave_check.terms import conj, disj, var
from cleave_check.unfold import Unfolding
from cleave_check.values import UNKNOWN, evaluate
from support.concurrent_programs import ConcurrentMaker
from support.programs import EVERYTHING, HIERARCHICAL, Features, ProgramMaker, Reference, TooManyPaths
from support.random_terms import random_terms

# --- operators --------------------------------------------------------------------------------------------------------


def test_operators_mean_what_they_mean_to_cleave() -> None:
    width = bitvec(3)
    x, y = t.var("x", width), t.var("y", width)
    binary = [op for op in Op if op.value.startswith("bv") and op not in (Op.BV_NOT, Op.BV_NEG)]
    comparisons = (Op.BV_ULT, Op.BV_ULE, Op.BV_SLT, Op.BV_SLE)
    for op in binary:
        term = t.bv_compare(op, x, y) if op in comparisons else t.bv_binary(op, x, y)
        for a in range(8):
            for b in range(8):
                assert _value(term, {x: a, y: b}) == evaluate_with_cleave(term, {x: a, y: b}.__getitem__, World())


@pytest.mark.parametrize("seed", range(6))
def test_random_terms_have_the_value_that_cleave_gives_them(seed: int) -> None:
    pick = random.Random(seed)
    compared = 0
    for term in random_terms(seed):
        values: dict[t.Term, Value] = {}
        for variable in sorted(free_variables(term), key=lambda v: v.name):
            if variable.sort.is_bitvec:
                values[variable] = pick.randrange(1 << variable.sort.width)
            elif variable.sort.is_bool:
                values[variable] = pick.random() < 0.5
            else:
                values[variable] = pick.randrange(-5, 6)
        try:
            found = _value(term, values)
            expected = evaluate_with_cleave(term, values.__getitem__, World())
        except (Refusal, KeyError, AttributeError, TypeError):  # data types, reals, maps as inputs, divisions by zero
            continue
        if found is not UNKNOWN and not term.sort.is_array:
            compared += 1
            assert found == expected, print_term(term)
    assert compared


def _value(term: t.Term, values: dict[t.Term, Value]) -> object:
    reader = TermReader({}, {})
    own = {v.name: var(v.name, reader.sort(one(print_sort(v.sort)))) for v in values}
    given = {own[v.name]: value for v, value in values.items()}
    read = TermReader(own, {}).read(one(print_term(term)))
    return evaluate(read, lambda v: given.get(v, UNKNOWN), lambda _, arguments: UNKNOWN)


# --- programs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("features", "bound"),
    [
        (HIERARCHICAL, None),
        (Features(contracts=True, bodyless=True, end_reachable=True), None),
        (Features(loops=True, statements=2), 2),
        (EVERYTHING, 2),
    ],
    ids=["calls", "contracts", "loops", "everything"],
)
def test_a_proof_is_found_just_where_no_path_violates(features: Features, bound: int | None) -> None:
    proved = 0
    for seed in range(25):
        program = ProgramMaker(random.Random(1000 + seed), features).program()
        try:
            violates = Reference(loops_to_recursion(program)[0], bound=bound).violates("main")
        except TooManyPaths:
            continue
        read = read_program(print_program(program))
        bounds = {} if bound is None else {"recursion": bound}
        if violates:
            with pytest.raises(NoProofError):
                proof_of(read, ("main",), bounds, ())
        else:
            proof_of(read, ("main",), bounds, ())
            proved += 1
    assert proved


def test_a_loop_that_is_entered_at_two_blocks_is_unfolded() -> None:
    text = """\
var g: Int
proc main() -> () [entry] {
  a:
    g := 0
    goto b, c
  b:
    g := (+ g 1)
    goto c
  c:
    assert (< g LIMIT)
    goto b, d
  d:
    return
}
"""
    for limit, holds in (("4", True), ("3", False)):
        program = read_program(text.replace("LIMIT", limit))
        if holds:
            assert proof_of(program, ("main",), {"recursion": 3}, ())["kind"] == "unfolding"
        else:
            with pytest.raises(NoProofError):
                proof_of(program, ("main",), {"recursion": 3}, ())


def test_an_open_place_counts_as_a_violation() -> None:
    text = """\
proc main() -> () [entry] {
  a:
    call f() -> ()
    return
}
proc f() -> () {
  b:
    assert true
    return
}
"""
    program = read_program(text)
    whole = [(-1, "main"), (0, "a:0")]
    for instances in ([], whole[:1], whole):
        formula = Unfolding(program, ["main"], instances).encode()
        answers = ask("bitwuzla", [script([condition]) for condition in formula.bad], 10)
        assert ("sat" in answers) == (instances != whole)
        assert len(formula.opens) == (instances != whole)


# --- threads ----------------------------------------------------------------------------------------------------------


def test_all_executions_are_those_that_cleave_finds() -> None:
    answers = {True: 0, False: 0}
    for seed in range(60):
        program = ConcurrentMaker(random.Random(seed)).program()
        try:
            expected = explore_with_cleave(program, "main", most=3, states=4000).contexts is None
        except TooLargeError:
            continue
        try:
            explore(read_program(print_program(program)), "main", 3, 20_000)
            found = True
        except Undecided:
            continue
        except Refusal:
            found = False
        assert found == expected
        answers[found] += 1
    assert all(answers.values())


def test_schedules_violate_in_the_formula_just_where_an_interleaving_does() -> None:
    answers = {"sat": 0, "unsat": 0}
    expected: list[str] = []
    scripts: list[str] = []
    for seed in range(30):
        program = ConcurrentMaker(random.Random(100 + seed)).program()
        contexts = 2 + seed % 3
        try:
            found = explore_with_cleave(program, "main", most=contexts, states=4000).contexts
        except TooLargeError:
            continue
        bounds = {"contexts": contexts}
        made, _ = schedules(read_program(print_program(program)), ("main",), [], bounds, grow=2000)
        formula = made.encode()
        assert not formula.opens
        expected.append("unsat" if found is None else "sat")
        scripts.append(script([conj(*formula.assumed, disj(*formula.bad))]))
        answers[expected[-1]] += 1
    assert ask("z3", scripts, 60) == expected
    assert all(answers.values())


def test_what_a_procedure_without_a_body_writes_is_seen_by_other_threads() -> None:
    text = """\
var g: (_ BitVec 2)
proc main() -> () [entry] {
  local t: Int
  local x: (_ BitVec 2)
  a:
    g := #b00
    spawn other() -> (t)
    x := g
    assert (= x #b00)
    return
}
proc other() -> () {
  b:
    call any() -> ()
    return
}
proc any() -> () {
  modifies g
}
"""
    for contexts, answer in ((2, "unsat"), (3, "sat")):
        made, _ = schedules(read_program(text), ("main",), [], {"contexts": contexts}, grow=100)
        formula = made.encode()
        assert ask("z3", [script([conj(*formula.assumed, disj(*formula.bad))])], 10) == [answer]


def test_the_bound_on_loops_holds_in_threads() -> None:
    text = """\
var g: (_ BitVec 4)
proc main() -> () [entry] {
  local t: Int
  a:
    g := (_ bv0 4)
    spawn count() -> (t)
    assume (= g (_ bv3 4))
    assert false
    return
}
proc count() -> () {
  h:
    g := (bvadd g (_ bv1 4))
    goto h, e
  e:
    return
}
"""
    program = read_program(text)
    for unwind, answer in ((1, "unsat"), (2, "sat")):
        made, rounds = schedules(program, ("main",), [], {"contexts": 3, "unwind": unwind}, grow=100)
        formula = made.encode()
        assert rounds == 2
        assert formula.blocked
        assert ask("z3", [script([conj(*formula.assumed, disj(*formula.bad))])], 10) == [answer]


# --- the reader -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_programs_with_strange_names_are_read(seed: int) -> None:
    pick = random.Random(seed)
    names = [
        "select",
        "a|b",
        "x y",
        "%41",
        "old(g)'",
        "return",
        "goto",
        "free",
        "true",
        "é",
        "bv1",
        "1",
        "a:b",
        "@ f:1",
    ]
    first, second = pick.sample(names, 2)
    text = print_program(
        read_with_cleave(
            f"var {_symbol(first)}: Int\nproc main() -> () [entry] {{\n  local {_symbol(second)}: Int\n"
            f"  {_symbol(first)}:\n    {_symbol(second)} := (+ {_symbol(first)} 1)\n"
            f"    assert (< {_symbol(first)} {_symbol(second)})\n    return\n}}\n"
        )
    )
    assert proof_of(read_program(text), ("main",), {}, ())["kind"] == "unfolding"


def _symbol(name: str) -> str:
    from cleave.logic.symbols import symbol

    return symbol(name)


_WRONG_LINES = """\
assert
assume 1
x :=
x := true
y := 1
call f() -> ()
goto
goto z
x, x := 1, 2
spawn main(
assert (= x (+ x true))
atomic
join true
((
assert (let ((a 1) (a 2)) true)
assert ((_ extract 9 0) #b1)
"""


@pytest.mark.parametrize("line", _WRONG_LINES.splitlines())
def test_what_is_no_program_is_refused(line: str) -> None:
    text = f"var x: Int\nproc main() -> () [entry] {{\n  a:\n    {line}\n    return\n}}\n"
    with pytest.raises(Unreadable):
        read_program(text)
    assert read_program(text.replace(f"    {line}\n", "    x := 1\n")).procedures["main"].blocks


def test_evidence_is_json() -> None:
    program = read_program("proc main() -> () [entry] {\n  a:\n    return\n}\n")
    assert json.loads(json.dumps(proof_of(program, ("main",), {}, ())))
