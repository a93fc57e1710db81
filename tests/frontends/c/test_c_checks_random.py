"""Random threads that lock, wait and access: the assertions for races and deadlocks fail in some interleaving of the
lowered program exactly if a simulation of the threads finds a race or a deadlock."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from cleave.frontends.c.options import Check, COptions
from cleave.frontends.c.read import read_c
from cleave.validate.proofs.interleavings import explore

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

CODE = {
    "lock": "pthread_mutex_lock(&{});",
    "unlock": "pthread_mutex_unlock(&{});",
    "wait": "sem_wait(&{});",
    "post": "sem_post(&{});",
    "read": "use = {};",
    "write": "{} = 1;",
}
HEAD = """#include <pthread.h>
#include <semaphore.h>
int x, y; pthread_mutex_t a, b; sem_t s;
"""
Step = tuple[str, str]
Program = tuple[Sequence[Step], Sequence[Step]]


def random_thread(choose: random.Random) -> list[Step]:
    held: list[str] = []
    steps: list[Step] = []
    while len(steps) < 4:
        options = [(access, variable) for access in ("read", "write") for variable in "xy"]
        options += [("wait", "s"), ("post", "s")]
        options += [("unlock", lock) for lock in held] * 2
        options += [("lock", lock) for lock in "ab" if lock not in held] * 2
        step = choose.choice(options)
        if step[0] == "lock":
            held.append(step[1])
        if step[0] == "unlock":
            held.remove(step[1])
        steps.append(step)
    return steps + [("unlock", lock) for lock in held if choose.random() < 0.8]


def source(program: Program) -> bytes:
    text = HEAD
    for number, steps in enumerate(program):
        body = " ".join(CODE[kind].format(what) for kind, what in steps)
        text += f"void *work{number}(void *p) {{ int use; {body} return 0; }}\n"
    text += "int main(void) { pthread_t t, u; pthread_create(&t, 0, work0, 0); pthread_create(&u, 0, work1, 0);\n"
    return (text + "pthread_join(t, 0); pthread_join(u, 0); }").encode()


def simulated(program: Program) -> tuple[bool, bool]:
    """Whether there is a race, and whether there is a deadlock."""
    race = deadlock = False
    start = (0, 0, frozenset[str](), 0)
    seen, pending = {start}, [start]
    while pending:
        first, second, locked, posted = pending.pop()
        positions = (first, second)
        following = [steps[at] if at < len(steps) else None for steps, at in zip(program, positions, strict=True)]
        race |= _conflict(following)
        moved = False
        for number, step in enumerate(following):
            if step is None or (step[0] == "lock" and step[1] in locked) or (step[0] == "wait" and posted == 0):
                continue
            moved = True
            after = locked | {step[1]} if step[0] == "lock" else locked - {step[1]} if step[0] == "unlock" else locked
            count = posted + (step[0] == "post") - (step[0] == "wait")
            state = (first + (number == 0), second + (number == 1), after, count)
            if state not in seen:
                seen.add(state)
                pending.append(state)
        deadlock |= not moved and any(step is not None for step in following)
    return race, deadlock


def _conflict(following: Sequence[Step | None]) -> bool:
    one, other = following
    if one is None or other is None or one[1] != other[1]:
        return False
    return {one[0], other[0]} in ({"read", "write"}, {"write"})


def fails(program: Program, check: Check) -> bool:
    lowered = read_c({"t.c": source(program)}, COptions(check=check)).program
    return explore(lowered, "main", states=1_000_000).contexts is not None


def test_against_simulation() -> None:
    choose = random.Random(2)
    found = []
    for _ in range(5):
        program = (random_thread(choose), random_thread(choose))
        expected = simulated(program)
        assert (fails(program, Check.DATA_RACE), fails(program, Check.DEADLOCK)) == expected, source(program).decode()
        found.append(expected)
    assert {race for race, _ in found} == {deadlock for _, deadlock in found} == {False, True}
