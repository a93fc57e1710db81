"""Which lemmas a run gives to others, and which it takes from them.

Out go, each once: lemmas that hold at all levels, or, if asked for, of any level, as SPACER announces them; and when a
level begins also the ones that were promoted silently, and, if asked for, the lemmas of all frames.

In come lemmas in any order, more than once, or not at all. Lemmas that can't be read are counted and dropped. Lemmas of
all levels are used as they are: they are true if the sender is right. But if others that they rest on are lost, the
invariant that SPACER answers with may not be inductive; checking it, which has to be done anyway, shows that. A lemma
of a level must be proved from the frames (see `frames`), or is tried again at the next levels, a few times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from typing import TypeAlias

from cleave.engines.pdr.spacer.frames import Candidate, Frames
from cleave.engines.pdr.spacer.lemmas import INFINITY, Lemma, LemmaTexts
from cleave.engines.pdr.spacer.native import Fixedpoint
from cleave.engines.pdr.spacer.problem import Problem

_TRIES = 4
_LEAST_PROOF_COST = 20_000
_PROOF_SHARE = 10  # at most this part of all work goes into proving lemmas of others


Shared: TypeAlias = Lemma
"""What runs exchange."""


class Share(Enum):
    """What a run gives and takes: lemmas of all levels, or of the frames. LEARNED are those of frames as soon as SPACER
    has them; they are only given."""

    INFINITE = "inf"
    FRAMES = "k"
    LEARNED = "learned"


class Exchange:
    """Belongs to the query's thread; to be used in callbacks only, and `exports` and `take` only when a level
    begins."""

    def __init__(self, problem: Problem, fixedpoint: Fixedpoint, share: frozenset[Share]) -> None:
        self._fixedpoint = fixedpoint
        self._share = share
        self._texts = LemmaTexts(problem)
        self._frames = Frames(problem, fixedpoint, self._texts)
        self._levels: dict[tuple[str, str], int] = {}  # the highest at which a lemma was sent or taken
        self._waiting: dict[tuple[str, str], tuple[Candidate, int]] = {}  # not proved yet, and the tries left
        self.counts: Counter[str] = Counter(sent=0, taken=0, refused=0, unreadable=0, proof_cost=0)

    def close(self) -> None:
        self._frames.close()
        self._texts.close()

    # --- out --------------------------------------------------------------------------------------------------------

    def announced(self, lemma: int, level: int) -> list[Lemma]:
        """The lemma that SPACER just learned, if it is to be sent."""
        kind = Share.INFINITE if level == INFINITY else Share.LEARNED
        printed = self._texts.print_announced(lemma)  # in any case: it frees what SPACER has made
        if kind not in self._share or level == 0:
            return []
        return self._new([Lemma(printed[0], level, printed[1])] if printed is not None else [])

    def exports(self) -> list[Lemma]:
        """What there is to send when a level begins."""
        if Share.FRAMES in self._share:
            lemmas = [candidate.lemma for candidate in self._frames.all()]
            return self._new(lemma for lemma in lemmas if lemma.level != INFINITY or Share.INFINITE in self._share)
        return self._new(self._frames.infinite()) if Share.INFINITE in self._share else []

    def _new(self, lemmas: Iterable[Lemma]) -> list[Lemma]:
        found = [lemma for lemma in lemmas if self._raise(lemma)]
        self.counts["sent"] += len(found)
        return found

    def _raise(self, lemma: Lemma) -> bool:
        """Whether the lemma is new at this level; from now on it is not."""
        key = (lemma.predicate, lemma.text)
        if self._levels.get(key, 0) >= lemma.level:
            return False
        self._levels[key] = lemma.level
        return True

    # --- in ---------------------------------------------------------------------------------------------------------

    def receive(self, imports: Iterable[Lemma]) -> None:
        for lemma in imports:
            self._wait_for(lemma)

    def take(self) -> None:
        """Strengthens the frames with what can be proved of what came."""
        self.take_invariants()
        if self._waiting:
            self._take_proved()

    def _is_wanted(self, lemma: Lemma) -> bool:
        kind = Share.INFINITE if lemma.level == INFINITY else Share.FRAMES
        return kind in self._share and 0 < lemma.level <= INFINITY

    def _wait_for(self, lemma: Lemma) -> None:
        key = (lemma.predicate, lemma.text)
        known = self._waiting.get(key)
        if not self._is_wanted(lemma) or self._levels.get(key, 0) >= lemma.level:
            return
        if known is not None and known[0].level >= lemma.level:
            return
        formula = known[0].formula if known is not None else self._texts.read(lemma)
        if formula is None:
            self.counts["unreadable"] += 1
            self._levels[key] = INFINITY  # not to be read again
        else:
            self._waiting[key] = (Candidate(lemma, formula), _TRIES)

    def take_invariants(self) -> None:
        """As they are: what holds at all levels is true of everything that can be derived, and so is what follows."""
        for key in [key for key, (candidate, _) in self._waiting.items() if candidate.level == INFINITY]:
            candidate, _ = self._waiting.pop(key)
            self._add(candidate)

    def _take_proved(self) -> None:
        """If there is work left to spend on proofs."""
        before = self._fixedpoint.cost()
        budget = max(_LEAST_PROOF_COST, before // _PROOF_SHARE) - self.counts["proof_cost"]
        if budget <= 0:
            return
        keys = list(self._waiting)
        own, height = self._frames.all(), self._frames.height()
        candidates = {key: _lowered(self._waiting[key][0], height) for key in keys}
        for known in own:
            key = (known.lemma.predicate, known.lemma.text)
            if key in candidates and candidates[key].level <= known.level:
                del candidates[key], self._waiting[key]
        for candidate in self._frames.provable(list(candidates.values()), own, budget):
            del self._waiting[candidate.lemma.predicate, candidate.lemma.text]
            self._add(candidate)
        self.counts["proof_cost"] += self._fixedpoint.cost() - before
        self._try_later(keys)

    def _add(self, candidate: Candidate) -> None:
        if self._raise(candidate.lemma) and self._frames.add(candidate):
            self.counts["taken"] += 1

    def _try_later(self, keys: list[tuple[str, str]]) -> None:
        for key in keys:
            candidate, tries = self._waiting.get(key, (None, 0))
            if candidate is None:
                continue
            if tries > 1:
                self._waiting[key] = (candidate, tries - 1)
            else:
                del self._waiting[key]
                self.counts["refused"] += 1
                self._levels[key] = max(candidate.level, self._levels.get(key, 0))  # not again at this level


def _lowered(candidate: Candidate, height: int) -> Candidate:
    """A lemma of a level that this run has not reached says the same of the levels that it has."""
    lemma = candidate.lemma
    if lemma.level == INFINITY or lemma.level <= height:
        return candidate
    return Candidate(Lemma(lemma.predicate, height, lemma.text), candidate.formula)
