"""From lowered bodies to a program with threads: see the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from cleave.frontends.boogie.names import Names
from cleave.frontends.boogie.threads.atomicity import closed
from cleave.frontends.boogie.threads.axioms import LEFT_OUT, Axioms
from cleave.frontends.boogie.threads.contracts import Contracts
from cleave.frontends.boogie.threads.forks import Forks
from cleave.frontends.boogie.threads.races import DATA_RACE, Races, asked_only_for_races, numbered
from cleave.frontends.boogie.threads.rewriting import begun, ended, rewritten, with_statements
from cleave.frontends.boogie.threads.starting import Threads
from cleave.frontends.boogie.threads.symbols import Symbols
from cleave.frontends.boogie.threads.thread_locals import ThreadLocals
from cleave.ir import program as ir
from cleave.logic import terms as t
from cleave.logic.terms import Term
from cleave.records import dataclass

ASSERTIONS = ir.Property.ASSERTIONS.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """What the front end knows besides: ``entry`` is None if it can't be told."""

    entry: str | None
    thread_locals: Sequence[Term]
    names: Names
    checks: Sequence[str] = ()


def finish(program: ir.Program, threads: Threads, ways: Ways) -> ir.Program:
    """The program in the form that the engines for threads read: no contracts, no functions, no axioms."""
    names, entry = ways.names, ways.entry or ""
    procedures = _apart(dict(program.procedures), entry, threads)
    races: Races | None = None
    if DATA_RACE in ways.checks:
        shared = [v for v in program.globals if v not in ways.thread_locals]
        started = {site.header.name for site in threads.forks.values()} | threads.roots
        races = Races({**procedures, **threads.procedures}, shared, names, started)
        procedures = {n: races.procedure(p, is_entry=n == entry) if p.has_body else p for n, p in procedures.items()}
    forks = Forks(threads, procedures, entry)
    procedures = {**procedures, **threads.procedures}
    procedures = {name: forks.procedure(p) if p.has_body else p for name, p in procedures.items()}
    declared = {n: p for n, p in procedures.items() if not n.startswith("corral_atomic_")}
    contracts = Contracts(declared, names)
    procedures = {n: contracts.procedure(p, is_entry=n == entry) for n, p in procedures.items() if p.has_body}
    procedures = closed(_reachable(procedures, entry), {*threads.roots, entry})
    own = ThreadLocals(list(ways.thread_locals), names)
    procedures = {name: own.procedure(p) for name, p in procedures.items()}
    axioms = Axioms(program.axioms, procedures.values(), names)
    if entry in procedures:
        procedures[entry] = begun(procedures[entry], map(ir.Assume, axioms.ground))
    procedures = {name: axioms.procedure(p) for name, p in procedures.items()}
    symbols = Symbols(procedures.values(), names)
    procedures = {name: _mapped(p, symbols) for name, p in procedures.items()}
    procedures = _with_turns(procedures, threads, entry)
    checked: dict[str, int] = {}
    if races is not None:
        procedures, checked = _with_checks(procedures, ways.checks)
    if entry in procedures:
        # The other threads go on when the first one has returned.
        procedures[entry] = ended(begun(procedures[entry], forks.first()), (ir.Assume(t.FALSE),))
    return replace(
        program,
        globals=(
            *(own.maps.get(v, v) for v in program.globals),
            *threads.globals,
            *(races.marks if races is not None else ()),
        ),
        constants=(*program.constants, *symbols.constants),
        functions=(),
        axioms=(),
        procedures=procedures,
        property=ir.Property.ASSERTIONS,
        checked=checked,
        assumptions=(*program.assumptions, *((LEFT_OUT,) if axioms.is_any_left_out else ())),
    )


def _with_checks(
    procedures: dict[str, ir.Procedure], checks: Sequence[str]
) -> tuple[dict[str, ir.Procedure], dict[str, int]]:
    """The procedures with assertions of what is asked for only, and how many there are of each."""
    if ASSERTIONS in checks:
        numbers = count(1)
        procedures = {name: numbered(one, ASSERTIONS, numbers) for name, one in procedures.items()}
    else:
        procedures = {name: asked_only_for_races(one) for name, one in procedures.items()}
    statements = [one for procedure in procedures.values() for one in procedure.statements()]
    found = [one.check.property for one in statements if isinstance(one, ir.Assert) and one.check is not None]
    return procedures, {name: found.count(name) for name in checks}


def _reachable(procedures: dict[str, ir.Procedure], entry: str) -> dict[str, ir.Procedure]:
    """Without the procedures that no thread runs; all of them, where it is not known where to start."""
    if entry not in procedures:
        return procedures
    found = {entry}
    pending = [entry]
    while pending:
        statements = procedures[pending.pop()].statements()
        started = {s.procedure for s in statements if isinstance(s, ir.Call | ir.Spawn)} & procedures.keys()
        pending += sorted(started - found)
        found |= started
    return {name: procedure for name, procedure in procedures.items() if name in found}


def _mapped(procedure: ir.Procedure, symbols: Symbols) -> ir.Procedure:
    return replace(procedure, blocks=with_statements(procedure, lambda one: (rewritten(one, symbols.term),)))


def _apart(procedures: dict[str, ir.Procedure], entry: str, threads: Threads) -> dict[str, ir.Procedure]:
    """An entry that is also called or started has a copy for that: the first thread's return is not an ordinary one."""
    everything = {**procedures, **threads.procedures}
    started = {s.procedure for p in everything.values() for s in p.statements() if isinstance(s, ir.Call | ir.Spawn)}
    started.update(site.header.name for site in threads.forks.values())
    if entry not in procedures or entry not in started:
        return procedures
    copy = threads.names.fresh(entry)
    threads.renamed[entry] = copy

    def other(statement: ir.Statement) -> tuple[ir.Statement]:
        if isinstance(statement, ir.Call | ir.Spawn) and statement.procedure == entry:
            return (replace(statement, procedure=copy),)
        return (statement,)

    made = {name: replace(p, blocks=with_statements(p, other)) for name, p in everything.items()}
    threads.procedures = {name: made[name] for name in threads.procedures}
    threads.roots = {copy if name == entry else name for name in threads.roots}
    return {**{name: made[name] for name in procedures}, copy: replace(made[entry], name=copy, is_entry=False)}


def _with_turns(procedures: dict[str, ir.Procedure], threads: Threads, entry: str) -> dict[str, ir.Procedure]:
    """Where threads give way by themselves only, a thread waits for its turn first, and ends it last."""
    if not threads.is_cooperative:
        return procedures
    over = ir.Assign((threads.running,), (t.FALSE,))
    found = dict(procedures)
    for name in sorted(threads.roots & found.keys()):
        found[name] = ended(begun(found[name], threads.take_turn(None)), (over,))
    if entry in found:
        found[entry] = ended(begun(found[entry], (ir.Assign((threads.running,), (t.TRUE,)),)), (over,))
    return found
