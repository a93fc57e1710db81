"""One result from the outcomes of a plan's stages. Pure.

    unsafe, safe       the first stage that says so
    unknown            a stage that found a violation which depends on what is not modelled
    bounded-safe       the stage with the largest bounds
    unknown            all reasons, the one that a user can do most about first

Evidence, assumptions and counters are those of the stage that decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cleave.frontends.input import Input
from cleave.run.outcome import Outcome
from cleave.run.plan import Plan, Stage
from cleave.verdict import BoundedSafe, Reason, Result, Safe, StageSummary, Unknown, Unsafe, Verdict

_SMTLIB = {Safe.word: "sat", Unsafe.word: "unsat"}
_ORDER = (
    *(Reason.INTERRUPTED, Reason.TIMEOUT, Reason.MEMORY, Reason.WORKERS, Reason.SOLVER),
    *(Reason.UNCONFIRMED, Reason.ITERATIONS, Reason.BUDGET),
)


def merge(
    plan: Plan, outcomes: Mapping[int, Outcome], input: Input, *, seconds: float, stopped: Reason | None = None
) -> Result:
    """``stopped``: why the plan was not carried out to its end."""
    stages = {stage.number: stage for stage in plan.stages}
    told = [
        outcome for number, outcome in sorted(outcomes.items()) if stages[number].role == "settle" or outcome.settles
    ]
    taken = [outcome for outcome in told if outcome.refused is None]
    if told and not taken and told[0].refused is not None:
        raise told[0].refused.error()
    best = _best(taken)
    if best is None:
        return _empty(plan, outcomes, input, seconds, stopped)
    doubtless = isinstance(best.verdict, Unknown) and not best.is_doubtful
    verdict = _unknown(taken, stages, stopped) if doubtless else best.verdict
    stage = stages[best.stage]
    return Result(
        verdict,
        stage.engine,
        _bounds(verdict, best.counters),
        seconds,
        plan.workers,
        _counters(best, outcomes, stages),
        best.assumptions,
        smtlib=None if input.kind.is_program else _SMTLIB.get(verdict.word, "unknown"),
        expected=plan.expected,
        checked=best.checked,
        predicates=best.predicates,
        stages=tuple(_summary(stages[number], outcome) for number, outcome in sorted(outcomes.items())),
    )


def settled(outcomes: Mapping[int, Outcome]) -> bool:
    return any(outcome.settles for outcome in outcomes.values())


def _best(taken: Sequence[Outcome]) -> Outcome | None:
    settling = [outcome for outcome in taken if outcome.settles]
    if settling:
        return next((outcome for outcome in settling if not outcome.is_doubtful), settling[0])
    best: Outcome | None = None
    for outcome in taken:
        if best is None or _is_larger(outcome, best):
            best = outcome
    return best


def _is_larger(outcome: Outcome, best: Outcome) -> bool:
    """Bounds of the same names are compared; of others, those of the later stage say more."""
    if outcome.bounded is None or best.bounded is None:
        return outcome.bounded is not None or (
            best.bounded is None and not outcome.counters.keys() <= best.counters.keys()
        )
    new, old = outcome.bounded.bounds, best.bounded.bounds
    return new.keys() != old.keys() or all(new[name] >= old[name] for name in new)


def _unknown(taken: Sequence[Outcome], stages: Mapping[int, Stage], stopped: Reason | None) -> Unknown:
    """A stage that only ran out of its share of cost has nothing to say if another one ran out of time."""
    found = [(stages[one.stage].engine, one.unknown) for one in taken if one.unknown is not None]
    reasons = [unknown.reason for _, unknown in found]
    reason = stopped or next(reason for reason in _ORDER if reason in reasons)
    last = {name: unknown for name, unknown in found if unknown.detail}
    if len({name for name, _ in found}) == 1:
        return Unknown(reason, next((unknown.detail for unknown in last.values()), ""))
    return Unknown(reason, "; ".join(f"{name}: {_why(unknown, reason)}" for name, unknown in last.items()))


def _why(unknown: Unknown, said: Reason) -> str:
    """The reason is not said twice."""
    return unknown.detail if unknown.reason is said else f"{unknown.reason.value}: {unknown.detail}"


def _empty(plan: Plan, outcomes: Mapping[int, Outcome], input: Input, seconds: float, stopped: Reason | None) -> Result:
    """Nothing was tried that could say anything about all executions."""
    stage = plan.stages[0]
    last = next((outcome for _, outcome in sorted(outcomes.items(), reverse=True)), None)
    verdict = last.unknown if last is not None and last.unknown is not None else Unknown(stopped or Reason.INTERRUPTED)
    if stopped is not None:
        verdict = Unknown(stopped, verdict.detail)
    return Result(
        verdict,
        stage.engine,
        {},
        seconds,
        plan.workers,
        last.counters if last is not None else {},
        last.assumptions if last is not None else (),
        smtlib=None if input.kind.is_program else "unknown",
        expected=plan.expected,
    )


def _counters(best: Outcome, outcomes: Mapping[int, Outcome], stages: Mapping[int, Stage]) -> dict[str, Any]:
    """The deciding stage's; what executions and invariants contributed is added."""
    counters = dict(best.counters)
    steps = sum(outcome.counters.get("probe_steps", 0) for outcome in outcomes.values())
    if steps:
        counters["probe_steps"] = steps
    for number, outcome in sorted(outcomes.items()):
        if stages[number].role == "invariants":
            counters |= {name: value for name, value in outcome.counters.items() if name.startswith("invariants")}
    return counters


def _summary(stage: Stage, outcome: Outcome) -> StageSummary:
    verdict = "refused" if outcome.refused is not None else outcome.verdict.word
    cost = int(outcome.counters.get("cost", 0))
    return StageSummary(
        stage.number, stage.engine, stage.workers, verdict, round(outcome.seconds, 3), cost, _detail(outcome)
    )


def _detail(outcome: Outcome) -> str:
    if outcome.refused is not None:
        return outcome.refused.message
    match outcome.verdict:
        case BoundedSafe(bounds):
            return ", ".join(f"{name} {bound}" for name, bound in bounds.items())
        case Unknown(reason, detail):
            return f"{reason.value}: {detail}" if detail else reason.value
        case _:
            return ""


def _bounds(verdict: Verdict, counters: Mapping[str, Any]) -> dict[str, int]:
    """The bounds that took part, or that the search was working on."""
    match verdict:
        case Safe():
            return {}
        case BoundedSafe(bounds):
            return dict(bounds)
        case _:
            found = {"recursion": counters.get("bound"), "contexts": counters.get("contexts")}
            return {name: int(bound) for name, bound in found.items() if bound}
