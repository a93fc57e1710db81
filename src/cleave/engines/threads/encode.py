"""All schedules of unfolded threads within a number of contexts, as one formula (the paper's sections 2.2 and 3.3).

    thread[c]        which thread runs in context c (bits; some are known in a part of the search); in the first, main
    until[c]         up to which position it runs there
    done[t, p, c]    thread t has executed its position p by the end of context c
                     = done[t, p, c-1] or (thread[c] = t, t was started before, and p < until[c])
    value[x, c]      what the shared variable x holds when context c begins: an ite over the writes in context c-1
    r                what was read at position p of t: an ite over the contexts in which p may have been executed

The lazy schema of the paper executes each thread's code again in each context. Here a thread's code is there once:
local values don't depend on when a thread is interrupted, given what it read. Only shared variables have a value for
each context. Whatever can't happen is not encoded: a thread is started one context after its parent at the soonest,
and runs only where the part of the search lets it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from cleave.engines.threads.partition import Decision, Space, What
from cleave.engines.threads.reduction import Reduction
from cleave.engines.unfolding.code import Cell, Joined, Read, ThreadCode, Write
from cleave.engines.unfolding.instances import Unfolded
from cleave.engines.unfolding.simplify import choice, element, equal, stored
from cleave.engines.unfolding.unfold import number_as
from cleave.logic.sorts import BOOL
from cleave.logic.terms import (
    FALSE,
    TRUE,
    Term,
    conj,
    conj_all,
    disj,
    disj_all,
    eq,
    implies,
    neg,
    var,
)

Values = dict[Cell, Term]


@dataclass(slots=True)
class Formula:
    """``constraints`` hold in every execution of the bounded program; then ``violation`` says that it violates an
    assertion, ``cut`` that a bound on loops or recursion stops it."""

    constraints: list[Term] = field(default_factory=list)
    violation: Term = FALSE
    cut: Term = FALSE
    runs: list[list[Term]] = field(default_factory=list)  # by context and thread: whether it runs there
    done: list[list[list[Term]]] = field(default_factory=list)  # by context, thread and position
    moves: list[Term] = field(default_factory=list)  # by context: whether anything is executed in it


def encode(
    unfolded: Unfolded,
    contexts: int,
    decided: Mapping[Decision, bool] | None = None,
    *,
    rounds: int = 0,
    reduced: bool = True,
) -> Formula:
    """With ``rounds``, the threads run in a fixed order, so many times, instead of in any order. ``reduced``: without
    schedules that are equivalent to others."""
    return _Encoder(unfolded, contexts, decided or {}, rounds, reduced).formula()


class _Encoder:
    def __init__(
        self, unfolded: Unfolded, contexts: int, decided: Mapping[Decision, bool], rounds: int, reduced: bool
    ) -> None:
        self._threads = unfolded.threads
        self._reduction = Reduction(self._threads) if reduced and not rounds else None
        self._contexts = rounds * len(self._threads) if rounds else contexts
        self._rounds = rounds
        self._decided = decided
        self._out = Formula()
        self._values: Values = dict(unfolded.initial)
        self._accesses = [sorted(thread.accesses, key=lambda a: a.position) for thread in self._threads]
        self._cases: dict[Term, list[tuple[Term, Term]]] = {}  # of what was read: when, and what
        self._parents = {s.child: (thread, s) for thread in self._threads for s in thread.started}
        self._space = Space.of(unfolded)
        self._before: list[list[Term]] = [[FALSE] * thread.positions for thread in self._threads]

    def formula(self) -> Formula:
        for context in range(self._contexts):
            self._context(context)
        self._read_values()
        self._conclude()
        if not self._rounds:
            # Only the last contexts can be those in which nothing happens.
            moves = self._out.moves[1:]
            self._out.constraints.extend(implies(later, sooner) for sooner, later in pairwise(moves))
        if self._reduction is not None:
            self._out.constraints.extend(self._reduction.constraints())
        self._out.constraints = [term for term in self._out.constraints if term is not TRUE]
        return self._out

    # --- the schedule -------------------------------------------------------------------------------------------------

    def _context(self, context: int) -> None:
        chosen = self._chosen(context)
        until = [self._bit(Decision(What.UNTIL, context, bit)) for bit in range(self._space.until_bits)]
        values, moves = [], []
        after: list[list[Term]] = []
        for thread, here in zip(self._threads, chosen, strict=True):
            runs = conj(here, self._is_started(thread))
            if runs is FALSE:
                after.append(self._before[thread.instance])
                values.append(self._values)
                continue
            done = [self._done(thread, position, runs, until) for position in range(thread.positions)]
            values.append(self._execute(thread, done))
            if self._reduction is not None:
                self._reduction.executes(thread, self._before[thread.instance], done)
            moves.append(self._moves(thread, done))
            after.append(done)
        self._values = self._mixed(chosen, values)
        self._before = after
        self._out.done.append(after)
        self._out.runs.append(chosen)
        self._out.moves.append(disj_all(moves))
        if self._reduction is not None:
            self._reduction.end_context(chosen, self._out.moves[-1])

    def _chosen(self, context: int) -> list[Term]:
        """Which thread runs."""
        threads = len(self._threads)
        if context == 0:
            return [TRUE, *[FALSE] * (threads - 1)]
        if self._rounds:
            return [TRUE if number == context % threads else FALSE for number in range(threads)]
        bits = [self._bit(Decision(What.THREAD, context, bit)) for bit in range(self._space.thread_bits)]
        previous = self._out.runs[-1]
        chosen = []
        for number in range(threads):
            own = conj_all(bit if number >> place & 1 else neg(bit) for place, bit in enumerate(bits))
            chosen.append(FALSE if previous[number] is TRUE else own)
        if threads > 1:
            # Numbers that no thread has are no threads; and nobody runs in two contexts in a row.
            self._out.constraints.append(disj_all(chosen))
            self._out.constraints.extend(neg(conj(a, b)) for a, b in zip(previous, chosen, strict=True))
        return chosen

    def _bit(self, decision: Decision) -> Term:
        known = self._decided.get(decision)
        if known is not None:
            return TRUE if known else FALSE
        return var(decision.variable, BOOL)

    def _is_started(self, thread: ThreadCode) -> Term:
        """By the end of the context before."""
        if thread.instance == 0:
            return TRUE
        parent, started = self._parents[thread.instance]
        return conj(self._before[parent.instance][started.position], started.guard)

    def _done(self, thread: ThreadCode, position: int, runs: Term, until: list[Term]) -> Term:
        if thread.instance == 0 and position == 0:
            return TRUE
        within = TRUE if position == 0 else _is_less(position, until)
        return disj(self._before[thread.instance][position], conj(runs, within))

    def _moves(self, thread: ThreadCode, done: list[Term]) -> Term:
        """Whether the thread executes something that it had not."""
        before = self._before[thread.instance]
        return disj_all(
            conj(new, neg(old), thread.arrivals[position])
            for position, (old, new) in enumerate(zip(before, done, strict=True))
        )

    # --- shared variables ---------------------------------------------------------------------------------------------

    def _execute(self, thread: ThreadCode, done: list[Term]) -> Values:
        values = dict(self._values)
        before = self._before[thread.instance]
        for access in self._accesses[thread.instance]:
            position = access.position
            if before[position] is TRUE or done[position] is FALSE:
                continue
            match access:
                case Read(cell=cell, leaf=leaf, index=index):
                    held = values[cell] if index is None else element(values[cell], index)
                    self._cases.setdefault(leaf, []).append((done[position], held))
                case Write(cell=cell, held=value, index=index):
                    now = conj(done[position], neg(before[position]), access.guard)
                    written = value if index is None else stored(values[cell], index, value)
                    values[cell] = choice(now, written, values[cell])
                case Joined(thread=number, leaf=leaf):
                    self._cases.setdefault(leaf, []).append((done[position], self._has_ended(thread, number)))
        return values

    def _has_ended(self, joining: ThreadCode, number: Term) -> Term:
        ended = []
        for other in self._threads[1:]:
            if other is not joining:
                position, guard = other.ends
                is_meant = equal(number, number_as(other.number, number.sort))
                ended.append(conj(is_meant, self._before[other.instance][position], guard))
        return disj_all(ended)

    def _mixed(self, chosen: list[Term], values: list[Values]) -> Values:
        """What the variables hold after a context, whoever ran in it."""
        mixed: Values = {}
        for cell, old in self._values.items():
            term = old
            for here, own in zip(chosen, values, strict=True):
                if here is not FALSE and own[cell] is not old:
                    term = choice(here, own[cell], term)
            mixed[cell] = term
        return mixed

    def _read_values(self) -> None:
        for leaf, cases in self._cases.items():
            value = cases[-1][1]
            for done, held in reversed(cases[:-1]):
                value = choice(done, held, value)
            self._out.constraints.append(eq(leaf, value))

    # --- what is asked ------------------------------------------------------------------------------------------------

    def _conclude(self) -> None:
        violations, cuts = [], []
        for thread in self._threads:
            done = self._before[thread.instance]
            for demand in thread.demands:
                self._out.constraints.append(implies(conj(done[demand.position], demand.guard), demand.condition))
            violations += [conj(done[c.position], c.guard, neg(c.condition)) for c in thread.checks]
            cuts += [conj(done[cut.position], cut.guard) for cut in thread.cuts]
        self._out.violation = disj_all(violations)
        self._out.cut = disj_all(cuts)


def _is_less(position: int, until: list[Term]) -> Term:
    """Whether a constant is less than the number that the bits, lowest first, stand for."""
    less: Term = FALSE
    for place, bit in enumerate(until):
        less = conj(bit, less) if position >> place & 1 else disj(bit, less)
    return less
