"""Threads as three operations that `call` lowers: ``__cleave_spawn``, ``__cleave_join``, ``__cleave_self``.

    pthread_create(&t, 0, work, p)      t = __cleave_spawn(work, p)
    pthread_join(t, 0)                  __cleave_join(t)
    pthread_exit(v) in work             return v
    _Thread_local int x                 int x[128], used as x[__cleave_self()]

What a thread returns is kept in ``__cleave_results``, by thread, if some join asks for it; then a function of its own
(``work.thread``) starts ``work`` and keeps what it returns. Everything else, mutexes and the like, is C: see
``library/threads.c``, of which `copies` makes a copy for each call. Where deadlocks are looked for, that library counts
the threads that have been started and have not ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.frontends.c.analysis.pointed import SPAWN, STARTS, pointed_functions
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering.cleanups import lands
from cleave.frontends.c.lowering.copies import LIBRARY, copied, copy_library
from cleave.frontends.c.lowering.exits import Exits

JOIN, SELF = "__cleave_join", "__cleave_self"
RESULTS = "__cleave_results"
THREADS = 128  # as many have a place in arrays that are indexed by thread
ATOMIC = "__VERIFIER_atomic_"  # functions so named run atomically
_DESTRUCTORS = "__cleave_run_destructors"
_STARTING, _AWAIT, _ENDING = "__cleave_starting", "__cleave_await", "__cleave_ending"  # for deadlocks only
_JOINS = ("pthread_join", "thrd_join")
_TRY_JOINS = ("pthread_tryjoin_np", "pthread_timedjoin_np")
_CANCEL, _WHEN = "pthread_cancel", "pthread_setcanceltype"
_DETACHES = ("pthread_detach", "thrd_detach")
_EXITS = ("pthread_exit", "thrd_exit")
_ADDRESS = "llvm.threadlocal.address"


def lower_threads(module: l.Module, entry: str) -> None:
    """Changes ``module``, where ``entry`` is the first thread."""
    copy_library(module)
    _Rewriting(module, entry).rewrite()


def called(instruction: l.Instruction, module: l.Module) -> str:
    """The function without a body that is called; empty if it is another one, or none."""
    if instruction.opcode != "call" or not isinstance(instruction.callee, l.GlobalRef):
        return ""
    return "" if _has_body(module, instruction.callee.name) else instruction.callee.name


def _has_body(module: l.Module, name: str) -> bool:
    function = module.functions.get(name)
    return function is not None and bool(function.blocks)


# --- calls ------------------------------------------------------------------------------------------------------------


class _Rewriting:
    def __init__(self, module: l.Module, entry: str) -> None:
        self._module = module
        self._entry = entry
        self._word = l.IntType(module.bits)
        self._registers = 0
        self._starters: list[str] = []
        calls = [i for function in module.functions.values() for i in function.instructions() if i.opcode == "call"]
        self._cancels = _has_body(module, _CANCEL)
        self._joins_simply = not self._cancels and not any(_has_body(module, name) for name in _DETACHES)
        self._wants_results = not self._joins_simply or any(
            (self._is_join(call) and not _is_null(call.operands[1])) or self._is_call(call, _TRY_JOINS)
            for call in calls
        )
        self._counts_threads = _has_body(module, _ENDING)
        destructs = any(
            self._is_call(call, ("pthread_key_create", "tss_create")) and not _is_null(call.operands[1])
            for call in calls
        )
        # What a thread does in the end.
        self._last = (*([_DESTRUCTORS] if destructs else []), *([_ENDING] if self._counts_threads else []))
        self._started = {
            start.name
            for call in calls
            if (name := called(call, module)) in STARTS
            and isinstance(start := call.operands[STARTS[name]], l.GlobalRef)
        }
        self._called = {call.callee.name for call in calls if isinstance(call.callee, l.GlobalRef)}
        self._called.update(pointed_functions(module))

    @property
    def _wants_starter(self) -> bool:
        """Whether there is something to do when a thread ends."""
        return self._wants_results or bool(self._last)

    def rewrite(self) -> None:
        if self._wants_results:
            type = l.ArrayType(THREADS, l.POINTER)
            variable = l.GlobalVariable(name=RESULTS, type=type, initializer=l.ConstZero(type))
            variable.source_name = "results"
            self._module.globals[RESULTS] = variable
        thread_local = {v.name: v.type for v in self._module.globals.values() if v.thread_local}
        for function in list(self._module.functions.values()):
            for block in function.blocks.values():
                block.instructions = list(self._block(function, block, thread_local))
        for name in thread_local:
            self._for_all_threads(self._module.globals[name])
        exits = tuple(name for name in _EXITS if not _has_body(self._module, name))
        last = dict.fromkeys(self._starters, self._last)
        last[self._entry] = self._last
        results = RESULTS if self._wants_results else None
        Exits(self._module, self._entry, exits, results, THREADS, last).rewrite()

    def _block(
        self, function: l.FunctionDefinition, block: l.BasicBlock, thread_local: dict[str, l.Type]
    ) -> Iterator[l.Instruction]:
        for instruction in block.instructions:
            name = called(instruction, self._module)
            if name in STARTS and len(instruction.operands) > STARTS[name] + 1:
                yield from self._create(instruction, name)
            elif self._is_call(instruction, (_WHEN,)) and self._cancels and not _is_null(instruction.operands[0]):
                raise _cancelled_at_any_time(instruction)
            elif self._is_join(instruction) and _is_null(instruction.operands[1]) and self._joins_simply:
                join = copied(self._module, _AWAIT, instruction.location) if self._counts_threads else JOIN
                thread = instruction.operands[:1]
                yield replace(instruction, callee=l.GlobalRef(join), operands=thread, result=None, type=l.VOID)
                yield _zero(instruction)
            elif name in _EXITS and lands(function):
                yield instruction  # it is not left at once
            elif name in _EXITS and function.name == self._entry:
                for name in self._last:
                    yield replace(instruction, callee=l.GlobalRef(name), operands=(), result=None)
                yield replace(instruction, callee=l.GlobalRef("abort"), operands=(), result=None)
                yield l.Instruction(opcode="unreachable", location=instruction.location)
                return
            elif name in _EXITS and function.name in self._started - self._called:
                yield _return(function, instruction)
                return
            elif name.startswith(_ADDRESS):
                yield from self._own(instruction, thread_local)
            else:
                yield instruction

    def _is_join(self, instruction: l.Instruction) -> bool:
        return self._is_call(instruction, _JOINS)

    def _is_call(self, instruction: l.Instruction, names: tuple[str, ...]) -> bool:
        """Whether it calls one of the library's functions, by one of its copies, with two arguments."""
        if instruction.opcode != "call" or not isinstance(instruction.callee, l.GlobalRef):
            return False
        function = self._module.functions.get(instruction.callee.name)
        is_ours = function is not None and function.location is not None and function.location.file == LIBRARY
        return is_ours and instruction.callee.name.split(".")[0] in names and len(instruction.operands) > 1

    def _register(self, hint: str, type: l.Type) -> l.Local:
        self._registers += 1
        return l.Local(f"{hint}.{self._registers}", type)

    def _create(self, call: l.Instruction, name: str) -> Iterator[l.Instruction]:
        position = STARTS[name]
        start, argument = call.operands[position], call.operands[position + 1]
        number = self._register("thread", self._word)
        operands = self._start(start, argument, l.POINTER if name == "pthread_create" else l.IntType(32))
        spawn = _call(SPAWN, operands, number)
        spawn.location = call.location
        if self._counts_threads:
            yield l.Instruction(opcode="call", callee=l.GlobalRef(_STARTING), location=call.location)
        yield spawn
        yield l.Instruction(opcode="store", operands=(number, call.operands[0]), location=call.location)
        yield _zero(call)

    def _start(self, start: l.Value, argument: l.Value, result: l.Type) -> tuple[l.Value, ...]:
        """The function to spawn and what it is given."""
        if not isinstance(start, l.GlobalRef):
            return (l.GlobalRef(self._starter(None, result)), start, argument)
        if _has_body(self._module, start.name) and not self._wants_starter and not start.name.startswith(ATOMIC):
            return (start, argument)
        return (l.GlobalRef(self._starter(start.name, result)), argument)

    def _starter(self, name: str | None, result: l.Type) -> str:
        """A function that calls ``name``, or the function that it is given, and keeps what that returns."""
        made = f"{name or 'any'}.thread"
        if name is None:  # one for each place that starts threads: what they may start is not the same
            self._registers += 1
            made += f".{self._registers}"
        if made in self._module.functions:
            return made
        self._starters.append(made)
        parameters = [l.Parameter(name="argument", type=l.POINTER)]
        if name is None:
            parameters.insert(0, l.Parameter(name="routine", type=l.POINTER))
        callee = l.GlobalRef(name) if name is not None else l.Local("routine", l.POINTER)
        function = self._module.functions.get(name or "")
        returns_nothing = function is not None and isinstance(function.type.result, l.VoidType)
        returned = l.Local("returned", result)
        body = [_call(callee, (l.Local("argument", l.POINTER),), returned)]
        if self._wants_results and not returns_nothing:
            body += self._keep(returned)
        body += [l.Instruction(opcode="call", callee=l.GlobalRef(name)) for name in self._last]
        body.append(l.Instruction(opcode="ret"))
        place = function.location if function is not None else None
        for instruction in body:
            instruction.location = place
        self._module.functions[made] = l.FunctionDefinition(
            name=made,
            type=l.FunctionType(l.VOID, tuple(parameter.type for parameter in parameters)),
            parameters=tuple(parameters),
            blocks={"entry": l.BasicBlock("entry", body)},
            internal=True,
            location=place,
        )
        return made

    def _keep(self, value: l.Local) -> list[l.Instruction]:
        me, place = self._register("me", self._word), self._register("place", l.POINTER)
        return [
            _call(SELF, (), me),
            _element(place, l.GlobalRef(RESULTS), l.ArrayType(THREADS, l.POINTER), me),
            l.Instruction(opcode="store", operands=(value, place)),
        ]

    # --- thread-local variables ---------------------------------------------------------------------------------------

    def _own(self, call: l.Instruction, thread_local: dict[str, l.Type]) -> Iterator[l.Instruction]:
        variable = call.operands[0]
        assert isinstance(variable, l.GlobalRef)
        assert call.result is not None
        me = self._register("me", self._word)
        self_call = _call(SELF, (), me)
        self_call.location = call.location
        yield self_call
        type = l.ArrayType(THREADS, thread_local[variable.name])
        yield replace(_element(l.Local(call.result, l.POINTER), variable, type, me), location=call.location)

    def _for_all_threads(self, variable: l.GlobalVariable) -> None:
        type = l.ArrayType(THREADS, variable.type)
        if variable.initializer is not None:
            zero = isinstance(variable.initializer, l.ConstZero)
            whole = l.ConstZero(type) if zero else l.ConstAggregate(type, (variable.initializer,) * THREADS)
            variable.initializer = whole
        variable.type = type
        variable.thread_local = False


def _cancelled_at_any_time(call: l.Instruction) -> UnsupportedError:
    message, place = "threads that can be cancelled at any time are not supported", call.location
    return UnsupportedError(message, file=place.file, line=place.line) if place else UnsupportedError(message)


def _is_null(value: l.Value) -> bool:
    return isinstance(value, l.ConstNull | l.ConstZero) or (isinstance(value, l.ConstInt) and value.value == 0)


def _zero(call: l.Instruction) -> l.Instruction:
    """What ``call`` gives back: success."""
    type = call.type if isinstance(call.type, l.IntType) else l.IntType(32)
    result = call.result or "success"
    return l.Instruction(
        opcode="freeze", result=result, type=type, operands=(l.ConstInt(type, 0),), location=call.location
    )


def _call(callee: str | l.Value, operands: tuple[l.Value, ...], result: l.Local) -> l.Instruction:
    return l.Instruction(
        opcode="call",
        result=result.name,
        type=result.type,
        operands=operands,
        callee=l.GlobalRef(callee) if isinstance(callee, str) else callee,
        signature=l.FunctionType(result.type, tuple(operand.type for operand in operands)),
    )


def _element(to: l.Local, base: l.Value, array: l.ArrayType, index: l.Value) -> l.Instruction:
    zero = l.ConstInt(l.IntType(32), 0)
    return l.Instruction(
        opcode="getelementptr", result=to.name, type=l.POINTER, operands=(base, zero, index), source=array
    )


def _return(function: l.FunctionDefinition, call: l.Instruction) -> l.Instruction:
    type = function.type.result
    if isinstance(type, l.VoidType):
        return l.Instruction(opcode="ret", location=call.location)
    value: l.Value = l.ConstUndef(type)
    if call.operands and call.operands[0].type == type:
        value = call.operands[0]
    return l.Instruction(opcode="ret", operands=(value,), location=call.location)
