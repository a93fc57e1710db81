"""Which integers are tried in which order, and what the result says of them."""

from __future__ import annotations

import pytest

from cleave.frontends.input import Input
from cleave.ir.integers import UNBOUNDED_ASSUMPTION, Integers
from cleave.run.merge import merge
from cleave.run.outcome import Outcome, Refusal
from cleave.run.plan import Plan, Stage
from cleave.run.request import Options
from cleave.run.rules import make_plan
from cleave.run.stage import _about_integers
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Trace, Unknown, Unsafe, Verdict

UNCONFIRMED = Unknown(Reason.UNCONFIRMED, "the violation that was found does not replay")
TIMEOUT = Unknown(Reason.TIMEOUT)
VIOLATION = Unsafe(Trace((), "false", None), "replayed")


class Sequential(Input):
    """A C program that nobody has to compile, as nobody reads it."""

    kind = Input("p.bpl", b"").kind


def plan(file: str = "a.c", **options: object) -> Plan:
    return make_plan(Sequential(file, b""), Options(**{"workers": 1, **options}))  # type: ignore[arg-type]


def settling(made: Plan) -> list[Stage]:
    return [stage for stage in made.stages if stage.role == "settle"]


def tried(made: Plan) -> list[tuple[Integers, float, float]]:
    """Kinds of integers of the stages in turn, with the share of the time and most seconds of each."""
    return [(stage.integers, stage.share, stage.seconds or stage.patience) for stage in settling(made)]


def merged(made: Plan, *verdicts: Verdict, seconds: float = 2.0) -> Result:
    """When the stages that settle something end with these."""
    outcomes = {}
    for stage, verdict in zip(settling(made), verdicts, strict=False):
        told = [UNBOUNDED_ASSUMPTION] if stage.integers is Integers.UNBOUNDED else []
        verdict, assumptions = _about_integers(verdict, told, stage.integers)
        outcomes[stage.number] = Outcome.of(
            stage.number, verdict, seconds=seconds, assumptions=tuple(assumptions), counters={"cost": 1}
        )
    return merge(made, outcomes, Sequential("a.c", b""), seconds=4.0)


UNBOUNDED = plan(engine="pdr", integers=Integers.UNBOUNDED)
BY_ITSELF = plan(engine="pdr")


@pytest.mark.parametrize("engine", ["pdr", "inline", "cegar"])
def test_a_proof_that_assumes_nothing_has_half_of_the_time(engine: str) -> None:
    made = plan(engine=engine, integers=Integers.UNBOUNDED)
    assert tried(made) == [(Integers.CHECKED, 0.5, 300.0), (Integers.UNBOUNDED, 1.0, 0.0)]


@pytest.mark.parametrize("proved", [Safe("checked"), BoundedSafe({"recursion": 2}, "checked")])
def test_a_proof_without_overflow_assumes_nothing(proved: Safe | BoundedSafe) -> None:
    result = merged(UNBOUNDED, proved)
    assert type(result.verdict) is type(proved)
    assert isinstance(result.verdict, Safe | BoundedSafe)
    assert result.verdict.validation == "checked; with it, that no operation overflows"
    assert result.assumptions == ()


@pytest.mark.parametrize("first", [UNCONFIRMED, TIMEOUT])
def test_otherwise_the_assumption_is_told(first: Unknown) -> None:
    result = merged(UNBOUNDED, first, Safe("checked"))
    assert (result.verdict, result.assumptions) == (Safe("checked"), (UNBOUNDED_ASSUMPTION,))


def test_a_violation_assumes_nothing() -> None:
    result = merged(UNBOUNDED, UNCONFIRMED, VIOLATION)
    assert (result.verdict, result.assumptions) == (VIOLATION, ())
    assert merged(UNBOUNDED, VIOLATION).verdict == VIOLATION


def test_bits_come_second() -> None:
    assert tried(BY_ITSELF) == [(Integers.EXACT, 0.2, 30.0), (Integers.BITS, 1.0, 0.0)]
    assert merged(BY_ITSELF, TIMEOUT, Safe("by bits")).verdict == Safe("by bits")
    assert merged(BY_ITSELF, TIMEOUT, TIMEOUT).verdict == TIMEOUT


def test_what_integers_find_is_enough() -> None:
    assert merged(BY_ITSELF, Safe("checked")).verdict == Safe("checked, over integers that wrap around as bits do")
    assert merged(BY_ITSELF, VIOLATION).verdict == VIOLATION


def test_what_integers_cannot_say_is_left_to_bits() -> None:
    first, second = settling(BY_ITSELF)
    refused = Outcome.of(first.number, Unknown(Reason.SOLVER, "no"), seconds=0.1, refused=Refusal("no"))
    by_bits = Outcome.of(second.number, TIMEOUT, seconds=0.1)
    outcomes = {one.stage: one for one in (refused, by_bits)}
    assert merge(BY_ITSELF, outcomes, Sequential("a.c", b""), seconds=1.0).verdict == TIMEOUT


@pytest.mark.parametrize(
    ("file", "options", "expected"),
    [
        ("a.c", {"engine": "pdr"}, True),
        ("a.c", {"engine": "inline"}, False),
        ("a.bpl", {"engine": "pdr"}, False),
        ("a.c", {"engine": "pdr", "integers": Integers.BITS}, False),
        ("a.c", {"engine": "pdr", "runtime": "simulated"}, False),
        ("a.c", {"engine": "pdr", "outputs": {"invariant": "a.smt2"}}, False),
        ("a.c", {"engine": "pdr", "outputs": {"witness": "a.yml"}}, True),  # invariants are written as C either way
        ("a.c", {}, True),
        ("a.c", {"workers": 4}, True),
        ("a.c", {"outputs": {"invariant": "a.smt2"}}, False),
        ("a.bpl", {}, False),
    ],
)
def test_only_pdr_on_c_tries_integers_by_itself(file: str, options: dict[str, object], expected: bool) -> None:
    made = plan(file, **options).stages
    stages = [one for one in made if one.integers is Integers.EXACT and not one.purpose.startswith("guess")]
    assert len(stages) == expected
    assert all(stage.engine == "pdr" for stage in stages)
