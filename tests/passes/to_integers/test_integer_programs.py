"""What is proved with integers holds for bits: random loops over three bits, whose states are all tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.engines.pdr.options import PdrOptions
from cleave.errors import UnsupportedError
from cleave.ir.integers import Integers
from cleave.ir.program import Assert, Assign, Assume, Block, Call, Clause, Havoc, Procedure, Program, Statement
from cleave.ir.text import print_program
from cleave.logic.terms import TRUE, Term, bv, const_array, ite, neg, store, var
from cleave.logic.values import Value, map_value
from cleave.logic.walk import substitute
from cleave.passes.to_integers import to_integers
from cleave.run.stage import Limits
from cleave.validate.semantics.evaluate import World, evaluate
from cleave.verdict import Safe, Unsafe, Verdict
from support.bit_terms import CONDITIONS, SMALL_TERMS, SORT, TABLE, TERMS, VARIABLES, WIDTH
from support.runs import run_stage

X, Y, Z = VARIABLES
OTHER = var("other", TABLE.sort)
PARAMETER, RESULT = var("p", SORT), var("r", SORT)
ZERO = bv(0, WIDTH)
_MOST_STATES = 500


class Loop(NamedTuple):
    """``x`` is unknown, all else 0. While ``guard`` holds: ``y, x := first, second``, ``z := f(argument)``, and an
    element is stored; in the end, ``goal``."""

    guard: Term
    goal: Term
    first: Term
    second: Term
    argument: Term
    returned: Term
    place: Term
    element: Term


class State(NamedTuple):
    x: int
    y: int
    z: int
    table: tuple[int, ...] = (0,) * 8
    other: tuple[int, ...] = (0,) * 8


LOOPS = st.builds(Loop, CONDITIONS, CONDITIONS, SMALL_TERMS, TERMS, SMALL_TERMS, SMALL_TERMS, SMALL_TERMS, SMALL_TERMS)


@settings(max_examples=12, deadline=None)
@given(LOOPS, st.booleans(), st.sampled_from(Integers))
def test_verdicts_are_those_of_bits(loop: Loop, stores: bool, integers: Integers) -> None:
    verdict = _verdict(_program(loop, stores), integers)
    if integers is Integers.UNBOUNDED and isinstance(verdict, Safe):
        return  # that rests on an assumption
    if isinstance(verdict, Safe | Unsafe):
        assert _is_safe(loop, stores) in (isinstance(verdict, Safe), None)


def test_contracts_are_refused() -> None:
    program = Program(procedures={"main": Procedure(name="main", requires=(Clause(TRUE),))})
    with pytest.raises(UnsupportedError, match="contracts"):
        to_integers(program, Integers.CHECKED)
    assert to_integers(program, Integers.BITS) is program


def _program(loop: Loop, stores: bool) -> Program:
    nothing = const_array(SORT, ZERO)
    start = (Havoc((X,)), Assign((Y, Z, TABLE, OTHER), (ZERO, ZERO, nothing, nothing)))
    step: list[Statement] = [
        Assume(loop.guard),
        Assign((Y, X), (loop.first, loop.second)),
        Call("f", (loop.argument,), (Z,)),
    ]
    if stores:
        swapped = (store(OTHER, loop.place, loop.element), ite(loop.goal, TABLE, OTHER))
        step.append(Assign((TABLE, OTHER), swapped))
    blocks = (
        Block("start", start, ("loop",)),
        Block("loop", (), ("body", "out")),
        Block("body", tuple(step), ("loop",)),
        Block("out", (Assume(neg(loop.guard)), Assert(loop.goal)), ()),
    )
    main = Procedure(name="main", locals=VARIABLES, blocks={block.label: block for block in blocks}, is_entry=True)
    returned = substitute(loop.returned, dict.fromkeys(VARIABLES, PARAMETER))
    only = Block("only", (Assign((RESULT,), (returned,)),), ())
    f = Procedure(name="f", parameters=(PARAMETER,), returns=(RESULT,), blocks={"only": only})
    return Program(globals=(TABLE, OTHER), procedures={"main": main, "f": f})


def _verdict(program: Program, integers: Integers) -> Verdict:
    limits = Limits(seconds=3.0)
    return run_stage("random.ir", print_program(program), "pdr", PdrOptions(), limits=limits, integers=integers).verdict


def _is_safe(loop: Loop, stores: bool) -> bool | None:
    """None: there are too many states to tell."""
    for x in range(8):
        state, seen = State(x, 0, 0), set[State]()
        while _value(loop.guard, state) and state not in seen:
            seen.add(state)
            if len(seen) > _MOST_STATES:
                return None
            state = _next(loop, state, stores)
        if state not in seen and not _value(loop.goal, state):
            return False
    return True


def _next(loop: Loop, state: State, stores: bool) -> State:
    after = state._replace(x=_value(loop.second, state), y=_value(loop.first, state))
    given = _value(loop.argument, after)
    after = after._replace(z=_value(loop.returned, State(given, given, given)))
    if not stores:
        return after
    table = list(after.other)
    table[_value(loop.place, after)] = _value(loop.element, after)
    return after._replace(table=tuple(table), other=after.table if _value(loop.goal, after) else after.other)


def _value(term: Term, state: State) -> int:
    values: dict[Term, Value] = dict(zip(VARIABLES, state[:3], strict=True))
    values[TABLE], values[OTHER] = _map(state.table), _map(state.other)
    found = evaluate(term, values.__getitem__, World())
    assert isinstance(found, int)
    return int(found)


def _map(elements: Sequence[int]) -> Value:
    return map_value(SORT, 0, dict(enumerate(elements)))
