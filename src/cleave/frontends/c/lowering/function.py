"""One function to one procedure, instruction by instruction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.clang.library import is_defined_everywhere, is_ours
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.lowering import bits, marks
from cleave.frontends.c.lowering.addresses import element_pointer
from cleave.frontends.c.lowering.body import Body, Names, Registers, Terms
from cleave.frontends.c.lowering.call import CallLowering
from cleave.frontends.c.lowering.checks import At
from cleave.frontends.c.lowering.compiler_checks import meaning
from cleave.frontends.c.lowering.context import Context, has_vector
from cleave.frontends.c.lowering.control import ControlLowering
from cleave.frontends.c.lowering.memory import MemoryAccess
from cleave.frontends.c.lowering.memory_model import fence_before, fence_of, is_in_block
from cleave.frontends.c.lowering.missing_return import sets_value
from cleave.frontends.c.lowering.numbers import PLACES, Numbers
from cleave.frontends.c.lowering.operators import apply_binary, apply_cast, apply_comparison, is_binary, update
from cleave.frontends.c.lowering.parameters import parameter_cells
from cleave.frontends.c.lowering.pointers import NOTHING, PointerChecks, Step
from cleave.frontends.c.lowering.races import is_atomic_access
from cleave.frontends.c.lowering.ranges import RangeAccess
from cleave.frontends.c.lowering.roots import HELD, may_hold
from cleave.frontends.c.lowering.rounds import Rounds
from cleave.frontends.c.properties.built_in import DIVISION, LEAKS, LOST, SHIFT, UNINITIALISED
from cleave.ir.program import Assign, Assume, AtomicBegin, AtomicEnd, Block, Fence, Location, Procedure
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, conj, disj, ite, neg, var
from cleave.logic.walk import free_variables

_ERROR_LABEL = "ERROR"
_DEFINING = ("division_by_zero", "shift_amount")  # checks after which an operator's result is defined
_CHECKED_BY = {
    **dict.fromkeys(("sdiv", "srem", "udiv", "urem"), DIVISION),
    **dict.fromkeys(("shl", "lshr", "ashr"), SHIFT),
}
_FLOAT_OPERATIONS = frozenset(
    (
        *("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fcmp"),
        *("fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"),
    )
)
_FLOAT_REFUSAL = "floating-point arithmetic on long double, and the remainder, are not supported"
_MOVES = frozenset(("load", "store", "call", "extractvalue", "insertvalue", "freeze"))
_CASTS = frozenset(("trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "ptrtoaddr"))


class FunctionLowering:
    def __init__(self, context: Context, name: str) -> None:
        self.context = context
        self.function = context.module.functions[name]
        self.body = Body(Names(context.names.__contains__))
        self.registers = Registers(self.body, self.function)
        self.memory = MemoryAccess(context, name, self.body, self.registers)
        self.pointers = PointerChecks(self, context.extents) if context.extents is not None else None
        self.numbers = Numbers(self)
        self.ranges = RangeAccess(context, self.memory, self.body, self.registers)
        self.calls = CallLowering(self)
        self.control = ControlLowering(self)
        self.rounds = Rounds(self)
        self.returns: tuple[Term, ...] = ()
        self._returned: Term | None = None  # whether there was a return statement, where that is not sure
        self._defined: set[tuple[str, l.Value]] = set()  # divisors and amounts that were checked, by property
        self._widened = {i.result: i.operands[0] for i in self.function.instructions() if i.opcode in ("zext", "sext")}
        self._before = () if is_ours(self.function) else context.checks.before
        self._operands: dict[str, Terms] = {}  # of the instruction that is being lowered

    def procedure(self) -> Procedure:
        function, body = self.function, self.body
        for register in (i.result for i in function.instructions() if i.opcode == "alloca" and i.result):
            for cell in self._own_cells(register):
                body.names.fresh(cell.name)
                body.locals.append(cell)
        parameters = self._parameters()
        self.returns = tuple(
            var(body.names.fresh("result"), sort)
            for sort in self.context.sorts(function.type.result, function.location)
        )
        if function.name in self.context.unreturning:
            self._returned = var(body.names.fresh("returned"), BOOL)
        for label in function.blocks:
            body.labels.fresh(label)
        first = next(iter(function.blocks))
        for block in function.blocks.values():
            self._block(block, is_first=block.label == first)
        return Procedure(
            name=function.name,
            parameters=parameters,
            returns=self.returns if self._returned is None else (*self.returns, self._returned),
            locals=tuple(body.locals),
            blocks=self._in_order(),
            location=function.location,
        )

    def _own_cells(self, register: str) -> list[Term]:
        """The locals that hold the object of an alloca."""
        made = Object("alloca", register, self.function.name)
        memory = self.context.memories.of(self.context.points_to.region_of_object(made))
        if not memory.single:
            return []
        own = [cell.variable for cell in memory.cells.values() if cell.owner == self.function.name]
        own += [cell.mark for cell in memory.cells.values() if cell.owner == self.function.name]
        return [variable for variable in own if variable is not None and variable not in self.body.locals]

    def _parameters(self) -> tuple[Term, ...]:
        """A parameter that is stored once, where its local starts, is that local."""
        made: list[Term] = []
        stored = parameter_cells(self.context, self.function)
        for parameter in self.function.parameters:
            sorts = self.context.sorts(parameter.type, self.function.location)
            cell = stored.get(parameter.name)
            if cell is not None and cell.variable is not None and (cell.variable.sort,) == sorts:
                self.body.locals.remove(cell.variable)
                terms: Terms = (cell.variable,)
            else:
                terms = tuple(var(self.body.names.fresh(parameter.name), sort) for sort in sorts)
            self.registers.keep(parameter.name, terms)
            made += terms
        return tuple(made)

    def _in_order(self) -> dict[str, Block]:
        first = next(iter(self.function.blocks))
        return {first: self.body.blocks[first], **self.body.blocks}

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _block(self, block: l.BasicBlock, *, is_first: bool) -> None:
        body, registers = self.body, self.registers
        located = (i.location for i in block.instructions if i.location is not None)
        place = next(located, None)
        body.start(block.label, place)
        registers.enter(block)
        if is_first:
            self.memory.begin_frame()
            body.statements.extend(self.rounds.entered(self.function.location))
            if self._returned is not None:
                body.emit(Assign((self._returned,), (FALSE,), self.function.location))
        if block.label == _ERROR_LABEL and self.context.looks_for_labels:
            body.location = place or self.function.location
            self.check(self.context.label_property, FALSE, f"label {block.label} is reached")
        for position, instruction in enumerate(block.instructions):
            registers.at(position)
            body.location = instruction.location
            self._operands = {} if instruction.opcode == "phi" else self._values_used(instruction)
            self._operands |= self.numbers.seen_by(instruction)
            for property, before in self._before:
                before(At(property, self), instruction)
            if self._returned is not None and sets_value(instruction):
                body.emit(Assign((self._returned,), (TRUE,), instruction.location))
            if instruction.opcode in ("br", "switch", "indirectbr", "ret", "unreachable"):
                self.control.end(block, instruction)
                return
            if instruction.opcode != "phi":
                self._instruction(instruction)

    def _values_used(self, instruction: l.Instruction) -> dict[str, Terms]:
        """What the operands stand for when the instruction starts: it may change what they depend on."""
        values = instruction.operands if instruction.callee is None else (*instruction.operands, instruction.callee)
        locals_used = [value for value in values if isinstance(value, l.Local)]
        return {value.name: self.registers.get(value.name, self._sorts(value.type)) for value in locals_used}

    def check(self, property: str, condition: Term, message: str, values: Terms = ()) -> None:
        """Here ``condition`` must hold; where it does not, the execution ends."""
        for made in self.context.checks.places(property, condition, message, self.body.location, values):
            self.body.emit(made)

    def end_program(self) -> None:
        """Nothing is left when the program ends."""
        context, blocks = self.context, self.context.blocks
        if blocks is None:
            return
        freed, text = (
            bits.same(blocks, bv(0, blocks.sort.width)),
            "memory is not freed when the program ends; blocks that are left: {0:unsigned}",
        )
        if context.checks.wants(LEAKS):
            self.check(LEAKS, freed, text, (blocks,))
        if context.checks.wants(LOST):
            held = may_hold(context.roots)
            tracked = FALSE if held is FALSE else conj(held, self.body.any("held", BOOL, HELD))
            self.check(LOST, disj(freed, tracked), text, (blocks,))

    # --- values -----------------------------------------------------------------------------------------------------

    def term(self, value: l.Value) -> Term:
        (found,) = self.terms(value)
        return found

    def terms(self, value: l.Value) -> Terms:
        """The scalars that ``value`` stands for here."""
        match value:
            case l.Local(name):
                found = self._operands.get(name)
                return self.registers.get(name, self._sorts(value.type)) if found is None else found
            case l.ConstAggregate(_, elements):
                return tuple(term for element in elements for term in self.terms(element))
            case l.ConstBytes(_, content):
                return tuple(bv(byte, 8) for byte in content)
            case _ if self.numbers.looks(value):
                return tuple(self.body.any("address", sort, PLACES) for sort in self._sorts(value.type))
            case _:
                number = self._number(value)
                return tuple(self._constant(number, sort) for sort in self._sorts(value.type))

    def _number(self, value: l.Value) -> int | None:
        try:
            return self.context.constants.number(value)
        except UnsupportedError as error:
            raise unsupported(error.message, self.place()) from None

    def _constant(self, number: int | None, sort: Sort) -> Term:
        if number is None:
            return self.body.any("undefined", sort)
        return bits.from_bits(bv(number, 1)) if sort is BOOL else bv(number, sort.width)

    def _sorts(self, type: l.Type) -> tuple[Sort, ...]:
        return self.context.sorts(type, self.body.location)

    # --- instructions -----------------------------------------------------------------------------------------------

    def _instruction(self, instruction: l.Instruction) -> None:
        opcode, operands, result = instruction.opcode, instruction.operands, instruction.result
        if opcode in _FLOAT_OPERATIONS:
            raise unsupported(_FLOAT_REFUSAL, self.place())
        if isinstance(instruction.type, l.OpaqueType) or self._computes_with_vectors(instruction):
            raise unsupported("vectors and va_arg are not supported", self.place())
        if is_binary(opcode):
            self.registers.define(result, (self._binary(instruction),))
        elif opcode in _CASTS:
            (sort,) = self._sorts(instruction.type)
            width = 1 if sort is BOOL else sort.width
            seen = self.numbers.cast(instruction)
            cast = apply_cast(opcode, self.term(operands[0]), width) if seen is None else seen
            self.registers.define(result, (cast,))
        else:
            self._other(instruction)

    def _computes_with_vectors(self, instruction: l.Instruction) -> bool:
        types = (instruction.type, *(operand.type for operand in instruction.operands))
        return any(has_vector(type, moved=instruction.opcode in _MOVES) for type in types)

    def place(self) -> Location | None:
        return self.body.location or self.function.location

    def _binary(self, instruction: l.Instruction) -> Term:
        if (seen := self.numbers.binary(instruction)) is not None:
            return seen
        a, b = (self.term(operand) for operand in instruction.operands)
        if self._is_defined(instruction):
            return apply_binary(instruction.opcode, a, b, None)
        return apply_binary(instruction.opcode, a, b, lambda what: self.body.any(what, a.sort))

    def _is_defined(self, instruction: l.Instruction) -> bool:
        """Whether a check before has made sure that C defines the result, or the library itself."""
        if is_defined_everywhere(self.function):
            return True
        property = _CHECKED_BY.get(instruction.opcode)
        amount = instruction.operands[1]
        if property is None or not self._defined:
            return False
        made = self._widened.get(amount.name) if isinstance(amount, l.Local) else None
        return (property, amount) in self._defined or (property, made) in self._defined

    def _other(self, instruction: l.Instruction) -> None:
        operands, result = instruction.operands, instruction.result
        define = self.registers.define
        match instruction.opcode:
            case "icmp":
                seen = self.numbers.comparison(instruction)
                exact = apply_comparison(instruction.predicate, *map(self.term, operands)) if seen is None else seen
                define(result, (exact,))
            case "load":
                self._load(instruction)
            case "store":
                stored, address = self.terms(operands[0]), self.term(operands[1])
                atomic = is_atomic_access(instruction)
                step = self._checked(operands[1], address, operands[0].type, writes=True)
                with self._ordered(instruction):
                    self.memory.store(operands[0].type, stored, operands[1], address, also=step.values, atomic=atomic)
                self._conclude(step)
            case "getelementptr":
                made = element_pointer(self.context, instruction, self.term)
                define(result, (made if self.pointers is None else self.pointers.follow(instruction, made),))
            case "alloca":
                self._alloca(instruction)
            case "select":
                condition, then, other = (self.terms(operand) for operand in operands)
                chosen = (bits.ite_bool(condition[0], a, b) for a, b in zip(then, other, strict=True))
                define(result, tuple(chosen))
            case "freeze":
                define(result, self.terms(operands[0]))
            case "extractvalue" | "insertvalue":
                self._aggregate(instruction)
            case "atomicrmw" | "cmpxchg":
                self._atomic(instruction)
            case "call":
                self.calls.call(instruction)
            case "check":
                self._check(instruction)
            case "fence":
                self.fence(fence_of(self.context.store_buffers, instruction))
            case opcode:
                raise unsupported(f"the LLVM instruction {opcode!r} is not supported", self.place())

    def _check(self, instruction: l.Instruction) -> None:
        assert instruction.check is not None
        terms = tuple(self.term(operand) for operand in instruction.operands)
        found = meaning(instruction.check, terms)
        asked = [name for name in found.properties if self.context.checks.wants(name)] if found is not None else []
        if found is not None and asked:
            self.check(asked[0], found.condition, found.message, terms)
            if instruction.check.kind in _DEFINING:
                self._defined.add((asked[0], instruction.operands[1]))

    def fence(self, made: Fence | None) -> None:
        if made is not None:
            self.body.emit(replace(made, location=self.body.location))

    @contextmanager
    def _ordered(self, instruction: l.Instruction) -> Iterator[None]:
        """Around a store: what store buffers need to know of its order."""
        self.fence(fence_before(self.context.store_buffers, instruction))
        in_block = is_in_block(self.context.store_buffers, instruction)
        if in_block:
            self.body.emit(AtomicBegin(self.body.location))
        yield
        if in_block:
            self.body.emit(AtomicEnd(self.body.location))

    def _load(self, instruction: l.Instruction) -> None:
        pointer, address = instruction.operands[0], self.term(instruction.operands[0])
        step = self._checked(pointer, address, instruction.type, writes=False)
        self._check_set(instruction, address)
        loaded = self.numbers.loaded(instruction, self.memory.load(instruction.type, pointer, address))
        if self.context.has_threads and instruction.result is not None:
            globals_read = self.context.global_set.intersection(free_variables(*loaded))
            if globals_read:  # now, and in a step of its own: the next may be another thread's
                kept = self.registers.reserve(instruction.result, (term.sort for term in loaded))
                touched = self.memory.touched(instruction.type, pointer, address)
                targets, values = (*kept, *step.values), (*loaded, *step.values.values())
                self.memory.read(targets, values, touched, atomic=is_atomic_access(instruction))
                self._conclude(step)
                self._note_loaded(instruction, address)
                return
        if step.values:
            self.body.emit(Assign(tuple(step.values), tuple(step.values.values()), self.body.location))
            self._conclude(step)
        self.registers.define(instruction.result, loaded)
        self._note_loaded(instruction, address)

    def _check_set(self, instruction: l.Instruction, address: Term) -> None:
        """A program reads only what was set."""
        if self.context.checks.wants(UNINITIALISED):
            is_set = marks.condition(self, instruction, address)
            if is_set is not None:
                self.check(UNINITIALISED, is_set, "memory is read that was never set")

    def _note_loaded(self, instruction: l.Instruction, address: Term) -> None:
        if self.pointers is not None and instruction.result is not None and isinstance(instruction.type, l.PointerType):
            result = l.Local(instruction.result, instruction.type)
            if self.registers.is_used(result.name):
                (term,) = self.registers.get(result.name, (self.context.pointer,))
                self.pointers.loaded(instruction.operands[0], address, result, term)

    def _checked(self, pointer: l.Value, address: Term, type: l.Type, *, writes: bool) -> Step:
        if self.pointers is None:
            return NOTHING
        return self.pointers.access(pointer, address, self.context.layout.stored(type), writes=writes)

    def _conclude(self, step: Step) -> None:
        if step.after is not None:
            self.body.emit(step.after)

    def _alloca(self, instruction: l.Instruction) -> None:
        assert instruction.result is not None
        assert instruction.source is not None
        made = Object("alloca", instruction.result, self.function.name)
        placement = self.context.storage.placements.get(made)
        width = self.context.module.bits
        if placement is not None and placement.address is not None:
            if placement.refresh:
                self.memory.refresh(made)
            self.memory.unset(made)
            fixed = bv(placement.address, width)
            self.registers.define(instruction.result, (fixed,))
            self.memory.begin(made, fixed, bv(placement.size or 0, width))
            return
        count = bits.zero_extended(self.term(instruction.operands[0]), width)
        element = self.context.layout.size(instruction.source)
        size = bits.mul(count, bv(element, width))
        wraps = neg(bits.compare(Op.BV_ULE, count, bv(((1 << width) - 1) // max(element, 1), width)))
        too_large = disj(wraps, self.memory.is_too_large(size, made))
        if too_large is not FALSE:
            self.body.emit(Assume(neg(too_large), self.body.location))
        self.memory.doubt_again(made)
        allocated = self.memory.allocate(size, bv(instruction.alignment, width), made)
        self.registers.define(instruction.result, (allocated,))

    def renew(self, name: str, made: Object) -> None:
        """A local is another object from now on: its block begins again, and pointers to it may be left."""
        (place,) = self.terms(l.Local(name, l.POINTER))
        size = bv(self.context.storage.size(made) or 0, self.context.module.bits)
        allocated = self.memory.allocate(size, bv(1, self.context.module.bits), made)
        self.registers.before_change(lambda variable: variable is place)
        self.registers.define(name, (allocated,))

    def _aggregate(self, instruction: l.Instruction) -> None:
        """The scalars of an element are a stretch of those of the whole."""
        layout = self.context.layout
        type: l.Type = instruction.operands[0].type
        start = 0
        for index in instruction.indices:
            before = [layout.element(type, earlier)[1] for earlier in range(index)]
            start += sum(len(layout.leaves(part)) for part in before)
            _, type = layout.element(type, index)
        count = len(layout.leaves(type))
        whole = self.terms(instruction.operands[0])
        if instruction.opcode == "extractvalue":
            self.registers.define(instruction.result, whole[start : start + count])
        else:
            element = self.terms(instruction.operands[1])
            self.registers.define(instruction.result, (*whole[:start], *element, *whole[start + count :]))

    def _atomic(self, instruction: l.Instruction) -> None:
        pointer, operand = instruction.operands[:2]
        address = self.term(pointer)
        step = self._checked(pointer, address, operand.type, writes=True)
        (before,) = self.memory.load(operand.type, pointer, address)
        saved = self.body.local("before", before.sort)
        succeeds = TRUE
        if instruction.opcode == "cmpxchg":
            may_succeed = self.body.any("succeeds", BOOL) if "weak" in instruction.flags else TRUE
            succeeds = conj(bits.same(before, self.term(operand)), may_succeed)
            after: Term | None = ite(succeeds, self.term(instruction.operands[2]), before)
            result: Terms = (saved, conj(bits.same(saved, self.term(operand)), may_succeed))
        else:
            after = update(instruction.predicate, before, self.term(operand))
            result = (saved,)
        if after is None:
            raise unsupported(f"the atomic operation {instruction.predicate!r} is not supported", self.place())
        also = {saved: before, **step.values}
        with self._ordered(instruction):
            self.memory.store(operand.type, (after,), pointer, address, also=also, atomic=True, succeeds=succeeds)
        self._conclude(step)
        self.registers.define(instruction.result, result)
