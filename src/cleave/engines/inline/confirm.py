"""The check of the proof of a whole search: several ways in turn, each of which continues where it stopped.

    check = ProofCheck(prepared, whole, part)
    check.go_on(2_000_000)      # a Confirmation, or None: the cost is spent and more is to be done

A *way* is a program, a proof and the solver's options. All limits are in solver cost: a busy machine changes no result.

| in turn | what is checked |
| --- | --- |
| the part that the proof needs, if it is known | that the part alone is a proof; its other calls are open |
| the whole unfolding without the background | that the proof holds whatever the background variables are |
| the whole unfolding, the whole program | everything |

If a part is no proof, nothing is decided: the whole may still be one. What confirms is `validate`, in each of the ways.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from cleave.engines.inline.solvers import profile_for
from cleave.ir.program import Program
from cleave.ir.unfolded import UnfoldedProof
from cleave.passes.background import without_background
from cleave.passes.prepare import Prepared
from cleave.smt.z3.solver import BOOGIE, PLAIN, Profile, Z3Solver
from cleave.validate.confirmation import Confirmation, rejected
from cleave.validate.proofs.unfolded import PartitionChecker

# Options, and the cost (0: no limit) before it is the next one's turn: which are quicker differs, by up to ten times.
_PART_TURNS = ((BOOGIE, 8_000_000), (PLAIN, 8_000_000))
_TURNS = ((BOOGIE, 30_000_000), (PLAIN, 30_000_000))
_LATER_TURNS = ((BOOGIE, 80_000_000), (PLAIN, 80_000_000), (BOOGIE, 0))
_BITS_TURNS = ((BOOGIE, 10_000_000), (PLAIN, 0))  # for programs with bit vectors
_TRIES = 3


class _Kind(NamedTuple):
    """Which way: a part of the proof or the whole, with the background or without, and the name of the options."""

    part: bool
    full: bool
    profile: str


class _Way:
    """One way to check a proof. Its solver begins with the first check, and keeps what it learned for the next."""

    def __init__(self, program: Program, entry: str, proof: UnfoldedProof, profile: Profile) -> None:
        self.program = program
        self.proof = proof
        self.solver = Z3Solver(profile=profile)
        self._entry = entry
        self._checker: PartitionChecker | None = None

    def check(self, cost_limit: int, seconds: float) -> Confirmation:
        if self._checker is None:
            self._checker = PartitionChecker(self.program, self._entry, self.solver)
        return self._checker.check(self.proof, seconds=seconds, cost_limit=cost_limit)


class ProofCheck:
    """Checks one proof without decisions: the ``whole`` unfolding, or before it the ``part`` that it needs."""

    def __init__(self, prepared: Prepared, whole: UnfoldedProof, part: UnfoldedProof | None = None) -> None:
        self._prepared = prepared
        self._whole, self._part = whole, part
        self._without = without_background(prepared.program)
        self._ways: dict[_Kind, _Way] = {}
        self._turns = deque(self._planned())
        self._at_work: _Way | None = None
        self._dropped_cost = 0

    def cost(self) -> int:
        return self._dropped_cost + sum(way.solver.cost() for way in self._ways.values())

    def interrupt(self) -> None:
        """Makes a check that is under way end soon; from any thread."""
        way = self._at_work
        if way is not None:
            way.solver.interrupt()

    def go_on(self, cost_limit: int = 0, *, seconds: float = 0.0) -> Confirmation | None:
        """Goes on with the way whose turn it is, up to the end of its turn. None if more is to be done."""
        kind, left = self._turns.popleft()
        way = self._at_work = self._way(kind)
        before = way.solver.cost()
        judged = way.check(min((limit for limit in (left, cost_limit) if limit), default=0), seconds)
        if judged.holds:
            return judged
        if judged.stopped:
            self._stopped(kind, left, way.solver.cost() - before)
        elif self._is_decided(way, judged):
            return judged
        else:
            self._refuted(kind, judged)
        self._drop_idle()
        return None if self._turns else judged

    def last_try(self, seconds: float) -> Confirmation:
        """One more check where the last one stopped, when a limit of the run was hit."""
        judged: Confirmation | None = None
        for _ in range(_TRIES):
            judged = self.go_on(seconds=seconds)
            # An interrupt that came after the last check stops the next one.
            if judged is not None or self._reason() != "interrupted":
                break
        return judged or rejected("no time was left to check it", undecided=True, stopped=True)

    # --- turns --------------------------------------------------------------------------------------------------------

    def _planned(self) -> Iterator[tuple[_Kind, int]]:
        """The ways to try, with the cost of each turn."""
        if self._part is not None:
            yield from _turns_of(_PART_TURNS, part=True, full=self._without is self._prepared.program)
        if profile_for(self._prepared.program) is PLAIN:
            yield from _turns_of(_BITS_TURNS, part=False, full=True)
            return
        if self._without is not self._prepared.program:
            yield from _turns_of(_TURNS, part=False, full=False)
        yield from _turns_of((*_TURNS, *_LATER_TURNS), part=False, full=True)

    def _way(self, kind: _Kind) -> _Way:
        if kind not in self._ways:
            program = self._prepared.program if kind.full else self._without
            proof = self._part if kind.part and self._part is not None else self._whole
            options = BOOGIE if kind.profile == BOOGIE.name else PLAIN
            self._ways[kind] = _Way(program, self._prepared.entry, proof, options)
        return self._ways[kind]

    def _stopped(self, kind: _Kind, left: int, spent: int) -> None:
        """Its turn goes on, or is over."""
        if self._reason() == "memory":
            self._turns = deque(turn for turn in self._turns if turn[0] != kind)
        elif not left or spent < left:
            self._turns.appendleft((kind, left and left - spent))

    def _is_decided(self, way: _Way, judged: Confirmation) -> bool:
        """Whether it is certain that the proof is none."""
        return way.proof is self._whole and way.program is self._prepared.program and not judged.undecided

    def _refuted(self, kind: _Kind, judged: Confirmation) -> None:
        """Other options would not help, unless only these can't decide it. A candidate for a model of what leaves the
        background out is most likely one: the background is needed."""
        only_these = kind.full and judged.undecided
        gone = {kind} if only_these else {kind._replace(profile=profile.name) for profile in (BOOGIE, PLAIN)}
        self._turns = deque(turn for turn in self._turns if turn[0] not in gone)
        if kind.part and not kind.full:
            self._turns.extendleft(reversed(list(_turns_of(_PART_TURNS, part=True, full=True))))

    def _drop_idle(self) -> None:
        """Frees the solvers that get no further turn."""
        wanted = {kind for kind, _ in self._turns}
        for kind in [kind for kind in self._ways if kind not in wanted]:
            way = self._ways.pop(kind)
            self._dropped_cost += way.solver.cost()
            way.solver.close()

    def _reason(self) -> str:
        return self._at_work.solver.reason_unknown() if self._at_work is not None else ""


def _turns_of(turns: tuple[tuple[Profile, int], ...], *, part: bool, full: bool) -> Iterator[tuple[_Kind, int]]:
    yield from ((_Kind(part, full, profile.name), cost) for profile, cost in turns)
