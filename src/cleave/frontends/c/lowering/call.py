"""Calls: of functions with a body, through pointers, and of those that only have a meaning (`models`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.accesses import text_of
from cleave.frontends.c.analysis.calls import spawned
from cleave.frontends.c.analysis.models import ALLOCATIONS, Kind, kind_of
from cleave.frontends.c.clang.library import is_defined_everywhere
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.llvm.module import constant
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.assembly import Assembly, name_of, understood
from cleave.frontends.c.lowering.body import Terms
from cleave.frontends.c.lowering.copies import DEADLOCK
from cleave.frontends.c.lowering.float_terms import apply_float, is_float_call
from cleave.frontends.c.lowering.memory_calls import MemoryCalls
from cleave.frontends.c.lowering.memory_model import fence_in_assembly
from cleave.frontends.c.lowering.operators import apply_intrinsic
from cleave.frontends.c.lowering.outside_calls import OutsideCalls
from cleave.frontends.c.lowering.threads import ATOMIC
from cleave.frontends.c.properties.built_in import ASSERTIONS, MEMORY, UNREACHABLE
from cleave.frontends.c.properties.built_in import DEADLOCK as DEADLOCK_PROPERTY
from cleave.ir.program import Assert, Assign, Assume, AtomicBegin, AtomicEnd, Call, Havoc, Join, Self, Spawn
from cleave.logic.sorts import BOOL, Sort
from cleave.logic.terms import FALSE, Op, Term, bv, conj_all, disj, neg

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

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
        self._memory_calls = MemoryCalls(function)
        self._outside = OutsideCalls(function)

    def call(self, instruction: l.Instruction) -> None:
        callee = self._context.facts.resolve(instruction.callee)
        match callee:
            case l.InlineAssembly():
                self._registers.define(instruction.result, self._assembly(instruction, understood(callee)))
            case l.GlobalRef(name):
                self._registers.define(instruction.result, self._named(instruction, name))
            case None:
                raise unsupported("a call without a callee", self._function.place())
            case _:
                self._indirect(instruction, callee)

    def _assembly(self, instruction: l.Instruction, code: Assembly) -> Terms:
        """Each output is any value, or what it was before where there is no code."""
        self._function.fence(fence_in_assembly(self._context.store_buffers, instruction))
        given = [self._function.terms(operand) for operand in instruction.operands]
        outputs = (
            given[code.tied[number]][0]
            if code.is_empty and number in code.tied and given[code.tied[number]][0].sort is sort
            else self._body.any("output", sort, name_of(instruction))
            for number, sort in enumerate(self._sorts(instruction.type))
        )
        return tuple(outputs)

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

    def _undefined(self, what: str, sort: Sort) -> Term:
        """The result of an operation that C does not define."""
        never = is_defined_everywhere(self._function.function) and sort is not BOOL
        return bv(0, sort.width) if never else self._body.any(what, sort)

    def _defined(self, instruction: l.Instruction, function: l.FunctionDefinition) -> Terms:
        given = [term for operand in instruction.operands for term in self._function.terms(operand)]
        expected = [sort for parameter in function.parameters for sort in self._sorts(parameter.type)]
        arguments = self._adapted(given, expected)
        returned = self._sorts(function.type.result)
        results = tuple(self._body.local(f"{function.name}.result", sort) for sort in returned)
        has_value = [self._body.local("returned", BOOL)] if function.name in self._context.unreturning else []
        self._registers.before_change(self._context.global_set.__contains__)
        is_atomic = self._context.has_threads and function.name.startswith(ATOMIC)
        if is_atomic:
            self._body.emit(AtomicBegin(self._body.location))
        self._body.emit(Call(function.name, tuple(arguments), (*results, *has_value), self._body.location))
        if is_atomic:
            self._body.emit(AtomicEnd(self._body.location))
        for condition in has_value:
            self._check_returned(instruction, function.name, condition)
        return tuple(self._adapted(results, self._sorts(instruction.type)))

    def _check_returned(self, instruction: l.Instruction, name: str, condition: Term) -> None:
        """The value may be used only if there is one; calls that have no place are not the program's."""
        used = instruction.result is not None and self._registers.is_used(instruction.result)
        if used and instruction.location is not None:
            message = f"the value of {name} is used, which ended without a return statement"
            self._function.check(UNREACHABLE, condition, message)

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
        self._check_callee(callee, pointer, targets)
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

    def _check_callee(self, callee: l.Value, pointer: Term, targets: Sequence[str]) -> None:
        """The call must fit what it calls. Where memory is not checked, nobody knows what another call does."""
        address = self._context.storage.address
        checks = self._function.pointers
        if checks is not None:
            checks.called(callee, pointer, [bv(address(name), pointer.sort.width) for name in targets])
            return
        region = self._context.points_to.region(self._function.function.name, callee)
        others = [made.name for made in region.objects if made.kind == "function" and made.name not in targets]
        if others:
            fits = (bits.differ(pointer, bv(address(name), pointer.sort.width)) for name in others)
            doubt = (
                f"the call through a pointer at {self._function.place()}, with arguments that don't fit the function"
            )
            condition = disj(conj_all(fits), self._body.any("unfit", BOOL, doubt))
            property = self._context.checks.properties[0].name
            self._function.check(property, condition, "a function is called with other arguments")

    # --- models -----------------------------------------------------------------------------------------------------

    def _modelled(self, instruction: l.Instruction, name: str, kind: Kind) -> Terms:
        if kind in _REFUSALS:
            raise unsupported(_REFUSALS[kind].format(name=name), self._function.place())
        if kind in ALLOCATIONS:
            return self._memory_calls.allocate(instruction, kind)
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
            case Kind.STOP if name == "exit":
                self._function.end_program()
                self._body.stop()
            case Kind.STOP:
                self._body.stop()
            case Kind.COPY | Kind.FILL | Kind.ZERO:
                return self._memory_calls.range(instruction, kind)
            case Kind.SCAN:
                self._scan(instruction, name)
            case Kind.HAVOC:
                self._havoc(instruction, name)
            case Kind.FREE:
                self._memory_calls.free(instruction.operands[0])
            case Kind.READ | Kind.APART:
                self._memory_calls.require(instruction, kind)
            case Kind.REQUIRE if self._context.checks.wants(MEMORY):
                text = text_of(instruction.operands[1], self._context.module) or ""
                self._function.check(MEMORY, self._condition(instruction), text)
            case Kind.RESTORE:
                self._memory_calls.restore(instruction)
            case Kind.SCOPE_BEGIN | Kind.SCOPE_END:
                self._memory_calls.scope(instruction.operands[-1], begins=kind is Kind.SCOPE_BEGIN)
            case Kind.SUCCESS:
                return tuple(bv(0, sort.width) for sort in self._sorts(instruction.type) if sort is not BOOL)
            case Kind.SPAWN | Kind.JOIN | Kind.SELF | Kind.ATOMIC_BEGIN | Kind.ATOMIC_END:
                return self._thread_operation(instruction, kind)
            case Kind.OUTSIDE:
                self._outside.call(name)
                return self._any(instruction, name, name)
            case Kind.IGNORED:
                return self._any(instruction, name, name)
            case Kind.DOUBT:
                return self._any(instruction, "unknown", self._text(instruction))
            case Kind.LIMIT:
                self._limit(self._text(instruction))
            case Kind.FIRST:
                return self._function.terms(instruction.operands[0])
            case Kind.COMPUTE:
                operands = tuple(self._function.term(operand) for operand in instruction.operands)
                if is_float_call(name):
                    (sort,) = self._sorts(instruction.type)
                    return (apply_float(name, operands, sort, lambda what: self._undefined(what, sort)),)
                computed = apply_intrinsic(name, operands)
                if computed is None:
                    raise unsupported(f"{name} is not supported", self._function.place())
                return computed
            case _:
                pass
        return self._any(instruction, name)

    def _text(self, instruction: l.Instruction) -> str:
        text = text_of(instruction.operands[0], self._context.module)
        assert text is not None
        return text

    def _limit(self, what: str) -> None:
        """To come here would be a violation that depends on what is not modelled."""
        beyond = self._body.any("beyond", BOOL, what)
        self._body.emit(Assume(beyond, self._body.location))
        self._body.emit(Assert(FALSE, f"{what} is not modelled", self._body.location))
        self._body.stop()

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

    def _scan(self, instruction: l.Instruction, name: str) -> None:
        pointer, size, *counts = instruction.operands
        index, count = (self._function.term(one) for one in counts)
        is_read = bits.compare(Op.BV_SLT, index, count)
        function = "sscanf" if name.endswith("of_text") else ""
        self._memory_calls.check(pointer, self._function.term(size), writes=True)
        self._memory.scan(pointer, self._function.term(pointer), constant(size) or 0, is_read, function)

    def _havoc(self, instruction: l.Instruction, name: str) -> None:
        size = constant(instruction.operands[1])
        if size is None:
            raise unsupported(f"{name} is supported only with a constant size", self._function.place())
        pointer = instruction.operands[0]
        self._memory_calls.check(pointer, bv(size, self._context.module.bits), writes=True)
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
