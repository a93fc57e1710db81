"""Programs to constrained Horn clauses: safe exactly when no execution violates the program's property.

    proc main() -> ()                                    main:h(0)          :- true
      a: x := 0; goto h                                  main:h(x + 1)      :- main:h(x), x < 10
      h: goto body, out                                  false              :- main:h(x), not x < 10, not x = 10
      body: assume x < 10; x := x + 1; goto h
      out: assume not x < 10; assert x = 10; return

A predicate for each loop and call (`cuts`), over what is live there (`interfaces`), and for each procedure that is not
copied to its callers (`inlining`) one that is its summary, so that recursion is nothing special; a clause for each way
between two of them (`encoding`). ``false`` is derived where the entry's end is reached, to which earlier passes
reduce all properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from cleave.ir.horn import Clause, Derivation, HornSystem, Predicate
from cleave.ir.path import Path
from cleave.ir.program import Procedure, Program
from cleave.logic.terms import Term
from cleave.passes.compact import compact_blocks
from cleave.passes.contracts import contracts_to_statements
from cleave.passes.entries import single_entry
from cleave.passes.failures import failures_to_end
from cleave.passes.fresh import FreshNames
from cleave.passes.prepare import only_reachable, refuse_threads
from cleave.passes.to_horn.calls import calls_first
from cleave.passes.to_horn.closing import close_program
from cleave.passes.to_horn.cuts import cut_points, regions
from cleave.passes.to_horn.encoding import Names, encode
from cleave.passes.to_horn.inlining import Limits, inline_calls
from cleave.passes.to_horn.interfaces import Facts, facts_of
from cleave.passes.to_horn.paths import Origin, path_of
from cleave.passes.to_horn.places import Place, places_of
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class HornProgram:
    """The clauses of a program, how their derivations become paths of it, and which places of it the predicates speak
    of; those of what was copied or made up on the way have none."""

    system: HornSystem
    origins: tuple[Origin, ...]  # of the clauses, in their order
    ways_back: tuple[Callable[[Path], Path], ...]
    places: Mapping[str, Place]  # by predicate

    def path(self, derivation: Derivation) -> Path:
        """The control path, in the program that was translated, of an execution that ``derivation`` stands for."""
        path = path_of(derivation, self.origins)
        for way_back in reversed(self.ways_back):
            path = way_back(path)
        return path


def program_to_horn(program: Program, entries: tuple[str, ...], limits: Limits | None = None) -> HornProgram:
    given = program = only_reachable(program, entries)
    refuse_threads(program)
    program, from_contracts = contracts_to_statements(program)
    program, entry, from_start = single_entry(program, entries)
    program = only_reachable(program, (entry,))
    program, from_closing = close_program(program, entry)
    program, from_inlining = inline_calls(program, limits or Limits())
    program = only_reachable(program, (entry,))
    program, from_failures = failures_to_end(program, entry)
    program, from_merging = compact_blocks(program)
    program = only_reachable(program, (entry,))
    program, from_calls = calls_first(program)
    facts = facts_of(program, entry)
    cuts = {name: cut_points(procedure) for name, procedure in program.procedures.items()}
    names = _names(program, entry, cuts)
    system, origins = _clauses(program, facts, cuts, names)
    ways_back = (from_contracts, from_start, from_closing, from_inlining, from_failures, from_merging, from_calls)
    return HornProgram(system, origins, ways_back, places_of(given, facts, names))


def _clauses(
    program: Program, facts: Mapping[str, Facts], cuts: Mapping[str, set[str]], names: Names
) -> tuple[HornSystem, tuple[Origin, ...]]:
    clauses: list[Clause] = []
    origins: list[Origin] = []
    for procedure in program.procedures.values():
        taken = frozenset(v.name for v in (*program.globals, *_own_variables(procedure)))
        for region in regions(procedure, cuts[procedure.name]):
            made = encode(region, procedure, facts, names, taken)
            if not made.clause.constraint.is_false:
                clauses.append(made.clause)
                tracked = partial(encode, region, procedure, facts, names, taken, tracked=True)
                origins.append(Origin(procedure.name, region, made.calls, tracked))
    predicates = {p.name: p for p in _predicates(names, facts)}
    return HornSystem(predicates=predicates, clauses=tuple(clauses)), tuple(origins)


def _own_variables(procedure: Procedure) -> tuple[Term, ...]:
    return (*procedure.parameters, *procedure.returns, *procedure.locals)


def _names(program: Program, entry: str, cuts: Mapping[str, set[str]]) -> Names:
    """``f`` for the summary of a procedure, ``f:label`` for its cut points."""
    unused = FreshNames(program.procedures)
    taken = set(program.procedures)
    summaries = {name: name for name in program.procedures if name != entry}
    named: dict[tuple[str, str], str] = {}
    for name, procedure in program.procedures.items():
        for label in procedure.blocks:
            if label in cuts[name]:
                wanted = f"{name}:{label}"
                named[name, label] = wanted if wanted not in taken else unused.like(wanted)
                taken.add(named[name, label])
    return Names(summaries, named)


def _predicates(names: Names, facts: Mapping[str, Facts]) -> Iterator[Predicate]:
    for procedure, name in names.summaries.items():
        interface = facts[procedure].interface
        yield Predicate(name, tuple(v.sort for v in (*interface.inputs, *interface.outputs)))
    for (procedure, label), name in names.cuts.items():
        yield Predicate(name, tuple(v.sort for v in facts[procedure].state[label]))
