"""Which thread runs next: there are several ways to choose, since each finds other mistakes.

- *by chance*: after each visible statement another thread may run, rarely or often;
- *in turn*: each thread runs for the same number of visible statements, which is what races of loops with each other
  need, however long they are;
- *by priority*: the first that can run does; a few times in an execution the one that runs becomes the last
  (*A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010).

In each of them, some threads may be held back until the others can't continue: often main, which ends the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from cleave.engines.executions.state import MAIN, Thread

Scheduler = Callable[[Sequence[int], int], int]
"""Picks one of the threads that can run; the other number is that of the thread which ran last."""

_PERIODS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24)
_CHANCES = (0.9, 0.5, 0.25, 0.1, 0.03)
_PATIENCE = 300  # visible statements after which a thread that could go on for ever makes way
_HELD_BACK = (0.0, 0.2, 0.5)  # how many threads


def scheduler(random: Random, number: int, threads: Sequence[Thread], most: int) -> Scheduler:
    """A way to choose; those with other numbers are different. ``most`` is how many threads there may be."""
    match number % 3:
        case 0:
            choose = _by_chance(random, random.choice(_CHANCES))
        case 1:
            choose = _in_turn(random.choice(_PERIODS))
        case _:
            choose = _by_priority(random)
    return _holding_back(choose, random, threads, most)


def _holding_back(choose: Scheduler, random: Random, threads: Sequence[Thread], most: int) -> Scheduler:
    """Threads are held back with a chance that is the execution's own. Main may have to start the others before they
    run; it may be held back from then on, or when it is about to end the program."""
    chance = random.choice(_HELD_BACK)
    all_of_them = most if random.random() < 0.7 else random.randint(1, most)
    main_starts, main_waits, main_stays = (random.random() < 0.6 for _ in range(3))
    waits: dict[int, bool] = {MAIN: False}

    def held(able: Sequence[int], last: int) -> int:
        for thread in able:
            if thread not in waits:
                waits[thread] = random.random() < chance
        is_last = main_stays and threads[MAIN].is_at_its_end
        if main_starts and len(waits) < all_of_them and MAIN in able and not is_last:
            return MAIN
        waits[MAIN] = is_last or (main_waits and len(waits) >= all_of_them)
        free = [thread for thread in able if not waits[thread]]
        return choose(free or able, last)

    return held


def _by_chance(random: Random, chance: float) -> Scheduler:
    def choose(able: Sequence[int], last: int) -> int:
        return last if last in able and random.random() >= chance else random.choice(able)

    return choose


def _in_turn(period: int) -> Scheduler:
    left = period

    def choose(able: Sequence[int], last: int) -> int:
        nonlocal left
        left -= 1
        if left > 0 and last in able:
            return last
        left = period
        later = [thread for thread in able if thread > last]
        return (later or able)[0]

    return choose


def _by_priority(random: Random) -> Scheduler:
    """Of a new thread by chance, or the older ones first, or the younger ones."""
    rank = random.choice((lambda thread: random.random(), lambda thread: -thread, lambda thread: thread))
    ranks: dict[int, float] = {}
    moments = sorted((int(random.expovariate(1 / 30)) for _ in range(random.randrange(4))), reverse=True)
    moment, since = 0, 0

    def choose(able: Sequence[int], last: int) -> int:
        nonlocal moment, since
        for thread in able:
            if thread not in ranks:
                ranks[thread] = rank(thread)
        moment, since = moment + 1, since + 1
        changes = bool(moments) and moment > moments[-1]
        if changes:
            moments.pop()
        if last in ranks and (changes or since > _PATIENCE):
            ranks[last] = min(ranks.values()) - 1
        best = max(able, key=ranks.__getitem__)
        since = since if best == last and not changes else 0
        return best

    return choose
