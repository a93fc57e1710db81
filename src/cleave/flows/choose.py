"""Which engine a file goes to, and with which options.

    choose_flow("driver.bpl", Options())        # InlineFlow
    choose_flow("system.smt2", Options())       # PdrFlow
    choose_flow("queue.c", Options())           # ThreadsFlow if it starts threads, else InlineFlow

Engines are loaded when they are chosen: a run needs one of them, and together they take longer than a small task.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cleave.engines.search import Search
from cleave.errors import InternalError, UsageError
from cleave.flows.options import Options
from cleave.flows.run import Flow
from cleave.frontends.clauses import holds_clauses
from cleave.frontends.read import is_c, may_have_threads, read_program, read_source
from cleave.ir.integers import Integers
from cleave.ir.program import first_thread_statement

INLINE, PDR, CEGAR, THREADS, AUTO = ENGINES = ("inline", "pdr", "cegar", "threads", "auto")


def engine_by_name(file: str) -> str:
    """The engine for a file that nobody has looked into."""
    return PDR if holds_clauses(file) else INLINE


def choose_flow(file: str, options: Options) -> Flow:
    source = read_source(file, replace(options.c, entry=options.entry))
    fitting = _fitting(file, source)
    engine = fitting if options.engine in (None, AUTO) else options.engine
    _check(file, fitting, engine, options)
    if engine == PDR:
        return _pdr(file, source, options)
    if engine == CEGAR:
        return _cegar(file, source, options)
    return _threads(file, source, options) if engine == THREADS else _inline(file, source, options)


def engines_for(file: str, options: Options) -> tuple[str, ...]:
    """Those that `AUTO` lets run side by side, the one that finds violations sooner first."""
    if holds_clauses(file):
        return (PDR,)
    fitting = _fitting(file, read_source(file, replace(options.c, entry=options.entry)))
    return (INLINE, PDR) if fitting == INLINE else (fitting,)


def may_try_integers(file: str, options: Options) -> bool:
    """Whether pdr, which computes with bits, should also try integers that go round where bits do. An invariant of the
    clauses that somebody wants to have is about bits."""
    by_itself = options.integers is None and options.runtime == "local" and options.invariant is None
    return options.engine == PDR and is_c(file) and by_itself


def _fitting(file: str, source: bytes) -> str:
    if holds_clauses(file):
        return PDR
    if may_have_threads(file) and first_thread_statement(read_program(file, source)) is not None:
        return THREADS
    return INLINE


def _check(file: str, fitting: str, engine: str | None, options: Options) -> None:
    if fitting == PDR and engine not in (PDR, CEGAR):
        raise UsageError(f"{file}: Horn clauses are for the engines pdr and cegar; {engine} needs a program")
    if fitting == THREADS != engine:
        raise UsageError(f"{file}: it starts threads, which only the engine threads handles")
    if engine == THREADS and options.integers not in (None, Integers.BITS):
        raise UsageError(f"{file}: --integers is for sequential programs; the engine threads computes with bits")
    if options.invariants_from is not None and engine != INLINE:
        raise UsageError(f"{file}: --invariants-from is for programs that the inline engine verifies")


def _inline(file: str, source: bytes, options: Options) -> Flow:
    from cleave.engines.inline.messages import Task
    from cleave.engines.inline.search import InlineSearch

    search = replace(
        options.inline,
        merging=options.merging,
        bounds=options.recursion_bounds,
        under_always=options.under_always,
        seed=options.seed,
    )
    task = Task(file, source, options.entry, _property(options), search, options.workers, integers=_integers(options))
    return flow_of(InlineSearch(task))


def _pdr(file: str, source: bytes, options: Options) -> Flow:
    from cleave.engines.pdr.messages import Task
    from cleave.engines.pdr.search import PdrSearch
    from cleave.flows.pdr import PdrFlow

    prop, integers, virtual = _property(options), _integers(options), options.runtime == "simulated"
    task = Task(file, source, options.entry, prop, options.pdr, options.workers, integers=integers, virtual=virtual)
    return PdrFlow(PdrSearch(task), options.invariant, options.loop_invariants)


def _cegar(file: str, source: bytes, options: Options) -> Flow:
    from cleave.engines.cegar.messages import Task
    from cleave.engines.cegar.search import CegarSearch
    from cleave.flows.cegar import CegarFlow

    prop, integers = _property(options), _integers(options)
    task = Task(file, source, options.entry, prop, options.cegar, options.workers, integers=integers)
    return CegarFlow(CegarSearch(task), options.invariant, options.loop_invariants)


def _threads(file: str, source: bytes, options: Options) -> Flow:
    from cleave.engines.threads.messages import Task
    from cleave.engines.threads.search import ThreadsSearch

    return flow_of(ThreadsSearch(Task(file, source, options.entry, options.threads, options.workers)))


def flow_of(search: Search[Any]) -> Flow:
    """The flow for a search that was chosen, or that goes on."""
    if search.engine == INLINE:
        from cleave.flows.inline import InlineFlow

        return InlineFlow(search)  # type: ignore[arg-type]
    if search.engine == PDR:
        from cleave.flows.pdr import PdrFlow

        return PdrFlow(search)  # type: ignore[arg-type]
    if search.engine == CEGAR:
        from cleave.flows.cegar import CegarFlow

        return CegarFlow(search)  # type: ignore[arg-type]
    if search.engine == THREADS:
        from cleave.flows.threads import ThreadsFlow

        return ThreadsFlow(search)  # type: ignore[arg-type]
    raise InternalError(f"nothing is known of engine {search.engine}")


def _integers(options: Options) -> Integers:
    return options.integers or Integers.BITS


def _property(options: Options) -> str | None:
    return options.property.value if options.property is not None else None
