"""Terms and sorts that several threads make at once: equal ones are one object."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from cleave.logic.datatypes import ArrayOf, Declaration, declare
from cleave.logic.sorts import INT, array, bitvec, uninterpreted
from cleave.logic.terms import Op, add, integer, make, var

_PATIENCE = 0.2  # seconds that a step waits for a step of another thread, which may have to wait for this one


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _at_once(*work: Callable[[], object]) -> None:
    start = threading.Barrier(len(work))

    def run(one: Callable[[], object]) -> None:
        start.wait()
        one()

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class _Name(str):
    """A name whose hashing can be stopped: the table hashes it at each of its steps."""

    __slots__ = ("hashed",)

    hashed: Callable[[], None]

    def __hash__(self) -> int:
        self.hashed()
        return str.__hash__(self)


def _named(text: str, hashed: Callable[[], None]) -> _Name:
    name = _Name(text)
    name.hashed = hashed
    return name


def test_two_threads_that_both_miss_a_term_make_one() -> None:
    both_missed = threading.Barrier(2)
    made = []

    def build() -> None:
        hashes = 0

        def hashed() -> None:
            nonlocal hashes
            hashes += 1
            if hashes == 2:  # the first look was in vain
                _wait(both_missed)

        made.append(make(Op.VAR, (), INT, _named("missed by both", hashed)))

    _at_once(build, build)
    assert made[0] is made[1]


def _wait(barrier: threading.Barrier) -> None:
    with contextlib.suppress(threading.BrokenBarrierError):
        barrier.wait(_PATIENCE)


def test_a_term_that_dies_does_not_take_its_successor_along() -> None:
    dying, replaced = threading.Event(), threading.Event()
    hashes = 0

    def hashed() -> None:
        nonlocal hashes
        hashes += 1
        if hashes == 4:  # made with two; the dead entry was found with a third and is removed with this one
            dying.set()
            replaced.wait(_PATIENCE)

    kept = []

    def replace() -> None:
        dying.wait()
        kept.append(var("dies", INT))
        replaced.set()

    dead = make(Op.VAR, (), INT, _named("dies", hashed))
    other = threading.Thread(target=replace)
    other.start()
    del dead
    other.join()
    assert hashes >= 4
    assert var("dies", INT) is kept[0]


@pytest.mark.usefixtures("switching")
def test_many_terms_of_many_threads() -> None:
    rows: list[list[tuple[object, object]]] = [[] for _ in range(4)]

    def build(row: list[tuple[object, object]]) -> None:
        for n in range(20_000):
            variable = var(f"v{n}", INT)
            row.append((variable, add(variable, integer(n + 1))))

    _at_once(*(lambda row=row: build(row) for row in rows))
    for row in rows[1:]:
        assert all(a is c and b is d for (a, b), (c, d) in zip(rows[0], row, strict=True))


@pytest.mark.usefixtures("switching")
def test_sorts_of_many_threads() -> None:
    rows: list[list[tuple[object, ...]]] = [[] for _ in range(3)]

    def build(row: list[tuple[object, ...]]) -> None:
        for n in range(1_000):
            name = f"Sort{n}"
            tree = Declaration(f"Tree{n}", (("leaf", ()), ("node", (("below", ArrayOf(INT, 0)),))))
            row.append((bitvec(9_000 + n), array(INT, uninterpreted(name)), *declare((tree,))))

    _at_once(*(lambda row=row: build(row) for row in rows))
    for row in rows[1:]:
        assert all(a is b for one, other in zip(rows[0], row, strict=True) for a, b in zip(one, other, strict=True))
