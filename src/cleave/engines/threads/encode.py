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

With store buffers (`buffers`), a context begins with commits of one thread, and a thread may run in two contexts in a
row if the second begins with commits of another one. Schedules are not reduced then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from itertools import pairwise

from cleave.engines.threads.buffers import ThreadBuffer
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
from cleave.records import dataclass

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
    moves: list[Term] = field(default_factory=list)  # by context: whether anything is executed in it, or commits
    drains: list[list[Term]] = field(default_factory=list)  # by context and thread: whether it begins with its commits
    begun: list[list[list[Term]]] = field(default_factory=list)  # by context, thread and store: in memory after these
    ended: list[list[list[Term]]] = field(default_factory=list)  # ... and when the context ends


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
        self._out = Formula()
        self._buffers = self._make_buffers(unfolded)
        self._reduction = Reduction(self._threads) if reduced and not rounds and not self._buffers else None
        self._contexts = rounds * len(self._threads) if rounds else contexts
        self._rounds = rounds
        self._decided = decided
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
        self._begin_context(context, chosen)
        values, moves = [], [buffer.drains_any() for buffer in self._buffers]
        after: list[list[Term]] = []
        for thread, here in zip(self._threads, chosen, strict=True):
            runs = conj(here, self._is_started(thread))
            if runs is FALSE:
                after.append(self._before[thread.instance])
                values.append(self._values)
                continue
            done = [self._done(thread, position, runs, until) for position in range(thread.positions)]
            if self._buffers:
                self._buffers[thread.instance].end_context(context, runs, done)
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
        self._out.begun.append([buffer.begun for buffer in self._buffers])
        self._out.ended.append([buffer.ended for buffer in self._buffers])
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
            chosen.append(FALSE if previous[number] is TRUE and not self._buffers else own)
        if threads > 1:
            # Numbers that no thread has are no threads; and nobody runs in two contexts in a row.
            self._out.constraints.append(disj_all(chosen))
            if not self._buffers:
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

    # --- store buffers ------------------------------------------------------------------------------------------------

    def _make_buffers(self, unfolded: Unfolded) -> list[ThreadBuffer]:
        """One for each thread; none at all where nothing is ever stored in one."""
        buffers = unfolded.store_buffers
        if buffers is None or not any(thread.stores for thread in unfolded.threads):
            return []
        return [ThreadBuffer(thread, buffers.keeps_order, self._out.constraints) for thread in unfolded.threads]

    def _begin_context(self, context: int, chosen: list[Term]) -> None:
        """The commits with which it begins: of one buffer, then of the thread that runs."""
        if not self._buffers:
            return
        drains = [var(f"drains:{context}:{number}", BOOL) if context else FALSE for number in range(len(chosen))]
        say = self._out.constraints.append
        for number, one in enumerate(drains):
            self._out.constraints.extend(neg(conj(one, other)) for other in drains[:number])
        for buffer, one, runs, before in zip(self._buffers, drains, chosen, self._before, strict=True):
            buffer.begin_context(context, one, runs, before)
        self._values = dict(self._values)
        for buffer, one in zip(self._buffers, drains, strict=True):
            buffer.drained(self._values, one)
        for buffer, one in zip(self._buffers, drains, strict=True):
            buffer.drained(self._values, neg(one))
        if context and not self._rounds:
            for number, (was, runs) in enumerate(zip(self._out.runs[-1], chosen, strict=True)):
                others = [other.drains_any() for other in self._buffers if other is not self._buffers[number]]
                say(implies(conj(was, runs), disj_all(others)))
        self._out.drains.append(drains)

    # --- shared variables ---------------------------------------------------------------------------------------------

    def _execute(self, thread: ThreadCode, done: list[Term]) -> Values:
        values, buffer = dict(self._values), self._buffers[thread.instance] if self._buffers else None
        seen = values if buffer is None else buffer.seen(values)
        before = self._before[thread.instance]
        for access in self._accesses[thread.instance]:
            position = access.position
            if before[position] is TRUE or done[position] is FALSE:
                continue
            match access:
                case Read(cell=cell, leaf=leaf, index=index):
                    held = seen[cell] if index is None else element(seen[cell], index)
                    self._cases.setdefault(leaf, []).append((done[position], held))
                case Write(cell=cell, held=value, index=index):
                    now = conj(done[position], neg(before[position]), access.guard)
                    _put(seen, cell, index, value, now)
                    if buffer is not None:
                        _put(values, cell, index, value, conj(now, buffer.is_at_once(access.store)))
                case Joined(thread=number, leaf=leaf):
                    self._cases.setdefault(leaf, []).append((done[position], self._has_ended(thread, number)))
        return values

    def _has_ended(self, joining: ThreadCode, number: Term) -> Term:
        ended = []
        for other in self._threads[1:]:
            if other is not joining:
                position, guard = other.ends
                is_meant = equal(number, number_as(other.number, number.sort))
                has_ended = conj(is_meant, self._before[other.instance][position], guard)
                ended.append(conj(has_ended, self._buffers[other.instance].is_empty()) if self._buffers else has_ended)
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


def _put(values: Values, cell: Cell, index: Term | None, value: Term, when: Term) -> None:
    written = value if index is None else stored(values[cell], index, value)
    values[cell] = choice(when, written, values[cell])


def _is_less(position: int, until: list[Term]) -> Term:
    """Whether a constant is less than the number that the bits, lowest first, stand for."""
    less: Term = FALSE
    for place, bit in enumerate(until):
        less = conj(bit, less) if position >> place & 1 else disj(bit, less)
    return less
