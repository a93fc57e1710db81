"""Calls: of functions with a body, through pointers, and of those that only have a meaning (`models`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.accesses import text_of
from cleave.frontends.c.analysis.calls import spawned
from cleave.frontends.c.analysis.models import ALLOCATIONS, Kind, kind_of
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.llvm.module import constant
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Terms
from cleave.frontends.c.lowering.copies import DEADLOCK
from cleave.frontends.c.lowering.operators import apply_intrinsic
from cleave.frontends.c.lowering.outside_calls import OutsideCalls
from cleave.frontends.c.lowering.threads import ATOMIC
from cleave.frontends.c.properties.built_in import ASSERTIONS
from cleave.frontends.c.properties.built_in import DEADLOCK as DEADLOCK_PROPERTY
from cleave.ir.program import Assign, Assume, AtomicBegin, AtomicEnd, Call, Havoc, Join, Self, Spawn
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import FALSE, Op, Term, bv, conj_all, disj_all, ite, neg

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

_FENCES = frozenset(("mfence", "lfence", "sfence"))  # memory is sequentially consistent without
_REFUSALS = {
    Kind.REFUSED_THREADS: "{name} is not supported",
    Kind.REFUSED_FLOAT: "{name} is not supported: mathematics, or an operation that C programs rarely use",
    Kind.REFUSED_VARIADIC: "functions that read a variable number of arguments (va_start) are not supported",
    Kind.REFUSED_VERIFIER: "{name} is not supported: it is built into another verifier",
    Kind.REFUSED_ROUNDING: "{name} is not supported: numbers are always rounded to nearest",
    Kind.REFUSED_JUMP: "{name} is not supported: control leaves the function",
}


class CallLowering:
    def __init__(self, function: FunctionLowering) -> None:
        self._function = function
        self._context = function.context
        self._body = function.body
        self._registers = function.registers
        self._memory = function.memory
        self._ranges = function.ranges
        self._outside = OutsideCalls(function)

    def call(self, instruction: l.Instruction) -> None:
        callee = self._context.facts.resolve(instruction.callee)
        match callee:
            case l.InlineAssembly(text):
                self._assembly(instruction, text)
            case l.GlobalRef(name):
                self._registers.define(instruction.result, self._named(instruction, name))
            case None:
                raise unsupported("a call without a callee", self._function.place())
            case _:
                self._indirect(instruction, callee)

    def _assembly(self, instruction: l.Instruction, text: str) -> None:
        if (text.strip() and text.strip() not in _FENCES) or not isinstance(instruction.type, l.VoidType):
            raise unsupported("assembly code is not supported", self._function.place())

    def _named(self, instruction: l.Instruction, name: str) -> Terms:
        """The call's value."""
        module = self._context.module
        kind = kind_of(name, module)
        function = module.functions.get(name)
        if kind is not None:
            return self._modelled(instruction, name, kind)
        assert function is not None
        return self._defined(instruction, function)

    def _sorts(self, type: l.Type) -> tuple[Sort, ...]:
        return self._context.sorts(type, self._body.location)

    def _any(self, instruction: l.Instruction, hint: str, function: str = "") -> Terms:
        if instruction.result is None or not self._registers.is_used(instruction.result):
            return ()
        made = tuple(self._body.any(hint, sort, function) for sort in self._sorts(instruction.type))
        if self._function.pointers is not None and isinstance(instruction.type, l.PointerType):
            self._function.pointers.received(l.Local(instruction.result, instruction.type), made[0])
        return made

    # --- functions with a body --------------------------------------------------------------------------------------

    def _defined(self, instruction: l.Instruction, function: l.FunctionDefinition) -> Terms:
        given = [term for operand in instruction.operands for term in self._function.terms(operand)]
        expected = [sort for parameter in function.parameters for sort in self._sorts(parameter.type)]
        arguments = self._adapted(given, expected)
        returned = self._sorts(function.type.result)
        results = tuple(self._body.local(f"{function.name}.result", sort) for sort in returned)
        self._registers.before_change(self._context.global_set.__contains__)
        is_atomic = self._context.has_threads and function.name.startswith(ATOMIC)
        if is_atomic:
            self._body.emit(AtomicBegin(self._body.location))
        self._body.emit(Call(function.name, tuple(arguments), results, self._body.location))
        if is_atomic:
            self._body.emit(AtomicEnd(self._body.location))
        return tuple(self._adapted(results, self._sorts(instruction.type)))

    def _adapted(self, terms: Sequence[Term], sorts: Sequence[Sort]) -> list[Term]:
        """Old C calls functions with too few or too many arguments, or of other widths."""
        adapted = []
        for position, sort in enumerate(sorts):
            if position >= len(terms):
                adapted.append(self._body.any("missing_argument", sort))
                continue
            term = terms[position]
            if term.sort is not sort:
                width = 1 if sort is BOOL else sort.width
                have = 1 if term.sort is BOOL else term.sort.width
                term = bits.zero_extended(term, width) if width > have else bits.truncated(term, width)
            adapted.append(term)
        return adapted

    # --- through a pointer ------------------------------------------------------------------------------------------

    def _indirect(self, instruction: l.Instruction, callee: l.Value) -> None:
        """One branch for each function it can be; a pointer to none of them ends the execution."""
        pointer = self._function.term(callee)
        outside = self._context.points_to.outside
        targets, may_be_unknown = outside.targets(self._function.function.name, instruction)
        results: Terms = ()
        if instruction.result is not None:
            results = self._registers.reserve(instruction.result, self._sorts(instruction.type))
        body, location = self._body, self._body.location
        self._registers.before_change(lambda _: True)
        labels = {name: body.labels.fresh(f"call.{name}") for name in targets}
        unknown = [body.labels.fresh("call.unknown")] if may_be_unknown else []
        after = body.labels.fresh("call.end")
        self._check_callee(callee, pointer)
        body.finish(*labels.values(), *unknown)
        known = {
            name: bits.same(pointer, bv(self._context.storage.address(name), pointer.sort.width)) for name in targets
        }
        for name, label in labels.items():
            body.start(label, location)
            body.emit(Assume(known[name], location))
            values = self._named(instruction, name)
            if results:
                body.emit(Assign(results, tuple(self._adapted(values, [r.sort for r in results])), location))
            body.finish(after)
        for label in unknown:
            body.start(label, location)
            body.emit(Assume(conj_all(neg(condition) for condition in known.values()), location))
            name = f"the function called through a pointer at {self._function.place()}"
            self._outside.call(name)
            if results:
                body.emit(Havoc(results, location, name))
            body.finish(after)
        body.start(after, location)

    def _check_callee(self, callee: l.Value, pointer: Term) -> None:
        checks = self._function.pointers
        if checks is not None:
            region = self._context.points_to.region(self._function.function.name, callee)
            names = [made.name for made in region.objects if made.kind == "function"]
            address = self._context.storage.address
            checks.called(callee, pointer, [bv(address(name), pointer.sort.width) for name in names])

    # --- models -----------------------------------------------------------------------------------------------------

    def _modelled(self, instruction: l.Instruction, name: str, kind: Kind) -> Terms:
        if kind in _REFUSALS:
            raise unsupported(_REFUSALS[kind].format(name=name), self._function.place())
        if kind in ALLOCATIONS:
            return self._allocate(instruction, kind)
        location = self._body.location
        match kind:
            case Kind.VIOLATION:
                self._violation(instruction, name)
                self._body.stop()
            case Kind.ASSERT if self._context.checks.wants(ASSERTIONS):
                self._function.check(ASSERTIONS, self._condition(instruction), self._message(instruction, name))
            case Kind.ASSERT:  # one that fails just ends the program
                self._body.emit(Assume(self._condition(instruction), location))
            case Kind.ASSUME:
                self._body.emit(Assume(self._condition(instruction), location))
            case Kind.STOP:
                self._body.stop()
            case Kind.COPY | Kind.FILL | Kind.ZERO:
                return self._range(instruction, kind)
            case Kind.SCAN | Kind.FILE_SCAN:
                self._scan(instruction, name, kind)
            case Kind.HAVOC:
                self._havoc(instruction, name)
            case Kind.FREE:
                self._free(instruction.operands[0])
            case Kind.SCOPE_BEGIN | Kind.SCOPE_END:
                self._scope(instruction.operands[-1], begins=kind is Kind.SCOPE_BEGIN)
            case Kind.SUCCESS:
                return tuple(bv(0, sort.width) for sort in self._sorts(instruction.type) if sort is not BOOL)
            case Kind.SPAWN | Kind.JOIN | Kind.SELF | Kind.ATOMIC_BEGIN | Kind.ATOMIC_END:
                return self._thread_operation(instruction, kind)
            case Kind.OUTSIDE:
                self._outside.call(name)
                return self._any(instruction, name, name)
            case Kind.DOUBTFUL:
                return self._any(instruction, name, name)
            case Kind.FIRST:
                return self._function.terms(instruction.operands[0])
            case Kind.COMPUTE:
                operands = tuple(self._function.term(operand) for operand in instruction.operands)
                computed = apply_intrinsic(name, operands)
                if computed is None:
                    raise unsupported(f"{name} is not supported", self._function.place())
                return computed
            case _:
                pass
        return self._any(instruction, name)

    def _violation(self, instruction: l.Instruction, name: str) -> None:
        """To get here is a violation, if the property is looked for."""
        property = DEADLOCK_PROPERTY if name == DEADLOCK else ASSERTIONS
        if self._context.checks.wants(property):
            self._function.check(property, FALSE, self._message(instruction, name))

    def _thread_operation(self, instruction: l.Instruction, kind: Kind) -> Terms:
        body = self._body
        if not self._context.has_threads:
            if kind is Kind.JOIN:
                body.stop()
            return tuple(bv(0, sort.width) for sort in self._sorts(instruction.type))
        made = tuple(body.local("thread", sort) for sort in self._sorts(instruction.type))
        match kind:
            case Kind.SPAWN:
                self._spawn(instruction, made[0])
            case Kind.JOIN:
                body.emit(Join(self._function.term(instruction.operands[0]), body.location))
            case Kind.SELF:
                body.emit(Self(made[0], body.location))
            case Kind.ATOMIC_BEGIN:
                body.emit(AtomicBegin(body.location))
            case _:
                body.emit(AtomicEnd(body.location))
        return made

    def _spawn(self, instruction: l.Instruction, number: Term) -> None:
        name = spawned(instruction)
        assert name is not None
        function = self._context.module.functions[name]
        given = [term for operand in instruction.operands[1:] for term in self._function.terms(operand)]
        expected = [sort for parameter in function.parameters for sort in self._sorts(parameter.type)]
        self._body.emit(Spawn(name, tuple(self._adapted(given, expected)), number, self._body.location))

    def _scan(self, instruction: l.Instruction, name: str, kind: Kind) -> None:
        """Also where fewer values are read than asked for: then the old value is one of those that are possible."""
        pointers = self._context.finder.scanned(instruction, kind)
        if pointers is None:
            raise unsupported(f"{name} with this format is not supported", self._function.place())
        for pointer, size in pointers:
            self._check(pointer, bv(size, self._context.module.bits), writes=True)
            self._memory.scan(pointer, self._function.term(pointer), size)

    def _havoc(self, instruction: l.Instruction, name: str) -> None:
        size = constant(instruction.operands[1])
        if size is None:
            raise unsupported(f"{name} is supported only with a constant size", self._function.place())
        pointer = instruction.operands[0]
        self._check(pointer, bv(size, self._context.module.bits), writes=True)
        self._memory.scan(pointer, self._function.term(pointer), size)

    def _condition(self, instruction: l.Instruction) -> Term:
        term = self._function.term(instruction.operands[0])
        return term if term.sort is BOOL else bits.differ(term, bv(0, term.sort.width))

    def _message(self, instruction: l.Instruction, name: str) -> str:
        """What the program says about the assertion, if it says something."""
        if name == DEADLOCK:
            return "deadlock: all threads that have not ended wait for ever"
        if name.startswith("__assert") or name in ("_assert", "__CPROVER_assert", "__ESBMC_assert"):
            for operand in instruction.operands:
                text = text_of(operand, self._context.module)
                if text:
                    return f"assertion {text}"
        return f"{name} is reached" if kind_of(name, self._context.module) is Kind.VIOLATION else f"{name} fails"

    # --- memory -----------------------------------------------------------------------------------------------------

    def _size(self, value: l.Value) -> Term:
        """Clang sometimes fills with 64 bit sizes on 32 bit, too."""
        size, width = self._function.term(value), self._context.module.bits
        return bits.truncated(bits.zero_extended(size, max(width, size.sort.width)), width)

    def _range(self, instruction: l.Instruction, kind: Kind) -> Terms:
        operands = instruction.operands
        to = self._function.term(operands[0])
        self._check_range(instruction, kind)
        match kind:
            case Kind.COPY:
                source = self._function.term(operands[1])
                self._ranges.copy(operands[0], to, operands[1], source, self._size(operands[2]))
            case Kind.FILL:
                byte = bits.truncated(self._function.term(operands[1]), 8)
                self._ranges.fill(operands[0], to, byte, self._size(operands[2]))
            case _:
                self._ranges.fill(operands[0], to, bv(0, 8), self._size(operands[1]))
        return (to,) if instruction.result is not None else ()

    def _scope(self, local: l.Value, *, begins: bool) -> None:
        extents = self._context.extents
        if extents is None or not isinstance(local, l.Local):
            return
        made = Object("alloca", local.name, self._function.function.name)
        if extents.is_scoped(made):
            size = self._context.storage.size(made) or 0
            self._memory.set_life(made, self._function.term(local), size + 1 if begins else 0)

    def _check_range(self, instruction: l.Instruction, kind: Kind) -> None:
        operands = instruction.operands
        size = self._size(operands[1] if kind is Kind.ZERO else operands[2])
        self._check(operands[0], size, writes=True)
        if kind is Kind.COPY:
            self._check(operands[1], size, writes=False)

    def _check(self, pointer: l.Value, size: Term, *, writes: bool) -> None:
        checks = self._function.pointers
        if checks is not None:
            checks.conclude(checks.range(pointer, self._function.term(pointer), size, writes=writes))

    def _free(self, pointer: l.Value, unless: Term = FALSE) -> None:
        checks = self._function.pointers
        if checks is not None:
            checks.free(pointer, self._function.term(pointer), unless)

    def _allocate(self, instruction: l.Instruction, kind: Kind) -> Terms:
        if instruction.result is None:
            return ()
        self._context.allocates = True
        width = self._context.module.bits
        operands = instruction.operands
        made = Object("heap", instruction.result, self._function.function.name)
        placement = self._context.storage.placements.get(made)
        size = self._size(operands[1] if kind in (Kind.ALLOCATE_ALIGNED, Kind.REALLOCATE) else operands[0])
        if kind is Kind.ALLOCATE_ZERO:
            size = bits.mul(size, self._size(operands[1]))
        fails = self._fails(instruction, kind, size, made)
        if placement is not None and placement.address is not None:
            address: Term = bv(placement.address, width)
            self._memory.begin(made, address, size)
        else:
            alignment = self._size(operands[0]) if kind is Kind.ALLOCATE_ALIGNED else bv(1, width)
            address = self._memory.allocate(size, alignment, made)
        pointer = l.Local(instruction.result, l.POINTER)
        if kind in (Kind.ALLOCATE_ZERO, Kind.ALLOCATE_ONE_ZERO):
            self._ranges.fill(pointer, address, bv(0, 8), size, is_new=True)
        elif kind is Kind.REALLOCATE:
            old = self._function.term(operands[0])
            self._ranges.copy(pointer, address, operands[0], old, size, self._size_of_block(operands[0], old, size))
            self._free(operands[0], unless=fails)
        if fails is FALSE:
            return (address,)
        given = self._body.local("given", address.sort)
        self._body.emit(Assign((given,), (ite(fails, bv(0, width), address),), self._body.location))
        return (given,)

    def _fails(self, instruction: l.Instruction, kind: Kind, size: Term, made: Object) -> Term:
        """Whether no memory is given: at any time where that is considered, and always where the size is no size."""
        too_large = self._memory.is_too_large(size, made)
        if not self._context.allocation_can_fail:
            if too_large is not FALSE:
                self._body.emit(Assume(neg(too_large), self._body.location))
            return FALSE
        name = instruction.callee.name if isinstance(instruction.callee, l.GlobalRef) else "allocation"
        reasons = [self._body.any(f"{name}.fails", BOOL), too_large]
        if kind is Kind.ALLOCATE_ZERO:
            count, size = (self._size(operand) for operand in instruction.operands[:2])
            width = self._context.module.bits
            most = bits.binary(Op.BV_UDIV, bv(-1, width), size) if size.is_value and size.value else None
            half = bv(1 << width // 2, width)
            small = (bits.compare(Op.BV_ULT, one, half) for one in (count, size))
            fits = bits.compare(Op.BV_ULE, count, most) if most is not None else conj_all(small)
            reasons.append(neg(fits))
        return disj_all(reasons)

    def _size_of_block(self, pointer: l.Value, address: Term, unknown: Term) -> Term:
        """How much `realloc` has to copy: what is beyond the old block holds any values. A block that has no address of
        its own has at most the largest size of these, where all are known."""
        storage, width = self._context.storage, address.sort.width
        if self._context.extents is not None:
            extent = self._context.extents.of(self._memory.place(pointer)[0])
            found = bits.plus(extent.of(address), -1)
            return ite(bits.same(address, bv(0, width)), bv(0, width), found)
        fixed: list[tuple[int, int]] = []
        moving: list[int | None] = []
        for made in self._memory.place(pointer)[0].region.objects:
            placement, size = storage.placements.get(made), storage.size(made)
            if placement is None or placement.address is None or size is None:
                moving.append(size)
            else:
                fixed.append((placement.address, size))
        known = [size for size in moving if size is not None]
        found = bv(max(known), width) if known and len(known) == len(moving) else unknown
        self._context.grows_unknown_blocks |= len(known) < len(moving) or len(set(known)) > 1
        for place, size in fixed:
            found = ite(bits.same(address, bv(place, width)), bv(size, width), found)
        return found
