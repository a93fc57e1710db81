"""Functions that allocate or touch memory, and are called through pointers, get a body, which calls them by name: the
analyses of memory look at names.

void *(*make)(size_t) = malloc;         void *(*make)(size_t) = malloc.wrapped;
                                        void *malloc.wrapped(size_t size) { return malloc(size); }
"""

from __future__ import annotations

from cleave.frontends.c.analysis.models import TOUCHING, kind_of
from cleave.frontends.c.analysis.pointed import pointed_functions
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.link import Renamer

_ON_STACK = ("alloca", "__builtin_alloca")


def wrap_models(module: l.Module) -> None:
    """Changes the module: pointers then point to the wrappers."""
    wrapped = [name for name in pointed_functions(module) if kind_of(name, module) in TOUCHING]
    if not wrapped:
        return
    names = {name: f"{name}.wrapped" for name in wrapped}
    renamer = Renamer(names)
    for variable in module.globals.values():
        if variable.initializer is not None:
            variable.initializer = renamer.value(variable.initializer)
    for function in module.functions.values():
        for instruction in function.instructions():
            instruction.operands = tuple(renamer.value(operand) for operand in instruction.operands)
    for name, made in names.items():
        module.functions[made] = _wrapper(made, module.functions[name])


def lower_stack_calls(module: l.Module) -> None:
    """A call of ``alloca`` as of a function, which preprocessed files have, becomes the instruction."""
    for function in module.functions.values():
        for instruction in function.instructions():
            callee = instruction.callee
            name = callee.name if isinstance(callee, l.GlobalRef) else ""
            if name in _ON_STACK and not module.functions[name].blocks:
                instruction.opcode, instruction.callee = "alloca", None
                instruction.source, instruction.alignment = l.IntType(8), 16


def _wrapper(name: str, function: l.FunctionDefinition) -> l.FunctionDefinition:
    types = function.type.parameters
    parameters = tuple(l.Parameter(name=f"p{position}", type=type) for position, type in enumerate(types))
    is_void = isinstance(function.type.result, l.VoidType)
    call = l.Instruction(
        opcode="call",
        result=None if is_void else "result",
        type=function.type.result,
        operands=tuple(l.Local(parameter.name, parameter.type) for parameter in parameters),
        callee=l.GlobalRef(function.name),
        signature=function.type,
        byval=(None,) * len(parameters),
    )
    end = l.Instruction(opcode="ret", operands=() if is_void else (l.Local("result", function.type.result),))
    blocks = {"entry": l.BasicBlock("entry", [call, end])}
    return l.FunctionDefinition(name=name, type=function.type, parameters=parameters, blocks=blocks)
