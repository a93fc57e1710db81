"""Files of <stdio.h>: the standard ones are there, and what only prints to a file needs one that is open.

    fprintf(f, "%d\\n", n)          __cleave_reads(f, 1)
                                   fprintf(f, "%d\\n", n)

Functions of ``library/files.c`` say the same themselves.
"""

from __future__ import annotations

from collections.abc import Collection

from cleave.frontends.c.llvm import module as l

_STANDARD = ("stdin", "stdout", "stderr")
_SIZE = 216  # of glibc's FILE
_READS = "__cleave_reads"
# Functions that have a meaning without a body, or get another one by `formats`: which argument is the file.
_FILE = {
    **dict.fromkeys(("fprintf", "vfprintf", "__fprintf_chk", "fscanf", "__isoc99_fscanf", "__isoc23_fscanf"), 0),
    **dict.fromkeys(("fputs", "fputc", "putc"), 1),
}


def open_streams(module: l.Module) -> None:
    """Gives each standard file that a whole program declares memory of its own."""
    for name in _STANDARD:
        variable = module.globals.get(name)
        if variable is not None and variable.initializer is None and isinstance(variable.type, l.PointerType):
            file = f".{name}"
            type = l.ArrayType(_SIZE, l.IntType(8))
            module.globals[file] = l.GlobalVariable(name=file, type=type, initializer=None, alignment=16)
            variable.initializer = l.GlobalRef(file)


def use_streams(module: l.Module, defined: Collection[str]) -> None:
    """Rewrites a file's module; ``defined``: functions that the program has itself."""
    known = _FILE.keys() - set(defined)
    if known.isdisjoint(module.functions):
        return
    signature = l.FunctionType(l.VOID, (l.POINTER, l.IntType(module.bits)))
    module.functions.setdefault(_READS, l.FunctionDefinition(name=_READS, type=signature))
    for function in module.functions.values():
        standard = _standard(function)
        for block in function.blocks.values():
            block.instructions = [
                new for old in block.instructions for new in (*_use(old, known, standard, module.bits), old)
            ]


def _standard(function: l.FunctionDefinition) -> set[str]:
    """Registers with a standard file, which is open unless the program closes it."""
    return {
        one.result
        for one in function.instructions()
        if one.opcode == "load" and one.result and any(one.operands[0] == l.GlobalRef(name) for name in _STANDARD)
    }


def _use(
    call: l.Instruction, known: Collection[str], standard: Collection[str], bits: int
) -> tuple[l.Instruction, ...]:
    name = call.callee.name if call.opcode == "call" and isinstance(call.callee, l.GlobalRef) else ""
    if name not in known or len(call.operands) <= _FILE[name]:
        return ()
    file = call.operands[_FILE[name]]
    if not isinstance(file.type, l.PointerType) or (isinstance(file, l.Local) and file.name in standard):
        return ()
    made = l.Instruction(
        opcode="call",
        result=None,
        type=l.VOID,
        operands=(file, l.ConstInt(l.IntType(bits), 1)),
        callee=l.GlobalRef(_READS),
        signature=l.FunctionType(l.VOID, (l.POINTER, l.IntType(bits))),
        byval=(None, None),
        debug=call.debug,
        location=call.location,
    )
    return (made,)
