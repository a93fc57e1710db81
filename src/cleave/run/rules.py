"""Which stages a plan has: pure rules over the kind of input, the workers and the options.

    make_plan(input, Options())                  # several engines, in turn and side by side
    make_plan(input, Options(engine="pdr"))      # one engine, and executions before it

The default for a sequential program, with two workers:

    executions, intervals, inline, pdr and bmc at little cost    what is easy ends here, in this process
    lane 0: other executions, bmc, invariants, inline deepening  ┐ side by side
    lane 1: pdr, cegar                                           ┘

With one worker the lanes are one, in turn; with three or more, cegar has a lane of its own, and workers are divided.
Stages after intervals do not ask for checks of C that intervals prove. Invariants are found by intervals, and more of
them by a stage of pdr, and offered to all searches that begin after it, in any lane: inline and pdr assume them, cegar
begins with them as predicates."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from cleave.engines.pdr.options import CELL_GUESSES, GUESS
from cleave.engines.registry import engine
from cleave.errors import UsageError
from cleave.frontends.input import Input, Kind
from cleave.ir.integers import Integers
from cleave.run.fitting import check_language, check_threads
from cleave.run.plan import EXECUTIONS, Place, Plan, Stage, engine_versions, given_options
from cleave.run.request import AUTO, Options

INLINE, BMC, PDR, CEGAR, THREADS, INTERVALS = "inline", "bmc", "pdr", "cegar", "threads", "intervals"

_BRIEF_STEPS = 30_000  # of executions: a tenth of a second or two
_MORE_STEPS = 300_000  # a second or two
_BRIEF_COST = 2_000_000  # of the first search, two seconds or so: most of what ends at all ends within
_BRIEF_CONFLICTS = 100_000  # of the first search of the unfolded program: ten seconds or so
_BRIEF_UNWIND = 16  # of it: a loop that goes on longer is for others first
_BITS_SHARE, _BITS_SECONDS = 0.5, 20.0  # for it
_UNLIMITED_UNWIND = 32  # iterations, where nobody has set a bound or a time limit
_INTERVALS_SHARE, _INTERVALS_SECONDS = 0.2, 10.0  # for intervals and their check
_GUESS_COST = 500_000  # half a second or so: what can be guessed mostly takes less
_CELLS_COST = 5_000_000  # two seconds or so
_GUESS_SHARE, _GUESS_SECONDS, _CELLS_SECONDS = 0.2, 5.0, 10.0
_BRIEF_SHARE, _BRIEF_SECONDS = 0.3, 10.0  # of the time: a single question to a solver may go on for ever
_EXACT_SHARE, _EXACT_SECONDS = 0.2, 30.0  # for integers that wrap around, before bits
_CHECKED_SHARE, _CHECKED_SECONDS = 0.5, 300.0  # for a proof that assumes nothing
_FACTS_SHARE, _FACTS_SECONDS = 0.4, 60.0
_LANES = 3  # bounds, proofs by clauses, proofs by predicates: with fewer workers, proofs share one
_PATIENCE = 10.0  # seconds of processor time for each engine, where there is no time limit
_CONFIRM_SECONDS = 2.0  # or as long as the search took: what comes next may find more than this confirms


def make_plan(input: Input, options: Options, *, expected: str | None = None) -> Plan:
    _check(input, options)
    stages = tuple(_Builder(input, options).stages())
    certified = "certificate" in options.outputs
    return Plan(
        stages=stages,
        workers=options.workers,
        place=Place(runtime=options.runtime, address=options.address),
        timelimit=options.timelimit,
        cputimelimit=options.cputimelimit,
        memlimit_mb=options.memlimit_mb,
        tells_invariant="invariant" in options.outputs or options.model or (certified and not input.kind.is_program),
        tells_loops="witness" in options.outputs or (certified and input.kind.is_program),
        outputs={name: os.path.abspath(file) for name, file in options.outputs.items()},
        command=options.command,
        expected=expected,
        engines=dict(engine_versions(stages)),
    )


def _check(input: Input, options: Options) -> None:
    check_language(input, options)
    check_threads(input, options)
    name = options.engine if options.engine != AUTO else None
    if name is not None and (why := engine(name).misfit(input.kind)) is not None:
        raise UsageError(f"{input.file}: {why}")
    if options.integers is not None and not input.is_c:
        raise UsageError(f"{input.file}: --integers is for programs in C, whose integers have so many bits")
    chosen = name or (THREADS if input.kind is Kind.THREADS else INLINE)
    if options.integers not in (None, Integers.BITS) and not engine(chosen).integers:
        raise UsageError(f"{input.file}: --integers is for sequential programs; the engine {chosen} computes with bits")
    if options.invariants_from is not None and (input.kind is not Kind.PROGRAM or name != INLINE):
        why = "; the plan without --engine finds invariants by itself" if name is None else ""
        raise UsageError(f"{input.file}: --invariants-from is for --engine {INLINE}{why}")


class _Builder:
    def __init__(self, input: Input, options: Options) -> None:
        self._input = input
        self._options = options
        self._own = {type(one): one for one in options.engines}
        self._workers = options.workers
        self._number = 0
        self._intervals: int | None = None  # the stage that finds them

    def stages(self) -> Iterator[Stage]:
        name = self._options.engine
        if name is not None and name != AUTO:
            return self._named(name)
        match self._input.kind:
            case Kind.THREADS:
                return self._named(THREADS)
            case Kind.PROGRAM if (
                self._options.integers in (None, Integers.BITS) and self._options.runtime != "simulated"
            ):
                return self._sequential()
            case Kind.PROGRAM:
                return self._named(INLINE)
            case _:
                return self._clauses()

    # --- one engine ---------------------------------------------------------------------------------------------------

    def _named(self, name: str) -> Iterator[Stage]:
        match name:
            case "inline":
                return self._inline()
            case "pdr":
                return self._pdr()
            case "threads":
                return self._threads()
            case "bmc":
                return self._bmc()
            case _:
                return self._with_integers(name, f"{engine(name).purpose}")

    def _inline(self) -> Iterator[Stage]:
        by_rule = self._options_of(INLINE).bounds is None and self._options.integers in (None, Integers.BITS)
        if self._input.is_from_c and by_rule:
            yield self._executions()
        facts = None
        if self._options.invariants_from is not None:
            facts = self._facts()
            yield facts
        uses = facts.number if facts is not None else None
        yield from self._with_integers(INLINE, "search all executions within a bound on loops and recursion", uses=uses)
        if by_rule:
            yield self._executions(_MORE_STEPS, seed=1, when="bounded")

    def _pdr(self) -> Iterator[Stage]:
        """Integers that wrap around as bits do come first: where they prove or refute something they are quick."""
        if self._input.kind is Kind.PROGRAM:
            yield self._executions()
        if self._input.is_c and self._options.runtime == "local" and not self._is_about_bits():
            yield self._exact(workers=self._workers)
        yield from self._with_integers(PDR, "prove or refute without bounds, by Horn clauses")

    def _bmc(self) -> Iterator[Stage]:
        own = self._options_of(BMC)
        if own.unwind is None:
            yield self._executions()
            if not self._options.wall_seconds() and own.most_unwind == type(own)().most_unwind:
                own = replace(own, most_unwind=_UNLIMITED_UNWIND)
        yield self._stage(BMC, engine(BMC).purpose, own, workers=self._workers)

    def _threads(self) -> Iterator[Stage]:
        own = self._options_of(THREADS)
        deepens = own.deepens and not own.partitions
        changes: dict[str, Any] = {}
        if deepens:
            yield self._executions(_MORE_STEPS)
            if self._options.wall_seconds() and own.confirm_seconds == type(own)().confirm_seconds:
                changes["confirm_seconds"] = _CONFIRM_SECONDS
        yield self._stage(
            THREADS,
            "search all schedules within a number of contexts",
            replace(own, **changes),
            workers=self._workers,
            deepens=deepens,
            probes=_MORE_STEPS // 2 if deepens else 0,
        )

    def _with_integers(self, name: str, purpose: str, uses: int | None = None) -> Iterator[Stage]:
        """For integers without bounds, first with a proof that nothing overflows."""
        integers = self._options.integers or Integers.BITS
        if integers is Integers.UNBOUNDED:
            yield self._stage(
                name,
                f"{purpose}, and prove that nothing overflows",
                workers=self._workers,
                integers=Integers.CHECKED,
                share=_CHECKED_SHARE,
                patience=_CHECKED_SECONDS,
                uses=uses,
            )
        yield self._stage(name, purpose, workers=self._workers, integers=integers, uses=uses)

    # --- several engines ----------------------------------------------------------------------------------------------

    def _sequential(self) -> Iterator[Stage]:
        if self._input.is_from_c:
            yield self._executions()
            yield self._by_intervals()
        own = self._options_of(INLINE)
        limit = self._options.wall_seconds()
        seconds = min(_BRIEF_SECONDS, _BRIEF_SHARE * limit) if limit else _BRIEF_SECONDS
        yield self._stage(
            INLINE, "search small bounds, as far as a little cost goes", cost=_BRIEF_COST, seconds=seconds
        )
        if self._input.is_from_c:
            yield from self._guesses(limit)
            purpose = "search the unfolded program bit by bit, as far as a little cost goes"
            bits = self._options_of(BMC)
            if bits.unwind is None:
                bits = replace(bits, most_unwind=min(bits.most_unwind, _BRIEF_UNWIND))
            seconds = min(_BITS_SECONDS, _BITS_SHARE * limit) if limit else _BITS_SECONDS
            yield self._stage(BMC, purpose, bits, cost=_BRIEF_CONFLICTS, seconds=seconds)
        if self._workers == 1 or not self._can_run_beside():
            yield from (_placed(stage, 1, 0) for stage in self._in_turn(deepens=own.bounds is None))
            return
        for number, lane in enumerate(lanes := self._lanes(deepens=own.bounds is None)):
            share = self._workers // len(lanes) + (number < self._workers % len(lanes))
            for stage in lane:
                workers = 1 if stage.role != "settle" else share
                of_time = stage.share if stage is not lane[-1] else 1.0
                yield msgspec.structs.replace(_placed(stage, 1, number), workers=workers, share=of_time)

    def _guesses(self, limit: float) -> Iterator[Stage]:
        """Loops mostly have invariants that can be guessed; what these prove takes little, however long loops are."""
        own = self._options_of(PDR)
        if own.strategies is None and not self._is_about_bits():
            about = (GUESS, "loops", _GUESS_COST, _GUESS_SECONDS), (CELL_GUESSES, "arrays", _CELLS_COST, _CELLS_SECONDS)
            for strategy, what, cost, most in about:
                yield self._stage(
                    PDR,
                    f"guess invariants of {what}, as far as a little cost goes",
                    replace(own, strategies=(strategy,)),
                    integers=Integers.EXACT,
                    cost=cost,
                    seconds=min(most, _GUESS_SHARE * limit) if limit else most,
                    uses=self._intervals,
                )

    def _lanes(self, *, deepens: bool) -> list[list[Stage]]:
        """The stages of a lane run in the order of their numbers, which is the order in which they are made."""
        if self._workers < _LANES:
            bounded = list(self._bounded_lane(None, deepens=deepens))
            facts = next(stage for stage in bounded if stage.role == "invariants")
            return [bounded, [*self._proof_lane(), self._cegar(facts)]]
        proofs, facts = list(self._proof_lane()), self._brief_facts()
        apart = [facts, self._cegar(facts)]
        return [list(self._bounded_lane(facts, deepens=deepens)), proofs, apart]

    def _bounded_lane(self, facts: Stage | None, *, deepens: bool) -> Iterator[Stage]:
        """Of C, unfolded programs are searched bit by bit first. ``facts`` is the stage that finds invariants; None:
        the lane has one of its own."""
        yield self._executions(_MORE_STEPS, seed=1)
        if self._input.is_from_c:
            purpose = "search the unfolded program bit by bit, with larger and larger bounds"
            yield self._stage(BMC, purpose, share=0.4, patience=_PATIENCE)
        if facts is None:
            facts = self._brief_facts()
            yield facts
        yield self._stage(
            INLINE,
            "search larger and larger bounds",
            deepens=deepens,
            patience=_PATIENCE,
            uses=facts.number,
        )

    def _proof_lane(self) -> Iterator[Stage]:
        if self._input.is_c and not self._is_about_bits():
            yield self._exact(workers=1, share=0.3)
        purpose = "prove or refute without bounds, by Horn clauses"
        yield self._stage(PDR, purpose, share=0.6, patience=_PATIENCE, uses=self._intervals)

    def _cegar(self, facts: Stage) -> Stage:
        purpose = "prove or refute without bounds, by predicate abstraction"
        return self._stage(CEGAR, purpose, patience=_PATIENCE, uses=facts.number)

    def _in_turn(self, *, deepens: bool) -> Iterator[Stage]:
        """Proofs have two thirds of the time, larger bounds the rest."""
        proofs, facts = list(self._proof_lane()), self._brief_facts()
        for stage in (*proofs, facts, self._cegar(facts)):
            workers = self._workers if stage.role == "settle" else 1
            yield msgspec.structs.replace(stage, share=min(stage.share, 0.4), workers=workers)
        for stage in self._bounded_lane(facts, deepens=deepens):
            yield msgspec.structs.replace(stage, workers=self._workers if stage.role == "settle" else 1)

    def _clauses(self) -> Iterator[Stage]:
        """With few workers pdr has them all first: its strategies are worth more than another engine beside it. What is
        not linear is for pdr only."""
        purpose = "prove or refute by an invariant of the clauses, many strategies side by side"
        if any(len(clause.body) > 1 for clause in self._input.clauses.clauses):
            yield self._stage(PDR, purpose, workers=self._workers)
            return
        beside = self._workers > 2 and self._can_run_beside()
        pdr = self._stage(PDR, purpose, workers=self._workers - beside, share=1.0 if beside else 0.75)
        cegar = self._stage(
            CEGAR, "the same by predicate abstraction", workers=1 if beside else self._workers, patience=_PATIENCE
        )
        yield pdr
        yield _placed(cegar, 0, 1) if beside else cegar

    # --- single stages ------------------------------------------------------------------------------------------------

    def _executions(self, steps: int = _BRIEF_STEPS, *, seed: int = 0, when: str = "open") -> Stage:
        own = self._options_of(EXECUTIONS)
        chosen = replace(own, steps=steps, seed=own.seed + seed) if own.steps == type(own)().steps else own
        return self._stage(
            EXECUTIONS, "run the program, to find a violation quickly", chosen, role="violations", when=when
        )

    def _by_intervals(self) -> Stage:
        found = self._stage(
            INTERVALS,
            "prove by intervals and congruences what they can, and find invariants",
            role="invariants",
            share=_INTERVALS_SHARE,
            seconds=_INTERVALS_SECONDS,
        )
        self._intervals = found.number
        return found

    def _facts(self, share: float = _FACTS_SHARE, patience: float = _FACTS_SECONDS) -> Stage:
        integers = self._options.integers or Integers.BITS
        return self._stage(
            PDR,
            "find invariants that the search may use",
            role="invariants",
            share=share,
            patience=patience,
            integers=Integers.CHECKED if integers is Integers.UNBOUNDED else integers,
            uses=self._intervals,
        )

    def _brief_facts(self) -> Stage:
        return self._facts(share=0.2, patience=_PATIENCE / 2)

    def _exact(self, *, workers: int, share: float = _EXACT_SHARE) -> Stage:
        return self._stage(
            PDR,
            "the same over integers that wrap around as bits do",
            workers=workers,
            integers=Integers.EXACT,
            share=share,
            seconds=_EXACT_SECONDS,
            uses=self._intervals,
        )

    def _stage(self, name: str, purpose: str, options: Any = None, **about: Any) -> Stage:
        self._number += 1
        chosen = given_options(self._options_of(name) if options is None else options)
        return Stage(number=self._number, engine=name, purpose=purpose, options=chosen, **about)

    def _options_of(self, name: str) -> Any:
        kind = engine(name).options
        return self._own.get(kind) or kind()

    def _is_about_bits(self) -> bool:
        """Whether somebody wants bits alone, or the invariant of the clauses, which is to be about bits."""
        return self._options.integers is not None or "invariant" in self._options.outputs

    def _can_run_beside(self) -> bool:
        return self._options.runtime == "local" or (
            self._options.runtime == "ray" and self._options.address is not None
        )


def _placed(stage: Stage, group: int, lane: int) -> Stage:
    return msgspec.structs.replace(stage, group=group, lane=lane)
