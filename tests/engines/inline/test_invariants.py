"""``--invariants-from pdr``: what pdr finds out is checked, then used by inline, and never changes what is true."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import msgspec
import pytest
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from cleave import Options, resume, verify
from cleave.engines.desk import Facts
from cleave.engines.findings import Proof, Violation
from cleave.engines.inline import messages
from cleave.engines.inline.messages import KnownFacts, Task
from cleave.engines.inline.options import InlineOptions
from cleave.engines.known import decode_known, encode_known
from cleave.engines.pdr import invariants
from cleave.engines.pdr.houdini import inductive
from cleave.engines.pdr.invariants import InvariantOptions, confirmed, find_invariants
from cleave.engines.pdr.learning import Candidates, LearningOptions
from cleave.engines.pdr.weakening import without_quantifiers
from cleave.errors import InputError, UsageError
from cleave.frontends.read import read_program
from cleave.ir.check import check_program
from cleave.ir.horn import Atom, Clause, HornSystem, Predicate
from cleave.ir.program import Program
from cleave.ir.text import print_program
from cleave.journal.journal import Journal
from cleave.logic import terms as t
from cleave.logic.sorts import BOOL, INT
from cleave.logic.terms import FALSE, TRUE, Term, integer
from cleave.logic.walk import free_variables, has_quantifier
from cleave.passes.entries import choose_entries
from cleave.passes.horn.relevant import parameters
from cleave.passes.known import Known
from cleave.passes.prepare import Prepared, ask, only_reachable, prepare
from cleave.run.outcome import Outcome, encode_outcome
from cleave.smt.solver import Answer
from cleave.smt.z3.solver import DEFAULT, Z3Solver
from cleave.validate.proofs.unfolded import check_unfolded
from cleave.validate.violations.confirm import validate_trace
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Unsafe
from support.engine_runs import solve
from support.programs import EVERYTHING, Features, ProgramMaker
from support.runs import begun

SEEDS = st.integers(0, 2**32 - 1)
LITTLE = InvariantOptions(learning=LearningOptions(turns=(50_000, 150_000), slice_cost=5_000), sieve_cost=1_000_000)
RECURSIVE = Features(procedures=3, statements=2, loops=True, recursion=True)

RECURSION = """\
var g: int;
procedure main(n: int) modifies g; {
  var r: int;
  g := 0;
  call r := down(n);
  assert r <= 0 || r == n;
  call up(n);
  assert g >= 0;
}
procedure down(n: int) returns (r: int) {
  r := n;
  if (n > 0) { call r := down(n - 1); if (*) { r := 0; } }
}
procedure up(n: int) modifies g; {
  if (n > 0) { g := g + 1; assert g > 0; call up(n - 1); }
}
"""
LOOP = """\
procedure main(n: int) {
  var x: int, y: int;
  x := 0; y := 0;
  while (x < n) { x := x + 1; y := y + 2; assert y <= 2 * n; }
  assert n < 0 || (x == n && y == 2 * x);
}
"""
CONSTANTS = """\
type T;
const c: int;
const unique t: T;
function f(x: int) returns (int);
axiom c > 3 && f(0) == c;
var owner: T;
procedure main() modifies owner; {
  var r: int;
  owner := t;
  call r := up(c);
  assert r > 3;
  assert f(0) <= r;
}
procedure up(from: int) returns (r: int) {
  r := from;
  while (*) { r := r + 1; }
}
"""


def run(folder: Path, text: str, *, use: bool, workers: int = 1) -> Result:
    file = folder / "program.bpl"
    file.write_text(text)
    bounds = InlineOptions(bounds=(3,))
    invariants_from = "pdr" if use else None
    return verify(
        str(file), Options(engine="inline", engines=(bounds,), invariants_from=invariants_from, workers=workers)
    )


@pytest.mark.parametrize("text", [RECURSION, LOOP, CONSTANTS], ids=["recursion", "loop", "constants"])
def test_what_has_a_bound_without_has_none_with_them(tmp_path: Path, text: str) -> None:
    assert isinstance(run(tmp_path, text, use=False).verdict, BoundedSafe)
    result = run(tmp_path, text, use=True)
    assert isinstance(result.verdict, Safe), result.verdict
    assert "found by pdr and checked by cvc5" in result.verdict.validation
    assert result.statistics["invariants"] > 0
    assert not result.assumptions, "they are proved"


def test_workers_have_the_same_program(tmp_path: Path) -> None:
    result = run(tmp_path, RECURSION, use=True, workers=2)
    assert isinstance(result.verdict, Safe), result.verdict
    assert "found by pdr" in result.verdict.validation


def test_a_violation_is_still_found_and_is_one_of_the_program_as_it_is(tmp_path: Path) -> None:
    result = run(tmp_path, RECURSION.replace("assert g >= 0;", "assert g != 1;"), use=True)
    assert isinstance(result.verdict, Unsafe)
    assert "invariant" not in result.verdict.validation


def test_horn_clauses_are_not_for_inline(tmp_path: Path) -> None:
    file = tmp_path / "clauses.smt2"
    file.write_text("(set-logic HORN)(assert false)(check-sat)")
    with pytest.raises(UsageError, match="--invariants-from is for --engine inline"):
        verify(str(file), Options(invariants_from="pdr"))


def asked(text: str) -> Prepared:
    program = read_program("program.bpl", text.encode())
    return ask(program, choose_entries(program))


def test_the_same_program_has_the_same_invariants() -> None:
    made = asked(RECURSION)
    first, second = (find_invariants(made.program, made.entry, LITTLE) for _ in range(2))
    assert first.facts == second.facts
    assert first.facts


def test_what_stops_the_run_stops_the_search_for_invariants() -> None:
    class Stopped:
        reason = None

        def guard(self, interrupt: object) -> None:
            assert callable(interrupt)
            interrupt()

        def unguard(self, interrupt: object) -> None: ...

    made = asked(RECURSION)
    assert not find_invariants(made.program, made.entry, LITTLE, Stopped()).facts


# --- nothing is trusted ---------------------------------------------------------------------------------------------

X, N = t.var("x", INT), t.var("n", INT)
A0, A1 = t.var("a0", INT), t.var("a1", INT)
COUNT = HornSystem(
    predicates={"P": Predicate("P", (INT, INT))},
    clauses=(
        Clause(Atom("P", (integer(0), N)), (), t.le(integer(0), N)),
        Clause(Atom("P", (t.add(X, integer(1)), N)), (Atom("P", (X, N)),), t.lt(X, N)),
        Clause(None, (Atom("P", (X, N)),), t.lt(integer(7), X)),
    ),
)
TRUE_ONES = (t.le(integer(0), A0), t.le(A0, A1))
WRONG_ONES = (t.le(A0, integer(7)), t.eq(A0, A1), t.le(integer(1), A0), FALSE)


def test_only_what_is_inductive_is_kept() -> None:
    given_ = {"P": [*WRONG_ONES[:2], *TRUE_ONES, *WRONG_ONES[2:]]}
    assert inductive(COUNT, given_, cost_limit=10**7, halt=threading.Event()) == {"P": list(TRUE_ONES)}
    found = confirmed(COUNT, given_, InvariantOptions(), threading.Event())
    assert found is not None
    assert found.formulas == {"P": list(TRUE_ONES)}
    assert found.by["cvc5"] > 0


def test_quantified_conditions_are_forgotten() -> None:
    y, z = t.var("y", INT), t.var("z", INT)
    inner = t.forall((z,), t.lt(t.add(y, z), X))
    condition = t.conj(t.lt(X, N), t.neg(t.exists((y,), t.disj(inner, t.lt(X, y)))))
    system = replace(COUNT, clauses=(*COUNT.clauses, Clause(Atom("P", (X, N)), (), condition)))
    weaker = without_quantifiers(system)
    assert weaker.clauses[:-1] == system.clauses[:-1]
    made = weaker.clauses[-1].constraint
    assert not has_quantifier(made)
    solver = Z3Solver(profile=DEFAULT)
    solver.add(t.conj(condition, t.neg(t.exists(tuple(free_variables(made) - {X, N}), made))))
    assert solver.check() is Answer.UNSAT, "what held still holds"


@pytest.mark.parametrize("wrong", WRONG_ONES, ids=str)
def test_a_sieve_that_lets_wrong_ones_through_is_found_out(monkeypatch: pytest.MonkeyPatch, wrong: Term) -> None:
    monkeypatch.setattr(invariants, "inductive", lambda system, candidates, **limits: dict(candidates))
    found = confirmed(COUNT, {"P": [*TRUE_ONES, wrong]}, InvariantOptions(), threading.Event())
    assert found is not None
    assert not found.formulas["P"], "all that is said of the head of a rule that does not hold goes"


def test_what_spacer_says_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    def lying(system: HornSystem, *_: object) -> Iterator[Candidates]:
        yield {name: [FALSE, TRUE] for name in system.predicates}

    monkeypatch.setattr(invariants, "learn", lying)
    made = asked(RECURSION)
    found = find_invariants(made.program, made.entry, LITTLE)
    assert not [fact for fact in found.facts if not fact.condition.is_true]


# --- facts travel with the task -------------------------------------------------------------------------------------


def task_with_facts() -> tuple[Task, tuple[Known, ...]]:
    made = asked(RECURSION)
    facts = find_invariants(made.program, made.entry, LITTLE).facts
    known = KnownFacts(encode_known(facts), "facts that somebody checked")
    return Task("program.bpl", RECURSION.encode(), None, None, InlineOptions(bounds=(3,)), 2, known=known), facts


def test_facts_in_a_task() -> None:
    task, facts = task_with_facts()
    read = messages.decode_task(messages.encode(task))
    assert read == task
    assert read.known is not None
    assert decode_known(read.known.facts) == facts


def test_a_run_that_goes_on_has_its_facts_still(tmp_path: Path) -> None:
    """It stopped after the stage that found them, which is not done again."""
    file = tmp_path / "program.bpl"
    file.write_text(RECURSION)
    known = task_with_facts()[0].known
    assert known is not None
    options = Options(engine="inline", engines=(InlineOptions(bounds=(3,)),), invariants_from="pdr", workers=2)
    path, plan = begun(str(file), options, tmp_path / "runs")
    found = Outcome.of(plan.stages[0].number, Unknown(Reason.BUDGET), seconds=0.5, facts=Facts(known.facts, known.text))
    with Journal.reopen(path) as journal:
        journal.begin(found.stage, msgspec.json.encode(plan.stages[0]))
        journal.end(found.stage, encode_outcome(found), found.seconds)
    result = resume(path)
    assert isinstance(result.verdict, Safe), result.verdict
    assert "it uses facts that somebody checked" in result.verdict.validation


@pytest.mark.parametrize(
    "data",
    [b"", b"\x92\x90\x80", encode_known([Known("p", None, TRUE)])[:-1], encode_known([Known("p", None, integer(1))])],
)
def test_bytes_that_are_no_facts(data: bytes) -> None:
    with pytest.raises(InputError):
        decode_known(data)


@pytest.mark.parametrize("place", [("nobody", None), ("main", "nowhere")])
def test_a_fact_about_nothing(place: tuple[str, str | None]) -> None:
    program = read_program("program.bpl", LOOP.encode())
    with pytest.raises(InputError, match="does not have"):
        prepare(program, ("main",), [Known(*place, t.var("b", BOOL))])


# --- random programs ------------------------------------------------------------------------------------------------


def guesses(system: HornSystem, *_: object) -> Iterator[Candidates]:
    """Many more than SPACER would make of so small programs, most of them wrong."""
    yield {name: list(_guesses(parameters(system, name))) for name in system.predicates}


def _guesses(arguments: tuple[Term, ...]) -> Iterator[Term]:
    for one, other in combinations(arguments, 2):
        if one.sort is other.sort:
            yield t.eq(one, other)
        if one.sort is other.sort is INT:
            yield from (t.le(one, other), t.le(other, one), t.lt(one, other), t.eq(t.add(one, integer(1)), other))
    for one in arguments:
        if one.sort is BOOL:
            yield from (one, t.neg(one))
            yield from (t.disj(t.neg(one), other) for other in arguments if other.sort is BOOL and other is not one)
        else:
            yield from (t.le(one, integer(2)), t.le(integer(-1), one), t.eq(one, integer(0)))


def with_calls(pick: random.Random, features: Features) -> Program:
    """A random program in which there is something to find out."""
    while True:
        program = ProgramMaker(pick, features).program()
        if len(only_reachable(program, ("main",)).procedures) > 1:
            return program


def both(program: Program) -> tuple[Prepared, Prepared]:
    """The program prepared without and with what pdr finds out about it."""
    made = ask(program, ("main",))
    facts = find_invariants(made.program, made.entry, LITTLE).facts
    note(f"{print_program(program)}\n{facts}")
    strengthened = prepare(program, ("main",), facts)
    check_program(strengthened.program)
    return prepare(program, ("main",)), strengthened


@pytest.mark.parametrize("guessing", [False, True], ids=["learned", "guessed"])
@pytest.mark.parametrize("features", [RECURSIVE, EVERYTHING], ids=["recursive", "everything"])
def test_no_verdict_contradicts_the_one_without(
    features: Features, guessing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = 0
    if guessing:
        monkeypatch.setattr(invariants, "learn", guesses)

    @settings(max_examples=20, deadline=None, database=None, phases=[Phase.generate], derandomize=True)
    @given(SEEDS)
    def agrees(number: int) -> None:
        nonlocal used
        program = with_calls(random.Random(number), features)
        plain, strengthened = both(program)
        used += plain.program != strengthened.program
        before, after = solve(plain), solve(strengthened)
        assert isinstance(before, Violation) == isinstance(after, Violation), (before, after)
        match after:
            case Violation(path):
                judged = validate_trace(program, "main", strengthened.lift(path))
                assert judged.holds, judged
            case Proof(proof):
                solver = Z3Solver(profile=DEFAULT)
                rejected = check_unfolded(strengthened.program, strengthened.entry, proof, solver)
                assert rejected.holds, rejected

    agrees()
    assert used > (2 if guessing else 0)
