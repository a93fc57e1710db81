"""The lemma database (P3, section V): what workers have learned, and which of them knows what. Part of the coordinator:
pure.

    store.begin(job, partition, Share.ALL)
    store.push(job, lemmas)              # each is kept once, at its highest level
    store.pull(job)                      # what the job has neither received nor sent

An invariant is derived from the rules alone, without a query: it holds in every partition, and is given to all jobs
that share invariants. A lemma of a frame is given to jobs on the same partition only, as in the paper, and goes when
that is closed: to those that share frames, and to the one that sieves what all have learned for invariants. A job that
does not take lemmas (`parts`) is given none of either.
"""

from __future__ import annotations

from dataclasses import field

from cleave.engines.pdr.messages import INVARIANT, Lemma
from cleave.engines.pdr.options import Share
from cleave.ir.horn_partition import Partition
from cleave.records import dataclass

_MOST_LEMMAS = 50_000  # of a partition, or invariants; the rest is not kept: whoever has so many needs no more
_LONGEST_TEXT = 200_000
_LAST_LEVEL = 2**31


class _Shelf:
    """Lemmas in the order in which they came, each predicate and text once: at its highest level."""

    def __init__(self) -> None:
        self.lemmas: list[Lemma | None] = []  # None: known at a higher level by now
        self._numbers: dict[tuple[str, str], int] = {}

    def put(self, lemma: Lemma) -> tuple[int | None, bool]:
        """The lemma's number, None if there are too many, and whether it is new."""
        key = (lemma.predicate, lemma.text)
        number = self._numbers.get(key)
        known = None if number is None else self.lemmas[number]
        if number is not None and known is not None and known.level >= lemma.level:
            return (number, False) if known.level == lemma.level else (None, False)
        if len(self.lemmas) >= _MOST_LEMMAS:
            return None, False
        if number is not None:
            self.lemmas[number] = None
        self._numbers[key] = len(self.lemmas)
        self.lemmas.append(lemma)
        return len(self.lemmas) - 1, True


@dataclass(slots=True)
class _Reader:
    """How far a job has read a shelf, and which of the later lemmas it told itself."""

    shelf: _Shelf
    position: int = 0
    own: set[int] = field(default_factory=set)

    def push(self, lemma: Lemma) -> bool:
        """Whether it is new."""
        number, is_new = self.shelf.put(lemma)
        if number is not None and number >= self.position:
            self.own.add(number)
        return is_new

    def pull(self) -> list[Lemma]:
        lemmas = self.shelf.lemmas
        found = [lemmas[number] for number in range(self.position, len(lemmas)) if number not in self.own]
        self.position = len(lemmas)
        self.own.clear()
        return [lemma for lemma in found if lemma is not None]


@dataclass(frozen=True, slots=True)
class _Access:
    """The readers of a job: of invariants and of its partition's frames. Those of what it is not given only know what
    it tells."""

    partition: Partition | None
    share: Share
    sieves: bool
    takes: bool
    invariants: _Reader
    frames: _Reader

    def is_told(self, lemma: Lemma) -> bool:
        """Whether such a lemma may come from the job: for a sieve, those who share invariants tell all lemmas."""
        return self.share.invariants or (self.share.frames and lemma.level != INVARIANT)

    def given(self) -> list[Lemma]:
        if not self.takes:
            return []
        invariants = self.invariants.pull() if self.share.invariants else []
        return invariants + (self.frames.pull() if self.share.frames or self.sieves else [])


class LemmaStore:
    def __init__(self) -> None:
        self._invariants = _Shelf()
        self._frames: dict[Partition | None, _Shelf] = {}
        self._jobs: dict[int, _Access] = {}
        self.counts = {"lemmas_pushed": 0, "lemmas_repeated": 0, "lemmas_pulled": 0, "lemmas_refused": 0}

    def begin(
        self, job: int, partition: Partition | None, share: Share, *, sieves: bool = False, takes: bool = True
    ) -> None:
        shelf = self._frames.setdefault(partition, _Shelf())
        self._jobs[job] = _Access(partition, share, sieves, takes, _Reader(self._invariants), _Reader(shelf))

    def end(self, job: int) -> None:
        """The job is over. What it told stays: it is as true as before."""
        self._jobs.pop(job, None)

    def forget(self, partition: Partition | None) -> None:
        """The partition is closed."""
        self._frames.pop(partition, None)

    def distrust(self) -> None:
        """Some lemma may be wrong: none that is known so far is given to anyone again."""
        self._invariants = _Shelf()
        self._frames.clear()
        for number, job in list(self._jobs.items()):
            self.begin(number, job.partition, job.share, sieves=job.sieves, takes=job.takes)

    def push(self, job: int, lemmas: tuple[Lemma, ...]) -> None:
        access = self._jobs[job]
        for lemma in lemmas:
            if not access.is_told(lemma) or not _is_well_formed(lemma):
                self.counts["lemmas_refused"] += 1
                continue
            reader = access.invariants if lemma.level == INVARIANT else access.frames
            self.counts["lemmas_pushed" if reader.push(lemma) else "lemmas_repeated"] += 1

    def pull(self, job: int) -> tuple[Lemma, ...]:
        found = self._jobs[job].given()
        self.counts["lemmas_pulled"] += len(found)
        return tuple(found)


def _is_well_formed(lemma: Lemma) -> bool:
    """Whether it has the form of a lemma. What it says, whoever imports it has to read; and what follows is checked."""
    is_level = lemma.level == INVARIANT or 0 < lemma.level < _LAST_LEVEL
    return bool(lemma.predicate) and 0 < len(lemma.text) <= _LONGEST_TEXT and is_level
