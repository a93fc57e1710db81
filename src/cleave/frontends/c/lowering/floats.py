"""Floating-point instructions to calls of integer functions: ``library/float.c`` computes on the bits.

    %sum = fadd double %a, %b           %sum = call double @__cleave_double_add(double %a, double %b)
    %less = fcmp olt float %a, %b       %less = call i1 @__cleave_float_olt(float %a, float %b)

So the meaning of floating point is a program, too, and every engine that knows bit vectors knows it. ``long double``
stays as it is, and is refused where it can be reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from cleave.frontends.c.llvm import module as l

PREFIX = "__cleave_"
_BINARY = {"fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "div", "frem": "rem"}
_INTRINSICS = {
    **{name: name for name in ("fabs", "floor", "ceil", "trunc", "copysign", "minnum", "maxnum")},
    **{name: name for name in ("round", "rint", "nearbyint", "roundeven", "sqrt", "fma")},
    "is": "class",  # llvm.is.fpclass
}
_FORMATS = ("half", "float", "double")
_WORD = l.IntType(64)


def lower_floats(module: l.Module) -> None:
    """Rewrites the module, and declares what it then calls."""
    for function in module.functions.values():
        for block in function.blocks.values():
            block.instructions = [new for old in block.instructions for new in _rewritten(old)]
    called = {
        instruction.callee.name: instruction.signature
        for function in module.functions.values()
        for instruction in function.instructions()
        if isinstance(instruction.callee, l.GlobalRef) and instruction.callee.name.startswith(PREFIX)
    }
    for name, signature in called.items():
        if signature is not None and name not in module.functions:
            module.functions[name] = l.FunctionDefinition(name=name, type=signature)


def _rewritten(instruction: l.Instruction) -> Iterator[l.Instruction]:
    name = _format(instruction)
    opcode = instruction.opcode
    if name is None:
        yield instruction
    elif opcode in _BINARY:
        yield _call(instruction, f"{name}_{_BINARY[opcode]}")
    elif opcode == "fneg":
        yield _call(instruction, f"{name}_neg")
    elif opcode == "fcmp":
        yield from _comparison(instruction, name)
    elif opcode in ("fpext", "fptrunc") and isinstance(instruction.type, l.FloatType):
        yield _call(instruction, f"{name}_to_{instruction.type.name}")
    elif opcode in ("sitofp", "uitofp"):
        yield from _from_integer(instruction, name)
    elif opcode in ("fptosi", "fptoui"):
        yield from _to_integer(instruction, name)
    elif opcode == "call" and isinstance(instruction.callee, l.GlobalRef):
        yield _call(instruction, f"{name}_{_INTRINSICS[instruction.callee.name.split('.')[1]]}")


def _format(instruction: l.Instruction) -> str | None:
    """The format that an instruction works in; None if it is no floating-point instruction that is known here."""
    opcode, operands = instruction.opcode, instruction.operands
    if opcode == "call":
        name = instruction.callee.name if isinstance(instruction.callee, l.GlobalRef) else ""
        parts = name.split(".")
        if parts[0] != "llvm" or len(parts) < 3 or parts[1] not in _INTRINSICS:
            return None
        type: l.Type = operands[0].type
    elif opcode in ("sitofp", "uitofp"):
        wide = isinstance(operands[0].type, l.IntType) and operands[0].type.width > 64
        type = l.VOID if wide else instruction.type
    elif opcode in ("fptosi", "fptoui"):
        wide = isinstance(instruction.type, l.IntType) and instruction.type.width > 64
        type = l.VOID if wide else operands[0].type
    elif opcode in ("fpext", "fptrunc"):
        both = (instruction.type, operands[0].type)
        type = operands[0].type if all(_is_known(each) for each in both) else l.VOID
    elif opcode in _BINARY or opcode in ("fcmp", "fneg"):
        type = operands[0].type
    else:
        return None
    return type.name if isinstance(type, l.FloatType) and _is_known(type) else None


def _is_known(type: l.Type) -> bool:
    return isinstance(type, l.FloatType) and type.name in _FORMATS


def _call(
    instruction: l.Instruction, name: str, operands: tuple[l.Value, ...] | None = None, type: l.Type | None = None
) -> l.Instruction:
    operands = instruction.operands if operands is None else operands
    type = instruction.type if type is None else type
    return l.Instruction(
        opcode="call",
        result=instruction.result,
        type=type,
        operands=operands,
        callee=l.GlobalRef(PREFIX + name),
        signature=l.FunctionType(type, tuple(operand.type for operand in operands)),
        byval=(None,) * len(operands),
        debug=instruction.debug,
    )


def _comparison(instruction: l.Instruction, name: str) -> Iterator[l.Instruction]:
    if instruction.predicate in ("true", "false"):
        known = l.ConstInt(l.IntType(1), int(instruction.predicate == "true"))
        yield _cast(instruction, "bitcast", known, instruction.result, l.IntType(1))
    else:
        yield _call(instruction, f"{name}_{instruction.predicate}")


def _from_integer(instruction: l.Instruction, name: str) -> Iterator[l.Instruction]:
    """The number is widened to 64 bits first."""
    is_signed = instruction.opcode == "sitofp"
    operand = instruction.operands[0]
    if operand.type != _WORD:
        wide = f"{instruction.result}.wide"
        yield _cast(instruction, "sext" if is_signed else "zext", operand, wide, _WORD)
        operand = l.Local(wide, _WORD)
    yield _call(instruction, f"{name}_from_{'signed' if is_signed else 'unsigned'}", (operand,))


def _to_integer(instruction: l.Instruction, name: str) -> Iterator[l.Instruction]:
    """The integral part in 64 bits is cut to the width of the result."""
    made = _call(instruction, f"{name}_to_integer", type=_WORD)
    if instruction.type == _WORD:
        yield made
        return
    made.result = f"{instruction.result}.wide"
    yield made
    yield _cast(instruction, "trunc", l.Local(made.result, _WORD), instruction.result, instruction.type)


def _cast(instruction: l.Instruction, opcode: str, operand: l.Value, result: str | None, type: l.Type) -> l.Instruction:
    return l.Instruction(opcode=opcode, result=result, type=type, operands=(operand,), debug=instruction.debug)
