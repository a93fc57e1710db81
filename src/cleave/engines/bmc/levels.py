"""Which bounds are tried in turn: only those that an execution went beyond grow.

    main.0: 2, parse.0: 2   ── no violation; an execution goes beyond main.0 ──▶   main.0: 3, parse.0: 2   ──▶   ...

A loop ends to grow when no execution goes beyond its bound, or when the bound is as large as was asked for. Without one
that can grow the search is over.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.engines.bmc.options import FIRST_UNWIND, BmcOptions
from cleave.engines.options import deeper
from cleave.engines.unfolding.code import ThreadCode
from cleave.engines.unfolding.options import loop_bounds
from cleave.ir.loops import LoopBounds
from cleave.ir.program import Program


def sent(bounds: LoopBounds) -> tuple[tuple[str, int], ...]:
    return (("", bounds.most), *sorted(bounds.own.items()))


def received(pairs: Iterable[tuple[str, int]]) -> LoopBounds:
    own = dict(pairs)
    return LoopBounds(own.pop(""), own)


def largest_bounds(options: BmcOptions, program: Program) -> LoopBounds:
    """Beyond which none grows."""
    return loop_bounds(options.unwind, options.most_unwind, program)


def first_bounds(largest: LoopBounds) -> LoopBounds:
    """Of a loop that has a bound of its own, at once that one: somebody knows how long the loop is."""
    return LoopBounds(min(FIRST_UNWIND, largest.most), largest.own)


def next_bounds(bounds: LoopBounds, largest: LoopBounds, cut: Iterable[str]) -> LoopBounds | None:
    """After an execution went beyond the bounds of these names; None if none of them may grow."""
    grown = {name: min(deeper(bounds.of(name)), largest.of(name)) for name in sorted(cut)}
    larger = {name: bound for name, bound in grown.items() if bound > bounds.of(name)}
    return LoopBounds(bounds.most, {**bounds.own, **larger}) if larger else None


def told(bounds: LoopBounds, cut: Iterable[str]) -> LoopBounds:
    """The bounds of a proof that only these took part in: one for all, and those of loops that have a larger one."""
    values = {name: bounds.of(name) for name in sorted(cut)}
    least = min(values.values(), default=bounds.most)
    return LoopBounds(least, {name: bound for name, bound in values.items() if bound > least})


def largest(bounds: LoopBounds, thread: ThreadCode) -> int:
    """The largest bound of a loop that was met."""
    return max((bounds.of(cut.bound) for cut in thread.cuts), default=bounds.most)
