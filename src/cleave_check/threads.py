"""A program with threads as one formula, for executions of a bounded number of rounds.

In a *round* each thread runs once, for any number of steps, in the order of the threads' numbers (Lal and Reps, CAV
2008: Reducing concurrent analysis under a context bound to sequential analysis). Each shared global has one copy for
each round. What the copies of later rounds hold to begin with is guessed. The threads are then followed one after the
other, through all their rounds; each reads and writes the copy of the round that it is in. At the end, what a round has
left must be what was guessed for the next one.

A schedule of K contexts fits into ⌈K / 2⌉ rounds if there are two threads, and into K - 1 if there are more: a new
round begins only where the next context is that of a thread with a smaller number, which never happens after the first.

| word | meaning |
| --- | --- |
| late[r] | the thread is in round r or in a later one |
| late[rounds] | the thread has *stopped*: it stays, but does and sees nothing. What blocks for ever stops before |

Before each statement outside of an atomic block that touches a shared global, a thread may go to a later round, or
stop; before one that could block for ever it may stop. Only the thread that runs the entry may start threads, and which
number a thread gets must not depend on a condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cleave_check.program import Program, Statement
from cleave_check.refusal import Undecided
from cleave_check.sorts import BOOL, INT
from cleave_check.terms import FALSE, TRUE, Term, below, choice, conj, disj, equal, integer, neg, value, var
from cleave_check.unfold import Context, Edge, Formula, State, Unfolding, fresh, joined, value_in

_MOST = 1000  # threads, and atomic blocks in each other


def rounds_for(contexts: int, threads: int) -> int:
    """Rounds that all schedules of so many contexts fit into."""
    return max(1, (contexts + 1) // 2 if threads <= 2 else contexts - 1)


@dataclass(slots=True)
class _Thread:
    """``spawned``: the condition and the state in which it starts. ``ended``: that it has returned, and ``end[r]`` that
    it did so in round r or later; both are guessed, and hold if they are true."""

    number: int
    instance: int
    procedure: str
    spawned: Edge
    ended: Term = field(default_factory=lambda: var("ended", BOOL))
    end: list[Term] = field(default_factory=list)


class ThreadUnfolding(Unfolding):
    def __init__(
        self,
        program: Program,
        entry: str,
        instances: Sequence[tuple[int, str]],
        rounds: int,
        contexts: int | None = None,
        bound: int | None = None,
        grow: int = 0,
    ) -> None:
        """With ``contexts``, threads run only so often, whatever the rounds."""
        super().__init__(program, [entry], instances, bound, grow=grow, counts_all=False)
        if any(p.requires or p.ensures for p in program.procedures.values()) or program.ends:
            raise Undecided("contracts are not encoded in a program with threads")
        self._fails = dict.fromkeys(program.procedures, True)
        self._rounds = rounds
        self._late = [var(f"late{r}", BOOL) for r in range(1, rounds + 1)]
        self._shared = _shared(program)
        self._copies_of = {g: [var(f"{g.data}@{r}", g.sort) for r in range(rounds)] for g in self._shared}
        memory = [copy for copies in self._copies_of.values() for copy in copies]
        own = [g for g in program.globals if g not in self._copies_of]
        self._memory = [*program.constants, *own, *memory]  # what one thread leaves to the next
        self._atomic, self._count = var("atomic", INT), var("count", INT)  # counted in states, by terms of `_numbers`
        self._numbers = [integer(number) for number in range(_MOST)]
        self._carried = [*program.constants, *program.globals, *memory, *self._late, self._atomic, self._count]
        self._threads: list[_Thread] = []
        self._current = 0
        self._stops: list[Edge] = []
        self._contexts = contexts
        self._runs: list[Term] = []  # of the current thread: that it runs in each round
        self._all_runs: list[Term] = []

    @property
    def threads(self) -> int:
        return 1 + len(self._threads)

    def encode(self) -> Formula:
        made, program = self._formula, self._program
        state: State = {v: fresh(v) for v in (*program.constants, *program.globals)}
        made.assumed += [value_in(axiom, state) for axiom in program.axioms]
        state |= dict.fromkeys(self._late, FALSE) | dict.fromkeys((self._atomic, self._count), self._numbers[0])
        guesses = {copy: fresh(copy) for copies in self._copies_of.values() for copy in copies}
        guesses |= {copies[0]: state[g] for g, copies in self._copies_of.items()}
        state |= guesses
        (entry,) = self._entries
        main = program.procedures[entry]
        state |= {old: state[variable] for variable, old in program.old.items()}
        number = self._instance(-1, entry)
        begin = {**state, **{v: fresh(v) for v in main.parameters}}
        if number is None:
            self._open(-1, entry, [(TRUE, begin)])
            return made
        self._all_runs += self._new_runs()[1:]
        after = self._activation(number, main, TRUE, begin, {entry: 1})
        state = self._left(TRUE, state, after)
        for thread in self._threads:  # grows no more: others start none
            state = self._run_thread(thread, state)
        for copies in self._copies_of.values():
            for before, following in pairwise(copies):
                made.assumed.append(equal(state[before], guesses[following]))
        if self._contexts is not None:
            made.assumed.append(_at_most(self._all_runs, self._contexts - 1))
        return made

    def _new_runs(self) -> list[Term]:
        self._runs = [var(f"runs{r}", BOOL) for r in range(self._rounds)]
        return self._runs

    def _run_thread(self, thread: _Thread, before: State) -> State:
        here, begin = thread.spawned
        self._current = thread.number
        self._all_runs += self._new_runs()
        procedure = self._program.procedures[thread.procedure]
        state = {**begin, **{v: before[v] for v in self._memory}, self._atomic: self._numbers[0]}
        after = self._activation(thread.instance, procedure, here, state, {thread.procedure: 1})
        ended = [FALSE]
        if after is not None:
            ended = [after[0], neg(after[1][self._late[-1]])]
            ended += [equal(end, after[1][late]) for end, late in zip(thread.end, self._late, strict=False)]
        self._formula.assumed.append(disj(neg(thread.ended), conj(*ended)))
        return self._left(here, before, after)

    def _left(self, here: Term, before: State, after: Edge | None) -> State:
        """The memory when a thread has returned or stopped, which one that was started has; else it is what it was."""
        ends = [*self._stops, *([] if after is None else [after])]
        self._stops = []
        self._formula.assumed.append(disj(neg(here), *(guard for guard, _ in ends)))
        kept = [(guard, {v: state[v] for v in self._memory}) for guard, state in ends if guard is not FALSE]
        return {**before, **joined([*kept, (TRUE, {v: before[v] for v in self._memory})])[1]}

    # --- rounds -----------------------------------------------------------------------------------------------------

    def _switch(self, here: Term, state: State, used: Iterable[Term]) -> None:
        """The thread may go to a later round, or stop, if there is another one, and sees the globals ``used``."""
        if self._counted(state, self._atomic) or not self._threads:
            return
        jumps = [var("jump", BOOL) for _ in self._late]
        for at, late in enumerate(self._late):
            state[late] = disj(state[late], *jumps[at:])
        for at, runs in enumerate(self._runs):
            self._formula.assumed.append(disj(neg(here), neg(self._is_in(state, at)), runs))
        self._see(state, used)

    def _is_in(self, state: State, at: int) -> Term:
        return conj(state[self._late[at - 1]] if at else TRUE, neg(state[self._late[at]]))

    def _may_stop(self, state: State) -> None:
        if not self._counted(state, self._atomic) and self._threads:
            stops = var("stops", BOOL)
            state.update((late, disj(state[late], stops)) for late in self._late)

    def _counted(self, state: State, what: Term) -> int:
        found = state[what]
        if found.op != "value":
            raise Undecided("which thread it is, or whether a block is atomic, depends on a condition")
        return int(found.data)

    def _see(self, state: State, used: Iterable[Term]) -> None:
        """The globals are what the copies of the thread's round hold."""
        for g in used:
            copies = self._copies_of.get(g)
            if copies is None:
                continue
            seen = state[copies[-1]]
            for at in range(self._rounds - 2, -1, -1):
                seen = choice(neg(state[self._late[at]]), state[copies[at]], seen)
            state[g] = seen

    def _wrote(self, targets: Sequence[Term], state: State) -> None:
        for g in targets:
            for at, copy in enumerate(self._copies_of.get(g, ())):
                state[copy] = choice(self._is_in(state, at), state[g], state[copy])

    # --- statements -------------------------------------------------------------------------------------------------

    def _execute(
        self, context: Context, place: str, statement: Statement, here: Term, state: State, stack: dict[str, int]
    ) -> Term:
        kind = statement.kind
        if kind in ("begin", "end"):
            return self._nest_atomic(kind, here, state)
        used = {v for term in statement.terms for v in _variables(term)} & self._copies_of.keys()
        written = self._written_by_itself(statement)
        if used or not self._copies_of.keys().isdisjoint(written) or kind in ("join", "spawn"):
            self._switch(here, state, used)
        if kind == "assume" and not used and value_in(statement.terms[0], state) is not TRUE:
            self._may_stop(state)
        if kind == "join":
            return self._assume(here, self._joined_with(value_in(statement.terms[0], state), state), state)
        if kind == "self":
            state.update((v, _number(self._current, v)) for v in statement.targets)
        elif kind == "spawn":
            here = self._spawn(context, place, statement, here, state)
        else:
            here = super()._execute(context, place, statement, here, state, stack)
        if kind == "call" and not self._copies_of.keys().isdisjoint(statement.targets):
            results = {v: state[v] for v in statement.targets}  # a return that writes globals is a step of its own
            self._switch(here, state, ())
            state.update(results)
        self._wrote(statement.targets, state)
        if kind == "call" and not self._program.procedures[statement.procedure].blocks:
            self._wrote(self._program.procedures[statement.procedure].modifies, state)
        return here

    def _written_by_itself(self, statement: Statement) -> Sequence[Term]:
        """Without what a callee's body, or its return, writes in steps of their own."""
        if statement.kind != "call":
            return statement.targets
        callee = self._program.procedures[statement.procedure]
        return () if callee.blocks else callee.modifies

    def _nest_atomic(self, kind: str, here: Term, state: State) -> Term:
        if kind == "begin":
            self._switch(here, state, self._copies_of)
        depth = self._counted(state, self._atomic) + (1 if kind == "begin" else -1)
        if not 0 <= depth < _MOST:
            raise Undecided("an atomic block ends that never began")
        state[self._atomic] = self._numbers[depth]
        return here

    def _stopped(self, state: State) -> Term:
        return state[self._late[-1]]

    def _assume(self, here: Term, holds: Term, state: State) -> Term:
        if holds is FALSE:
            self._stops.append((conj(here, self._stopped(state)), dict(state)))
            return FALSE
        return conj(here, disj(self._stopped(state), holds))

    def _check(self, here: Term, condition: Term, state: State) -> Term:
        failing = conj(here, neg(self._stopped(state)), neg(value_in(condition, state)))
        self._formula.bad.append(failing)
        self._stops.append((failing, dict(state)))
        return self._assume(here, value_in(condition, state), state)

    def _open(self, parent: int, place: str, edges: Sequence[Edge]) -> None:
        active = disj(*(conj(guard, neg(self._stopped(state))) for guard, state in edges))
        self._formula.opens[parent, place] = active
        self._formula.bad.append(active)
        self._stops += edges

    def _beyond(self, edges: Sequence[Edge]) -> None:
        super()._beyond(edges)
        self._stops += [(conj(guard, self._stopped(state)), state) for guard, state in edges]

    # --- threads ----------------------------------------------------------------------------------------------------

    def _spawn(self, context: Context, place: str, statement: Statement, here: Term, state: State) -> Term:
        if self._current:
            raise Undecided("a thread that was started starts another one")
        callee = self._program.procedures[statement.procedure]
        arguments = [value_in(term, state) for term in statement.terms]
        instance = self._instance(context.number, place)
        if instance is None:
            self._open(context.number, place, [(here, dict(state))])
            return FALSE
        begin = {**state, **dict(zip(callee.parameters, arguments, strict=True))}
        begin |= {old: state[variable] for variable, old in self._program.old.items()}
        number = len(self._threads) + 1
        if self._counted(state, self._count) != number - 1 or number >= _MOST:
            raise Undecided("which number a thread gets depends on a condition")
        state[self._count] = self._numbers[number]
        end = [var(f"end{r}", BOOL) for r in range(1, self._rounds)]
        spawned = (conj(here, neg(self._stopped(state))), begin)
        self._threads.append(_Thread(number, instance, statement.procedure, spawned, end=end))
        state.update((v, _number(number, v)) for v in statement.targets)
        return here

    def _joined_with(self, wanted: Term, state: State) -> Term:
        """One that has ended, in an earlier round or, if it runs before this one in a round, in this round."""
        found = []
        for thread in self._threads:
            if thread.number == self._current:
                continue
            lates = [state[late] for late in self._late[:-1]]
            if self._current > thread.number:
                before = conj(*(disj(neg(end), late) for end, late in zip(thread.end, lates, strict=True)))
            else:
                before = disj(*(conj(late, neg(end)) for end, late in zip(thread.end, lates, strict=True)))
            same = value_in(Term("=", (wanted, _number(thread.number, wanted)), BOOL), {})
            found.append(conj(same, thread.ended, before))
        return disj(*found)


def _at_most(conditions: Sequence[Term], most: int) -> Term:
    """``reached[n]``: more than n of the conditions so far are true."""
    reached = [FALSE] * (most + 1)
    for condition in conditions:
        before = [TRUE, *reached]
        reached = [disj(known, conj(below_it, condition)) for known, below_it in zip(reached, before, strict=False)]
    return neg(reached[most])


def _number(number: int, like: Term) -> Term:
    return value(number % (1 << like.sort[1]) if like.sort[0] == "BitVec" else number, like.sort)


def _variables(term: Term) -> set[Term]:
    return {node for node in below((term,)) if node.op == "var"}


def _shared(program: Program) -> list[Term]:
    """The globals that a thread which is started, or something that it calls, touches."""
    pending = [s.procedure for p in program.procedures.values() for s in p.statements() if s.kind == "spawn"]
    seen: set[str] = set()
    found: set[Term] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for statement in program.procedures[name].statements():
            found.update(statement.targets)
            for term in statement.terms:
                found |= _variables(term)
            if statement.kind == "call":
                pending.append(statement.procedure)
                found.update(program.procedures[statement.procedure].modifies)
    return [g for g in program.globals if g in found]
