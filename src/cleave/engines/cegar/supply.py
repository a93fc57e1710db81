"""The states that an exploration wants to know the successors of, as shares for workers.

    supply.explore(exploration)                     # of this iteration
    supply.take(worker, workers)                    # some transitions from some states

A share is the smaller, the less there is to do, so that nobody waits for the last one for long. Guesses are only given
to workers that would have nothing else to do.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.engines.cegar.exploration import Exploration, State
from cleave.engines.cegar.messages import Piece, pack
from cleave.engines.cegar.pieces import PieceQueue
from cleave.engines.cegar.posts import Asked, Posts

_ROUNDS = 4  # of shares in which the workers could do all that there is to do
_PLENTY = 2  # of the least shares for each worker
_ENOUGH = 64  # transitions that wait, by the number of workers, when no other state is begun for one worker's sake


class Supply:
    """``chunk`` is how many transitions of a location stay with one worker, ``most`` how many a share has at most."""

    def __init__(self, posts: Posts, exploration: Exploration, chunk: int, most: int) -> None:
        self._posts = posts
        self._exploration = exploration
        self._least, self._most = min(chunk, most), most
        self._pieces = PieceQueue(chunk)
        self._guesses = PieceQueue(chunk)
        self._named: set[State] = set()  # that this iteration asked for
        self._states = 0  # that were enqueued, ...
        self._transitions = 0  # ... and their transitions

    def explore(self, exploration: Exploration) -> None:
        """What was taken up for the last iteration is done, too: most of it is of use."""
        self._exploration = exploration
        self._named = set()

    def has_plenty(self, workers: int) -> bool:
        """Whether there is enough to do for all workers, and more."""
        return self._exploration.end() is None and self._waiting() >= _PLENTY * self._least * workers

    def share(self, workers: int) -> int:
        """How many transitions a worker should get now: those that stay together, or more if there are more than enough
        for all."""
        if self._exploration.end() is not None:
            return self._least
        shares = _ROUNDS * workers if workers > 1 else 1
        return min(self._most, max(self._least, self._waiting() // shares))

    def _waiting(self) -> int:
        """About how many transitions could be given out at once."""
        per_state = self._transitions // max(1, self._states)
        return len(self._pieces) + self._exploration.backlog() * per_state

    def take(self, worker: int, workers: int) -> tuple[tuple[State, Piece], ...]:
        """A share; nothing if there is nothing to do."""
        asked: dict[State, list[Asked]] = {}
        left = self.share(workers)
        while left > 0 and self._has_more(self._pieces, self._exploration.wanted, worker, workers):
            state, some = self._pieces.take(worker, workers, left)
            asked.setdefault(state, []).extend(some)
            left -= len(some)
        if not asked and self._has_more(self._guesses, self._exploration.guess, worker, workers):
            state, some = self._guesses.take(worker, workers, self._least)
            asked[state] = list(some)
        return tuple((state, Piece(pack(state.bits), tuple(some))) for state, some in asked.items())

    def known(self, state: State) -> None:
        """All answers about the state are there, but predicates may have been learned meanwhile."""
        if self._posts.lookup(state) is not None:
            self._exploration.known(state)
        elif state in self._named:
            self._enqueue(self._pieces, state)

    def forget(self, worker: int) -> None:
        """It is gone."""
        self._pieces.forget(worker)
        self._guesses.forget(worker)

    def _has_more(self, pieces: PieceQueue, next_state: Callable[[], State | None], worker: int, workers: int) -> bool:
        """Rather than take what others know more about, a worker begins with another state, unless there are many."""
        while not pieces or (not pieces.suits(worker) and len(pieces) < _ENOUGH * workers):
            state = next_state()
            if state is None:
                return bool(pieces)
            self._named.add(state)
            self._enqueue(pieces, state)
        return True

    def _enqueue(self, pieces: PieceQueue, state: State) -> None:
        asked = self._posts.begin(state)
        pieces.add(state, asked)
        self._states += 1
        self._transitions += len(asked)
