"""From a linked module to `ir.Program`: the analyses in order, then the functions one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from cleave.errors import UsageError
from cleave.frontends.c.analysis.accesses import AccessFinder
from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.cells import Cell, MemoryMap
from cleave.frontends.c.analysis.confusion import hides_pointers, parts_of_pointers
from cleave.frontends.c.analysis.lives import Lives
from cleave.frontends.c.analysis.numbers import Alignments, computes_with_addresses, orders_objects
from cleave.frontends.c.analysis.offsets import Offsets
from cleave.frontends.c.analysis.points_to import ENVIRONMENTS, PointsTo
from cleave.frontends.c.analysis.storage import Storage, declare_cells
from cleave.frontends.c.clang.asynchronous import outline_threads
from cleave.frontends.c.clang.library import is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.image import Constants
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.assembly import lower_assembly
from cleave.frontends.c.lowering.atomic import balanced
from cleave.frontends.c.lowering.body import Names
from cleave.frontends.c.lowering.checks import Checks, only_these
from cleave.frontends.c.lowering.context import COUNTER, Context
from cleave.frontends.c.lowering.entry import call_at_end, call_constructors, choose_entry
from cleave.frontends.c.lowering.extents import Extents
from cleave.frontends.c.lowering.function import FunctionLowering
from cleave.frontends.c.lowering.initial import fold_constants, initial_values
from cleave.frontends.c.lowering.inside import quiet_inside
from cleave.frontends.c.lowering.marks import initial_marks, mark_cells
from cleave.frontends.c.lowering.memory_model import assumed, check_model, left_out, weak_places
from cleave.frontends.c.lowering.missing_return import unreturning
from cleave.frontends.c.lowering.races import Races
from cleave.frontends.c.lowering.reaching import all_violated
from cleave.frontends.c.lowering.roots import keep_roots, roots
from cleave.frontends.c.lowering.rounds import count_depths, initial_depths
from cleave.frontends.c.lowering.source import source_of
from cleave.frontends.c.lowering.threads import lower_threads
from cleave.frontends.c.lowering.trust import trusted_calls, trusted_functions
from cleave.frontends.c.lowering.variadic import lower_variadic
from cleave.frontends.c.lowering.wrappers import lower_stack_calls, wrap_models
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import (
    DATA_RACE,
    DEADLOCK,
    LEAKS,
    LOST,
    MEMORY,
    UNINITIALISED,
    UNREACHABLE,
    UNWINDING,
)
from cleave.ir.program import Assign, Assume, Block, Call, Havoc, Location, Procedure, Program, Statement
from cleave.ir.store_buffers import StoreBuffers
from cleave.logic.terms import Op, bv, conj_all, select, var
from cleave.records import dataclass

_SO_MANY = 1 << 20  # objects; docs/guide/assumptions.md says that there are not more
_ARGUMENTS_POWER = 28  # no system passes that many


_OF_MEMORY = (MEMORY, LEAKS, LOST)
_ENVIRONMENT = "what the third parameter of main leads to"
_HANDLING = ("signal", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset")
_WAITS = ("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait")


@dataclass(frozen=True, slots=True)
class CProgram:
    """A program, and what was taken for granted to get it: one sentence each."""

    program: Program
    assumptions: tuple[str, ...] = ()


def lower(module: l.Module, options: COptions, texts: Mapping[str, str]) -> CProgram:
    """``texts`` are those of the source files, for traces."""
    entry = choose_entry(module, options.entry)
    module.trusted = trusted_functions(module, options)
    call_constructors(module, entry)
    call_at_end(module, entry)
    lower_variadic(module)
    lower_stack_calls(module)
    lower_assembly(module)
    wrap_models(module)
    checks = Checks(options)
    _check_use(options, checks)
    outline_threads(module, deadlocks=checks.wants(DEADLOCK))
    lower_threads(module, entry)
    context = _analyse(module, entry, options, checks)
    check_model(options, has_threads=context.has_threads)
    names: dict[str, Names] = {}

    def fresh(name: str, owner: str) -> str:
        if owner == "":
            return context.names.fresh(name)
        return names.setdefault(owner, Names(context.names.__contains__)).fresh(name)

    if checks.wants(UNREACHABLE):
        context.unreturning = unreturning(module)
    if checks.wants(LOST):
        keep_roots(context)
    fold_constants(context)
    cells = declare_cells(module, context.memories, fresh)
    if checks.wants(UNWINDING):
        count_depths(context)
    if checks.wants(UNINITIALISED):
        mark_cells(context, cells)
    for cell in cells:
        if cell.owner == "" and cell.variable is not None:
            context.declare(cell.variable)
    if context.extents is not None:
        for memory in list(context.memories.all()):
            if (variable := context.extents.of(memory).variable) is not None:
                context.declare(variable)
        for variable in context.extents.declare_sizes():
            context.declare(variable)
    if checks.wants(LEAKS) or checks.wants(LOST):
        if checks.wants(LOST):
            context.roots = roots(context)
        context.blocks = var(context.names.fresh("allocated_blocks"), context.pointer)
        context.declare(context.blocks)
    made = {name: FunctionLowering(context, name).procedure() for name in context.facts.reachable}
    if context.has_threads:
        made = {name: balanced(procedure) for name, procedure in made.items()}
    ordered = {name: made[name] for name in module.functions if name in made}
    prologue = (*initial_values(context, cells), *initial_marks(cells, module.bits), *initial_depths(context))
    prologue = (*prologue, *_environment(context, cells))
    if context.races is not None:
        ordered = quiet_inside(ordered, context.races.marks())
        prologue = (*prologue, *context.races.initial())
        context.globals += context.races.marks()
    if context.extents is not None:
        prologue = (*prologue, *context.extents.initial())
    if context.blocks is not None:
        prologue = (*prologue, Assign((context.blocks,), (bv(0, context.module.bits),)))
    start = _start(ordered, entry, context, prologue)
    ordered[start.name] = start
    ordered, checked = checks.numbered(ordered)
    if options.only:
        ordered, checked = only_these(ordered, checked, options.only)
    if options.reach:
        ordered = all_violated(ordered)
    left_out = _left_out(context)
    program = Program(
        globals=tuple(context.globals),
        procedures=ordered,
        left_out=left_out,
        checked=checked,
        store_buffers=_store_buffers(context, cells),
        source=source_of(context, len(prologue), texts),
    )
    return CProgram(program, _assumptions(context))


def _store_buffers(context: Context, cells: Iterable[Cell]) -> StoreBuffers | None:
    """What the program itself stores waits, not what is kept about it."""
    if context.store_buffers is None:
        return None
    shared = [cell for cell in cells if cell.owner == ""]
    held = (variable for cell in shared for variable in (cell.variable, cell.mark) if variable is not None)
    return StoreBuffers(context.store_buffers, tuple(variable for variable in held if variable in context.global_set))


def _start(
    procedures: Mapping[str, Procedure], entry: str, context: Context, prologue: tuple[Statement, ...]
) -> Procedure:
    """The entry after the prologue; an entry that the program calls itself gets a procedure that calls it."""
    procedure = procedures[entry]
    first = procedure.entry
    if all(callee != entry for calls in context.facts.callees.values() for _, callee in calls):
        statements = (*prologue, *_command_line(procedure, context), *first.statements)
        blocks = {**procedure.blocks, first.label: replace(first, statements=statements)}
        return replace(procedure, blocks=blocks, is_entry=True)
    arguments, results = procedure.parameters, procedure.returns
    call = Call(entry, arguments, results, procedure.location)
    block = Block("start", (*prologue, *_command_line(procedure, context), call), ())
    return Procedure(
        name=f"{entry}.start",
        locals=(*arguments, *results),
        blocks={"start": block},
        is_entry=True,
        location=procedure.location,
    )


def _environment(context: Context, cells: Iterable[Cell]) -> Iterator[Statement]:
    """The system sets the variable, and nothing is known of what it leads to."""
    for name in ENVIRONMENTS:
        variable = context.module.globals.get(name)
        if variable is None or variable.initializer is not None:
            continue
        for cell in cells:
            is_it = [(made.kind, made.name) for made in cell.memory.region.objects] == [("global", name)]
            if is_it and cell.variable is not None and not cell.is_array:
                yield Havoc((cell.variable,), None, f"what {name} leads to")


def _command_line(procedure: Procedure, context: Context) -> tuple[Statement, ...]:
    """What the system promises main: ``argc`` is not negative and bounded by memory, ``argv[argc]`` is null."""
    if procedure.name != "main" or not procedure.parameters:
        return ()
    width = context.module.bits
    count = procedure.parameters[0]
    few = bits.compare(Op.BV_ULT, count, bv(1 << _ARGUMENTS_POWER, count.sort.width))
    conditions = [few]
    statements: list[Statement] = []
    if len(procedure.parameters) > 1:
        vector = procedure.parameters[1]
        parameter = context.module.functions["main"].parameters[1]
        region = context.points_to.region("main", l.Local(parameter.name, parameter.type))
        memory = context.memories.of(region)
        place = bv(1 << (width - 1), width)  # above all that is ever allocated
        if context.extents is not None:
            extent = context.extents.of(memory)
            place = extent.vector()
            size = bits.mul(bits.plus(bits.zero_extended(count, width), 1), bv(width // 8, width))
            made = extent.changed(place, bits.plus(size, 1))
            statements.append(Assign(tuple(made), tuple(made.values()), procedure.location))
        conditions.append(bits.same(vector, place))
        last = bits.add(vector, bits.mul(bits.zero_extended(count, width), bv(width // 8, width)))
        for cell, distance in memory.pieces(0, width // 8):
            if cell.is_array and cell.variable is not None:
                null = bits.same(select(cell.variable, bits.plus(last, distance)), bv(0, 8 * cell.size))
                conditions.append(null)
    if len(procedure.parameters) > 2:
        statements.append(Havoc(procedure.parameters[2:], procedure.location, _ENVIRONMENT))
    return (Assume(conj_all(conditions), procedure.location), *statements)


def _check_use(options: COptions, checks: Checks) -> None:
    """Raises `UsageError` for options of checks that are not made."""
    if checks.wants(UNWINDING) != (options.loop_bound is not None):
        raise UsageError("--check unwinding needs --loop-bound N, and the other way round")
    if options.malloc_may_fail and not any(map(checks.wants, _OF_MEMORY)):
        raise UsageError(f"--malloc-may-fail is for --check {' or '.join(_OF_MEMORY)}")


def _analyse(module: l.Module, entry: str, options: COptions, checks: Checks) -> Context:
    layout = Layout(module.bits)
    facts, points_to = _called_back(module, entry, follow_all=False)
    finder, memories = _find_memory(module, facts, points_to, layout)
    if not points_to.converts and computes_with_addresses(module, facts, points_to):
        facts, points_to = _called_back(module, entry, follow_all=False, follow_numbers=True)
        finder, memories = _find_memory(module, facts, points_to, layout)
    plain = points_to
    if hides_pointers(module, facts, points_to, memories):
        facts, points_to = _called_back(module, entry, follow_all=True)
        finder, memories = _find_memory(module, facts, points_to, layout)
    outside_frees = options.array_bounds  # as C allows; not in tasks of SV-COMP
    wants_lives = any(map(checks.wants, _OF_MEMORY))
    lives = Lives(module, facts, points_to, outside_frees=outside_frees) if wants_lives else None
    has_slots = lives is not None or (module.bits == 64 and orders_objects(module, facts, points_to))
    storage = Storage(module, facts, points_to, memories, layout, lives, has_slots=has_slots)
    constants = Constants(layout, storage.address, module.aliases)
    names = Names()
    names.fresh(COUNTER)
    alignments = Alignments(module, points_to, layout)
    context = Context(
        module, options, checks, layout, facts, points_to, finder, memories, storage, constants, names, alignments
    )
    context.plain_pointers = plain
    context.parts_of_pointers = parts_of_pointers(memories)
    if checks.wants(DATA_RACE) and facts.has_threads:
        context.races = Races(module, facts, finder, memories)
    if lives is not None:
        may_fail = options.malloc_may_fail
        context.allocation_can_fail = may_fail if may_fail is not None else not module.is_task
        context.extents = Extents(module, points_to, memories, storage, lives, names, layout)
    return context


def _called_back(
    module: l.Module, entry: str, *, follow_all: bool, follow_numbers: bool = False
) -> tuple[CallFacts, PointsTo]:
    """Again until no function comes into the reach of the outside that was not there before."""
    facts = CallFacts(module, entry)
    while True:
        points_to = PointsTo(module, facts, follow_all, follow_numbers=follow_numbers)
        callbacks = points_to.outside.callbacks
        if set(callbacks) <= set(facts.callbacks):
            return facts, points_to
        facts = CallFacts(module, entry, sorted({*facts.callbacks, *callbacks}))


def _find_memory(
    module: l.Module, facts: CallFacts, points_to: PointsTo, layout: Layout
) -> tuple[AccessFinder, MemoryMap]:
    offsets = Offsets(module, facts, points_to, layout)
    finder = AccessFinder(module, facts, points_to, offsets, layout)
    return finder, MemoryMap(points_to, finder.all())


def _uses_pointers(function: l.FunctionDefinition) -> bool:
    """Whether it is the program's own, and frees memory or accesses it other than by the name of a variable."""
    if is_ours(function):
        return False
    if any(isinstance(one.callee, l.GlobalRef) and one.callee.name == "free" for one in function.instructions()):
        return True
    own = {one.result for one in function.instructions() if one.opcode == "alloca"}
    accesses = (one for one in function.instructions() if one.opcode in ("load", "store"))
    pointers = (one.operands[-1] for one in accesses)
    return any(not isinstance(p, l.GlobalRef) and not (isinstance(p, l.Local) and p.name in own) for p in pointers)


def _handles_signals(function: l.FunctionDefinition) -> bool:
    """Whether it is the program's own, and says which of its functions runs when a signal comes."""
    calls = (one for one in function.instructions() if isinstance(one.callee, l.GlobalRef) and not is_ours(function))
    return any(
        name == "sigaction" or (name in _HANDLING and _may_be_function(call.operands[1]))
        for call in calls
        if isinstance(call.callee, l.GlobalRef) and (name := call.callee.name)
    )


def _may_be_function(value: l.Value) -> bool:
    return isinstance(value, l.Local) or any(l.references(value))


def _weak_places(context: Context) -> list[Location | None]:
    return weak_places(context.module.functions[name] for name in context.facts.reachable)


def _left_out(context: Context) -> tuple[str, ...]:
    said = left_out(context.options, _weak_places(context)) if context.has_threads else None
    return () if said is None else (said,)


def _assumptions(context: Context) -> tuple[str, ...]:
    told = [
        f"{name} leaves memory alone and returns any value, as {how} says"
        for name, how in trusted_calls(context.module, context.facts, context.options)
    ]
    functions = [context.module.functions[name] for name in context.facts.reachable]
    if context.extents is None and any(map(_uses_pointers, functions)):
        told.append("memory safety is not checked: out-of-bounds and dangling accesses are not detected")
    if context.allocates and not context.allocation_can_fail:
        told.append("memory that is asked for is always granted: malloc and the like never fail")
    if context.limited is not None:
        told.append(f"no object whose size is known only when it is made has more than {context.limited} bytes")
    if context.most_objects is not None and context.most_objects < _SO_MANY:
        whose = "thread" if context.has_threads else "execution"
        told.append(f"no {whose} makes more than {context.most_objects} objects")
    if context.grows_unknown_blocks:
        told.append("what realloc adds to a block of a size that is not known beforehand may be values of other blocks")
    if context.has_threads and (memory := assumed(context.options, _weak_places(context))) is not None:
        told.append(memory)
    if any(map(_handles_signals, functions)):
        told.append(
            "signals come only where the program sends one (raise, kill, alarm) or waits for one (pause, sigsuspend)"
        )
    if not context.options.spurious_wakeups and any(name.startswith(_WAITS) for name in context.facts.reachable):
        told.append("pthread_cond_wait returns only after a signal (--no-spurious-wakeups); POSIX allows otherwise")
    entry = context.module.functions[context.facts.entry]
    if entry.name != "main":
        told.insert(0, f"the program starts in {entry.name}")
    if entry.name != "main" and any(isinstance(parameter.type, l.PointerType) for parameter in entry.parameters):
        told.append(f"the pointers that {entry.name} is given point to memory of their own, or to nothing")
    return tuple(told)
