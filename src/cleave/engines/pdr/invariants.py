"""Invariants of a program's procedures and loops, for other engines to use.

    program ──▶ Horn clauses, a predicate for each procedure and each loop
            ──▶ SPACER, for a limited amount of work (`learning`)
            ──▶ of what it learned, all that is inductive together (`houdini`)
            ──▶ checked rule by rule, by solvers that are not SPACER (`validate.clauses.invariant`)
            ──▶ facts at places of the program (`passes.known`)

The queries play no part in the check, so what is left is true of all executions, whether the program is safe or not.
SPACER and Houdini have limits in work and not in time: the same program has the same invariants every time,
unless the check hits a limit of its time, which leaves fewer of them or none.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field, replace

from cleave.engines.desk import Facts
from cleave.engines.known import encode_known
from cleave.engines.pdr.alone import Watcher
from cleave.engines.pdr.houdini import inductive
from cleave.engines.pdr.learning import Candidates, LearningOptions, learn
from cleave.engines.pdr.weakening import without_quantifiers
from cleave.errors import UnsupportedError
from cleave.ir.horn import HornSystem, Relation
from cleave.ir.integers import Integers
from cleave.ir.program import Procedure, Program
from cleave.logic.terms import Term, conj_all, var
from cleave.logic.walk import free_variables, postorder, substitute
from cleave.passes.entries import choose_entries
from cleave.passes.flow import predecessors, reachable, strongly_connected
from cleave.passes.horn.relevant import parameters
from cleave.passes.known import Known
from cleave.passes.prepare import ask
from cleave.passes.to_horn import Limits, Place, program_to_horn
from cleave.passes.to_integers import to_integers
from cleave.records import dataclass
from cleave.validate.clauses.in_turn import InTurn
from cleave.validate.clauses.invariant import check_interpretation
from cleave.validate.confirmation import named

_NO_COPIES = Limits(small=0, caller=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvariantOptions:
    """Formulas of more than ``largest`` different parts, and those beyond the first ``most`` of a place, are left out,
    to keep what an engine gets small. ``sieve_cost`` is for finding out what is inductive, ``check_seconds`` for the
    check."""

    learning: LearningOptions = field(default_factory=LearningOptions)
    sieve_cost: int = 5_000_000
    check_seconds: float = 120.0
    largest: int = 60
    most: int = 30


@dataclass(frozen=True, slots=True)
class Invariants:
    """``text`` says on one line what they are and who checked them, or why there are none."""

    facts: tuple[Known, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Inductive:
    """Formulas that every rule preserves, all together, and how many rules each solver confirmed."""

    formulas: Candidates
    by: Mapping[str, int]


def find_invariants(
    program: Program, entry: str, options: InvariantOptions | None = None, watch: Watcher | None = None
) -> Invariants:
    """Of a program as `passes.prepare.ask` makes it."""
    options, halt = options or InvariantOptions(), threading.Event()
    with ExitStack() as stack:
        if watch is not None:
            watch.guard(halt.set)
            stack.callback(watch.unguard, halt.set)
        try:
            horn = program_to_horn(program, (entry,), _NO_COPIES)
        except UnsupportedError as error:
            return Invariants((), f"no invariants: {error}")
        system = without_quantifiers(horn.system)
        for candidates in learn(system, options.learning, halt):
            found = confirmed(system, candidates, options, halt, watch)
            facts = _facts(program, horn.places, found.formulas, options) if found is not None else ()
            if found is not None and facts:
                return Invariants(facts, _told(facts, found.by))
    return Invariants((), "no invariants were found")


def facts_of(
    program: Program, entry: str | None, integers: Integers, watch: Watcher
) -> tuple[tuple[Known, ...], Facts | None]:
    """Those of a program as it was read, and as a stage passes them on."""
    counted = to_integers(program, integers)
    asked = ask(counted, choose_entries(counted, entry))
    found = find_invariants(asked.program, asked.entry, watch=watch)
    return found.facts, Facts(encode_known(found.facts), found.text) if found.facts else None


def _told(facts: tuple[Known, ...], by: Mapping[str, int]) -> str:
    procedures = len({fact.procedure for fact in facts})
    count = f"{len(facts)} invariant{'s' if len(facts) != 1 else ''}"
    place = f"{procedures} procedure{'s' if procedures != 1 else ''}"
    return f"{count} of {place}, found by pdr and checked {named(by, 'rule')}"


# --- what holds -----------------------------------------------------------------------------------------------------


def confirmed(
    system: HornSystem,
    candidates: Candidates,
    options: InvariantOptions,
    halt: threading.Event,
    watch: Watcher | None = None,
) -> Inductive | None:
    """What is left of the candidates; None if that could not be found out. What is said of the head of a rule that
    nobody can confirm goes."""
    rules = replace(system, clauses=system.rules())
    with ExitStack() as stack:
        solvers = stack.enter_context(InTurn(seconds=options.check_seconds))
        if watch is not None:
            watch.guard(solvers.interrupt)
            stack.callback(watch.unguard, solvers.interrupt)
        while True:
            left = inductive(rules, candidates, cost_limit=options.sieve_cost, halt=halt)
            if left is None:
                return None
            judged = check_interpretation(rules, _relations(rules, left), solvers=solvers)
            if judged.holds:
                return Inductive(left, judged.by)
            head = rules.clauses[judged.clause].head if judged.clause is not None else None
            if head is None or solvers.is_over:
                return None
            candidates = {**left, head.predicate: ()}


def _relations(system: HornSystem, formulas: Candidates) -> dict[str, Relation]:
    return {name: Relation(parameters(system, name), conj_all(found)) for name, found in formulas.items()}


# --- in the program's words -----------------------------------------------------------------------------------------


def _facts(
    program: Program, places: Mapping[str, Place], formulas: Candidates, options: InvariantOptions
) -> tuple[Known, ...]:
    headers = {name: _loop_headers(procedure) for name, procedure in program.procedures.items()}
    return tuple(
        Known(place.procedure, place.label, condition)
        for name, place in places.items()
        if place.label is None or place.label in headers[place.procedure]
        for condition in list(_conditions(place, formulas.get(name, ()), options.largest))[: options.most]
    )


def _conditions(place: Place, formulas: Sequence[Term], largest: int) -> Iterator[Term]:
    """Those of the formulas that can be said with the program's variables."""
    said = {var(f"a{n}", a.sort): a for n, a in enumerate(place.arguments) if a is not None}
    for formula in formulas:
        if free_variables(formula) <= said.keys() and sum(1 for _ in postorder((formula,))) <= largest:
            yield substitute(formula, said)


def _loop_headers(procedure: Procedure) -> set[str]:
    """Blocks of cycles that more than one jump leads to, and an entry that a jump leads back to."""
    found = reachable(procedure.blocks, procedure.entry.label)
    before = predecessors(procedure.blocks, [label for label in procedure.blocks if label in found])
    headers: set[str] = set()
    for component in strongly_connected({label: procedure.blocks[label].successors for label in before}):
        cyclic = len(component) > 1 or component[0] in before[component[0]]
        headers.update(b for b in component if cyclic and (len(before[b]) > 1 or b == procedure.entry.label))
    return headers
