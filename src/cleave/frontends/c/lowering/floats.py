"""Floating-point instructions to calls of one kind, `float_terms` being what these compute.

    %sum = fadd double %a, %b           %sum = call double @llvm.cleave.add.double(double %a, double %b)
    %less = fcmp olt float %a, %b       %less = call i1 @llvm.cleave.olt.float(float %a, float %b)

Remainders, and what looks at the class of a number, are functions of ``library/real.c``, which compute on the bits.
``long double`` stays as it is, and is refused where it can be reached.
"""

from __future__ import annotations

from cleave.frontends.c.llvm import module as l

PREFIX = "llvm.cleave."
_LIBRARY = "__cleave_"
_BINARY = {"fadd": "add", "fsub": "sub", "fmul": "mul", "fdiv": "div", "frem": "rem"}
_CASTS = {
    "sitofp": "from_signed",
    "uitofp": "from_unsigned",
    "fptosi": "to_signed",
    "fptoui": "to_unsigned",
}
_INTRINSICS = {
    **{name: name for name in ("fabs", "floor", "ceil", "trunc", "copysign", "minnum", "maxnum")},
    **{name: name for name in ("round", "rint", "nearbyint", "roundeven", "sqrt", "fma")},
    "is": "class",  # llvm.is.fpclass
}
_OF_LIBRARY = ("rem", "class")
_FORMATS = ("half", "float", "double")
_ASKED = {f"{_LIBRARY}{name}_{op}": (name, op) for name in _FORMATS for op in ("sqrt", "fma")}
"""How the library itself asks for these."""


def lower_floats(module: l.Module) -> None:
    """Rewrites the module, and declares what it then calls."""
    for function in module.functions.values():
        for block in function.blocks.values():
            block.instructions = [_rewritten(instruction) for instruction in block.instructions]
    called = {
        instruction.callee.name: instruction.signature
        for function in module.functions.values()
        for instruction in function.instructions()
        if isinstance(instruction.callee, l.GlobalRef) and instruction.callee.name.startswith((PREFIX, _LIBRARY))
    }
    for name, signature in called.items():
        if signature is not None and name not in module.functions:
            module.functions[name] = l.FunctionDefinition(name=name, type=signature)


def _rewritten(instruction: l.Instruction) -> l.Instruction:
    opcode = instruction.opcode
    called = instruction.callee.name if isinstance(instruction.callee, l.GlobalRef) else ""
    if called in _ASKED:
        name, op = _ASKED[called]
        return _call(instruction, f"{PREFIX}{op}.{name}")
    form = _format(instruction)
    if form is None:
        return instruction
    if opcode in ("fpext", "fptrunc") and isinstance(instruction.type, l.FloatType):
        return _call(instruction, f"{PREFIX}to_{instruction.type.name}.{form}")
    if opcode == "fcmp" and instruction.predicate in ("true", "false"):
        return _known(instruction)
    if opcode == "call":
        word = _INTRINSICS[called.split(".")[1]]
    else:
        word = _BINARY.get(opcode) or _CASTS.get(opcode) or ("neg" if opcode == "fneg" else instruction.predicate)
    return _call(instruction, f"{_LIBRARY}{form}_{word}" if word in _OF_LIBRARY else f"{PREFIX}{word}.{form}")


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
        type = instruction.type if isinstance(operands[0].type, l.IntType) else l.VOID
    elif opcode in ("fptosi", "fptoui"):
        type = operands[0].type if isinstance(instruction.type, l.IntType) else l.VOID
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


def _call(instruction: l.Instruction, name: str) -> l.Instruction:
    operands = instruction.operands
    return l.Instruction(
        opcode="call",
        result=instruction.result,
        type=instruction.type,
        operands=operands,
        callee=l.GlobalRef(name),
        signature=l.FunctionType(instruction.type, tuple(operand.type for operand in operands)),
        byval=(None,) * len(operands),
        debug=instruction.debug,
    )


def _known(instruction: l.Instruction) -> l.Instruction:
    """A comparison that looks at nothing."""
    bit = l.IntType(1)
    known = l.ConstInt(bit, int(instruction.predicate == "true"))
    return l.Instruction(
        opcode="bitcast", result=instruction.result, type=bit, operands=(known,), debug=instruction.debug
    )
