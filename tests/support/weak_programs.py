"""Small programs for memory with store buffers, and an oracle for their outcomes that has no buffers.

A litmus test is a few straight-line threads of stores, loads, fences and exchanges. `outcomes` says which values the
loads may have, and the variables in the end, by the axioms of TSO and PSO: it tries every choice of the store that each
load reads (rf) and every order of the stores of a variable (co), and keeps those in which the order that all threads
agree on has no cycle (Alglave, Maranget, Tautschnig, "Herding Cats", TOPLAS 2014, section 4.8).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from cleave.ir.program import (
    Assert,
    Assign,
    AtomicBegin,
    AtomicEnd,
    Block,
    Fence,
    Join,
    Procedure,
    Program,
    Spawn,
    Statement,
)
from cleave.ir.store_buffers import Model, StoreBuffers
from cleave.logic import terms as t
from cleave.logic.sorts import bitvec
from cleave.logic.terms import Term

WORD = bitvec(2)


@dataclass(frozen=True, slots=True)
class Op:
    """``kind``: store, load, exchange (which loads and stores), fence, store-fence."""

    kind: str
    variable: str = ""
    value: int = 0

    @property
    def loads(self) -> bool:
        return self.kind in ("load", "exchange")

    @property
    def stores(self) -> bool:
        return self.kind in ("store", "exchange")


Litmus = Sequence[Sequence[Op]]
Outcome = tuple[tuple[int, ...], tuple[int, ...]]
"""What the loads read, thread by thread, and what the variables hold in the end, by name."""


def variables_of(litmus: Litmus) -> list[str]:
    return sorted({op.variable for thread in litmus for op in thread if op.variable})


# --- the axioms -------------------------------------------------------------------------------------------------------

Event = tuple[int, int]  # thread and place


def outcomes(litmus: Litmus, model: str) -> set[Outcome]:
    """All that the axioms allow; ``model`` is sc, tso or pso."""
    events = {(n, p): op for n, thread in enumerate(litmus) for p, op in enumerate(thread)}
    names = variables_of(litmus)
    loads = [event for event, op in events.items() if op.loads]
    writers = {name: [e for e, op in events.items() if op.stores and op.variable == name] for name in names}
    found: set[Outcome] = set()
    for orders in product(*(permutations(writers[name]) for name in names)):
        order = dict(zip(names, orders, strict=True))
        for sources in product(*([None, *writers[events[load].variable]] for load in loads)):
            reads = dict(zip(loads, sources, strict=True))
            if _is_allowed(events, order, reads, model):
                values = tuple(0 if source is None else events[source].value for source in sources)
                final = tuple(events[order[name][-1]].value if order[name] else 0 for name in names)
                found.add((values, final))
    return found


def _is_allowed(
    events: dict[Event, Op], order: dict[str, tuple[Event, ...]], reads: dict[Event, Event | None], model: str
) -> bool:
    same_variable: set[tuple[Event, Event]] = set()  # what each variable alone must respect
    agreed: set[tuple[Event, Event]] = set()  # what all threads agree on
    for stores in order.values():
        same_variable |= {(a, b) for n, a in enumerate(stores) for b in stores[n + 1 :]}
    for load, source in reads.items():
        stores = order[events[load].variable]
        later = stores if source is None else stores[stores.index(source) + 1 :]
        same_variable |= {(load, one) for one in later if one != load}
        if source is not None:
            same_variable.add((source, load))
        if events[load].kind == "exchange":  # nothing between what it reads and what it writes
            place = stores.index(load)
            if (None if place == 0 else stores[place - 1]) != source:
                return False
    agreed |= {pair for pair in same_variable if not _is_own(pair, reads)}
    for a, b in product(events, events):
        if a[0] == b[0] and a[1] < b[1]:
            if events[a].variable == events[b].variable != "":
                same_variable.add((a, b))
            if _is_kept(events, a, b, model):
                agreed.add((a, b))
    return _is_acyclic(same_variable - {(a, a) for a in events}) and _is_acyclic(agreed)


def _is_own(pair: tuple[Event, Event], reads: dict[Event, Event | None]) -> bool:
    """A thread that reads its own store may do so before others can."""
    return pair[0][0] == pair[1][0] and reads.get(pair[1]) == pair[0]


def _is_kept(events: dict[Event, Op], a: Event, b: Event, model: str) -> bool:
    """Whether program order is part of what all threads agree on."""
    one, other = events[a], events[b]
    if model == "sc" or "exchange" in (one.kind, other.kind) or "fence" in (one.kind, other.kind):
        return True
    if "store-fence" in (one.kind, other.kind):
        return one.kind != "load" and other.kind != "load"
    if one.stores and other.loads:
        return False
    return not (model == "pso" and one.stores and other.stores)


def _is_acyclic(pairs: set[tuple[Event, Event]]) -> bool:
    after: dict[Event, set[Event]] = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    nodes = {event for pair in pairs for event in pair}
    while nodes:
        free = {one for one in nodes if not after.get(one, set()) & nodes}
        if not free:
            return False
        nodes -= free
    return True


# --- as a program -----------------------------------------------------------------------------------------------------


def program_of(litmus: Litmus, model: str, never: Outcome) -> Program:
    """Main starts the threads, joins them, and asserts that the outcome is another one than ``never``."""
    names = variables_of(litmus)
    shared = {name: t.var(name, WORD) for name in names}
    results: list[Term] = []
    procedures: dict[str, Procedure] = {}
    for number, thread in enumerate(litmus):
        body, own = _body(number, thread, shared)
        results += own
        procedures[f"t{number}"] = Procedure(name=f"t{number}", blocks={"b": Block("b", tuple(body), ())})
    ids = [t.var(f"id{number}", bitvec(8)) for number in range(len(litmus))]
    everything = [*results, *shared.values()]
    zeros = Assign(tuple(everything), tuple(t.bv(0, 2) for _ in everything))
    spawns = [Spawn(f"t{number}", (), one) for number, one in enumerate(ids)]
    expected = [*zip(results, never[0], strict=True), *zip(shared.values(), never[1], strict=True)]
    different = t.disj_all(t.neg(t.eq(one, t.bv(value, 2))) for one, value in expected)
    joins = [Join(one) for one in ids]
    statements: tuple[Statement, ...] = (zeros, *spawns, *joins, Assert(different))
    main = Procedure(name="main", locals=tuple(ids), blocks={"b": Block("b", statements, ())}, is_entry=True)
    program = Program(globals=tuple(everything), procedures={"main": main, **procedures})
    return (
        program if model == "sc" else with_buffers(program, "tso" if model == "tso" else "pso", list(shared.values()))
    )


def _body(number: int, thread: Sequence[Op], shared: dict[str, Term]) -> tuple[list[Statement], list[Term]]:
    body: list[Statement] = []
    own: list[Term] = []
    for op in thread:
        if op.loads:
            own.append(t.var(f"r{number}_{len(own)}", WORD))
        match op.kind:
            case "store":
                body.append(Assign((shared[op.variable],), (t.bv(op.value, 2),)))
            case "load":
                body.append(Assign((own[-1],), (shared[op.variable],)))
            case "exchange":
                both = Assign((own[-1], shared[op.variable]), (shared[op.variable], t.bv(op.value, 2)))
                body += [AtomicBegin(), both, AtomicEnd()]
            case kind:
                body.append(Fence(stores_only=kind == "store-fence"))
    return body, own


def with_buffers(program: Program, model: Model, variables: Sequence[Term] | None = None) -> Program:
    return replace(program, store_buffers=StoreBuffers(model, tuple(variables or program.globals)))


def with_fences(program: Program, pick: random.Random) -> Program:
    """Fences here and there."""

    def fenced(statements: Sequence[Statement]) -> Iterator[Statement]:
        for statement in statements:
            yield statement
            if pick.random() < 0.15:
                yield Fence(stores_only=pick.random() < 0.5)

    procedures = {
        name: replace(
            procedure,
            blocks={label: replace(b, statements=tuple(fenced(b.statements))) for label, b in procedure.blocks.items()},
        )
        for name, procedure in program.procedures.items()
    }
    return replace(program, procedures=procedures)


# --- the tests that everyone knows ------------------------------------------------------------------------------------


def read_litmus(text: str) -> list[list[Op]]:
    """``x=1 ry | y=1 rx``: two threads, each with a store and a load; F and S are fences, ``Xx=1`` is an exchange."""
    return [[_op(word) for word in thread.split()] for thread in text.split("|")]


def _op(word: str) -> Op:
    if word in ("F", "S"):
        return Op("fence" if word == "F" else "store-fence")
    if word.startswith("r"):
        return Op("load", word[1:])
    name, value = word.removeprefix("X").split("=")
    return Op("exchange" if word.startswith("X") else "store", name, int(value))


def random_litmus(pick: random.Random) -> list[list[Op]]:
    threads = []
    for _ in range(2 if pick.random() < 0.8 else 3):
        ops = [_random_op(pick) for _ in range(pick.randint(2, 3))]
        threads.append(ops)
    return threads


def _random_op(pick: random.Random) -> Op:
    variable = pick.choice("xy")
    match pick.choices(("store", "load", "exchange", "fence", "store-fence"), (5, 5, 1, 1, 1))[0]:
        case "store":
            return Op("store", variable, pick.randint(1, 2))
        case "load":
            return Op("load", variable)
        case "exchange":
            return Op("exchange", variable, 3)
        case kind:
            return Op(kind)
