"""Several modules as one, the way a linker sees them: static names are kept apart, the others are one thing each.

    a.c: static int n; int f(void);          b.c: static int n; int f(void) {…}            n, n.2, f (b's body)

Structs passed by value are made explicit here: the callee starts by copying what it is given a pointer to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from cleave.errors import InputError
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.llvm.module import constant
from cleave.ir.program import Location

N = TypeVar("N", l.FunctionDefinition, l.GlobalVariable)

AT_START, AT_END = "llvm.global_ctors", "llvm.global_dtors"
COPY = "llvm.memcpy.p0.p0"


def link(modules: list[l.Module]) -> l.Module:
    linked = l.Module(bits=modules[0].bits)
    taken: set[str] = set()
    first: list[tuple[int, str]] = []
    last: list[tuple[int, str]] = []
    for module in modules:
        if module.is_library:
            _hide_misfits(module, linked)
        _rename_static(module, taken)
        first += _listed(module, AT_START)
        last += _listed(module, AT_END)
        taken |= {*module.functions, *module.globals}
        for function in module.functions.values():
            _add_function(linked, function, module.is_library)
        for variable in module.globals.values():
            _add_global(linked, variable)
        linked.aliases |= module.aliases
    linked.constructors = [name for _, name in sorted(first, key=lambda one: one[0])]
    linked.destructors = [name for _, name in sorted(last, key=lambda one: one[0], reverse=True)]
    layout = Layout(linked.bits)
    for function in linked.functions.values():
        _copy_structs(function, layout)
    return linked


def _listed(module: l.Module, where: str) -> list[tuple[int, str]]:
    """The functions that run before main, or after it, each with its priority: small numbers come first, or last."""
    listed = module.globals.pop(where, None)
    if listed is None or not isinstance(listed.initializer, l.ConstAggregate):
        return []
    found = []
    for entry in listed.initializer.elements:
        assert isinstance(entry, l.ConstAggregate)
        priority, function, *_ = entry.elements
        assert isinstance(priority, l.ConstInt)
        assert isinstance(function, l.GlobalRef)
        found.append((priority.value, function.name))
    return found


def _add_function(linked: l.Module, function: l.FunctionDefinition, from_library: bool) -> None:
    known = linked.functions.get(function.name)
    if known is None or not known.blocks:
        linked.functions[function.name] = function
    elif function.blocks and not from_library:
        raise _defined_twice(f"function {function.name!r}", function.location, known.location)


def _add_global(linked: l.Module, variable: l.GlobalVariable) -> None:
    """A variable without initial values may be defined several times, as old linkers have it."""
    known = linked.globals.get(variable.name)
    if known is None or (_is_tentative(known) and variable.initializer is not None):
        linked.globals[variable.name] = variable
    elif not _is_tentative(known) and not _is_tentative(variable):
        raise _defined_twice(f"variable {variable.name!r}", variable.location, known.location)


def _is_tentative(variable: l.GlobalVariable) -> bool:
    value = variable.initializer
    return value is None or constant(value) == 0 or (isinstance(value, l.ConstBits) and value.bits == 0)


def _defined_twice(what: str, place: Location | None, other: Location | None) -> InputError:
    return InputError(
        f"{what} is defined in two files, which are one program; the other one is at {other}",
        file=place.file if place else "",
        line=place.line if place else 0,
    )


_OURS = "__cleave"  # instructions that the lowering makes calls of: it sees to their types itself


def _hide_misfits(library: l.Module, program: l.Module) -> None:
    """A program may have a variable, or declare a function with other parameters, that has the name of one of the
    library's functions: then the library's is the library's alone."""
    for function in library.functions.values():
        declared = program.functions.get(function.name)
        is_other = declared is not None and not declared.blocks and not _fits(declared.type, function.type)
        if function.blocks and not function.name.startswith(_OURS):
            function.internal |= is_other or function.name in program.globals


def _fits(declared: l.FunctionType, defined: l.FunctionType) -> bool:
    """Old C declares functions without their parameters."""
    unknown = declared.variadic and not declared.parameters
    return unknown or (declared.parameters, declared.result) == (defined.parameters, defined.result)


def _rename_static(module: l.Module, taken: set[str]) -> None:
    """Static names of ``module`` that another module has too get new ones."""
    statics = [f.name for f in module.functions.values() if f.internal]
    statics += [v.name for v in module.globals.values() if v.internal]
    names: dict[str, str] = {}
    used = {*taken, *module.functions, *module.globals}
    for name in statics:
        if name not in taken:
            continue
        count = 2
        while f"{name}.{count}" in used:
            count += 1
        names[name] = f"{name}.{count}"
        used.add(names[name])
    if not names:
        return
    renamer = Renamer(names)
    module.functions = _renamed(module.functions, names)
    module.globals = _renamed(module.globals, names)
    for variable in module.globals.values():
        if variable.initializer is not None:
            variable.initializer = renamer.value(variable.initializer)
    for function in module.functions.values():
        for instruction in function.instructions():
            instruction.operands = tuple(renamer.value(operand) for operand in instruction.operands)
            if instruction.callee is not None:
                instruction.callee = renamer.value(instruction.callee)


def _renamed(table: dict[str, N], names: dict[str, str]) -> dict[str, N]:
    for thing in table.values():
        thing.name = names.get(thing.name, thing.name)
    return {thing.name: thing for thing in table.values()}


class Renamer:
    """Constants with other names for globals and functions."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def value(self, value: l.Value) -> l.Value:
        match value:
            case l.GlobalRef(name):
                return l.GlobalRef(self._names.get(name, name))
            case l.ConstAggregate(type, elements):
                return l.ConstAggregate(type, tuple(self.value(element) for element in elements))
            case l.ConstExpression():
                return replace(value, operands=tuple(self.value(operand) for operand in value.operands))
            case _:
                return value


def _copy_structs(function: l.FunctionDefinition, layout: Layout) -> None:
    if not function.blocks:
        return
    first = next(iter(function.blocks.values()))
    copies: list[l.Instruction] = []
    parameters = []
    for parameter in function.parameters:
        if parameter.byval is None:
            parameters.append(parameter)
            continue
        given = f"{parameter.name}.given"
        parameters.append(replace(parameter, name=given, byval=None))
        one = l.ConstInt(l.IntType(32), 1)
        copies.append(
            l.Instruction(
                opcode="alloca", result=parameter.name, type=l.POINTER, operands=(one,), source=parameter.byval
            )
        )
        size = l.ConstInt(l.IntType(layout.bits), layout.size(parameter.byval))
        copies.append(
            l.Instruction(
                opcode="call",
                callee=l.GlobalRef(COPY),
                operands=(l.Local(parameter.name, l.POINTER), l.Local(given, l.POINTER), size),
                location=function.location,
            )
        )
    function.parameters = tuple(parameters)
    first.instructions[:0] = copies
