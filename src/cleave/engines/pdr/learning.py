"""SPACER's results about Horn clauses within a limited amount of work: a proof, or else the lemmas of its frames.

    for candidates in learn(system, LearningOptions(), halt):
        candidates["Inv"]          # formulas over a0, a1, ... that may hold of all facts

The lemmas of F∞ hold if SPACER is right, those of other frames are guesses, often good ones.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack

from cleave.engines.pdr.spacer.run import (
    INFINITY,
    STRATEGIES,
    Answered,
    Busy,
    Lemma,
    NoAnswer,
    Paused,
    SafeAnswer,
    Share,
    SpacerRun,
    Strategy,
    UnsafeAnswer,
)
from cleave.errors import InputError, InternalError
from cleave.ir.horn import HornSystem, Interpretation, Relation
from cleave.logic.smtlib_reader import read_term
from cleave.logic.terms import Op, Term, conj_all
from cleave.logic.walk import has_quantifier, substitute
from cleave.passes.horn import SimplifiedHorn, simplify_horn
from cleave.passes.horn.relevant import parameters
from cleave.records import dataclass

Candidates = Mapping[str, Sequence[Term]]
"""By predicate, formulas over its parameters (`passes.horn.relevant.parameters`)."""

_STRATEGIES: Mapping[str, Strategy] = {strategy.name: strategy for strategy in STRATEGIES}
_POLL_SECONDS = 0.1
_Lemmas = dict[tuple[str, str], Lemma]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningOptions:
    """The ``strategies`` take turns; ``turns`` is the cost up to which each of them may go in each round. At most
    ``most`` lemmas are looked at."""

    strategies: tuple[str, ...] = ("global", "no-equality-propagation")
    turns: tuple[int, ...] = (250_000, 1_000_000, 3_000_000)
    slice_cost: int = 25_000
    most: int = 2_000
    seed: int = 0


def learn(system: HornSystem, options: LearningOptions, halt: threading.Event) -> Iterator[Candidates]:
    """Of a proof if there is one; then of the lemmas of all strategies together; and, in case these are too many, only
    of those that SPACER has proved. What defines a predicate that was simplified away is among them in any case."""
    simplified = simplify_horn(system, quantifiers=False)
    lemmas: _Lemmas = {}
    proof = _prove(simplified.system, options, lemmas, halt)
    if halt.is_set():
        return
    if proof is not None:
        yield _candidates(system, simplified, proof)
    by_level = sorted(lemmas.values(), key=lambda lemma: -lemma.level)
    proved = [lemma for lemma in by_level if lemma.level == INFINITY]
    for chosen in (by_level[: options.most], proved):
        if chosen or not proved:
            yield _candidates(system, simplified, _conjunctions(simplified.system, chosen))


def _prove(
    system: HornSystem, options: LearningOptions, lemmas: _Lemmas, halt: threading.Event
) -> Interpretation | None:
    """A proof, if SPACER finds one. All lemmas are added, each at its highest level."""
    with ExitStack() as stack:
        runs = [stack.enter_context(_begin(system, _STRATEGIES[name], options)) for name in options.strategies]
        for turn in options.turns:
            for run in list(runs):
                answer = _go_on(run, turn, lemmas, halt)
                if halt.is_set():
                    return None
                if isinstance(answer, SafeAnswer):
                    return answer.interpretation
                if isinstance(answer, UnsafeAnswer):
                    return None
                if answer is not None:
                    runs.remove(run)
    return None


def _begin(system: HornSystem, strategy: Strategy, options: LearningOptions) -> SpacerRun:
    return SpacerRun(
        system,
        strategy,
        seed=options.seed,
        share=frozenset({Share.FRAMES, Share.INFINITE}),
        slice_cost=options.slice_cost,
        poll_seconds=_POLL_SECONDS,
        cost_limit=options.turns[-1],
    )


def _go_on(run: SpacerRun, turn: int, lemmas: _Lemmas, halt: threading.Event) -> Answered | None:
    """Lets SPACER work until its turn is over, or it answers."""
    news: list[Lemma] = []  # since SPACER stood still: how many there are is a matter of time until it does again
    while not halt.is_set():
        try:
            event = run.resume()
        except InternalError as error:  # the limit of work was hit in a callback; nothing is lost but the last lemmas
            return NoAnswer(str(error))
        if not isinstance(event, Paused | Busy):
            return event
        news += event.lemmas
        if isinstance(event, Paused):
            _note(lemmas, news)
            news = []
            if event.cost >= turn:
                return None
    return None


def _note(lemmas: _Lemmas, news: Iterable[Lemma]) -> None:
    for lemma in news:
        known = lemmas.get((lemma.predicate, lemma.text))
        if known is None or known.level < lemma.level:
            lemmas[lemma.predicate, lemma.text] = lemma


def _conjunctions(system: HornSystem, lemmas: Iterable[Lemma]) -> dict[str, Relation]:
    formulas: dict[str, list[Term]] = {name: [] for name in system.predicates}
    functions = {function.name: function for function in system.functions}
    for lemma in lemmas:
        scope = {variable.name: variable for variable in parameters(system, lemma.predicate)}
        try:
            formulas[lemma.predicate].append(read_term(lemma.text, scope, functions))
        except InputError:
            continue  # in words of Z3's own
    return {name: Relation(parameters(system, name), conj_all(found)) for name, found in formulas.items()}


def _candidates(system: HornSystem, simplified: SimplifiedHorn, found: Interpretation) -> Candidates:
    original = simplified.interpretation(found)
    return {name: list(_conjuncts(relation, parameters(system, name))) for name, relation in original.items()}


def _conjuncts(relation: Relation, variables: tuple[Term, ...]) -> Iterator[Term]:
    renaming = dict(zip(relation.parameters, variables, strict=True))
    parts = relation.formula.args if relation.formula.op is Op.AND else (relation.formula,)
    for part in parts:
        if not part.is_true and not has_quantifier(part):
            yield substitute(part, renaming)
