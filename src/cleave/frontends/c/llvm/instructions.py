"""One line of LLVM's text form to one `module.Instruction`."""

from __future__ import annotations

import re
from collections.abc import Callable

from cleave.errors import UnsupportedError
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.tokens import Tokens, plain_name, words

_FLAGS = words(
    "nsw nuw exact inbounds nusw disjoint samesign nneg volatile atomic fast nnan ninf nsz arcp contract afn"
    " reassoc weak tail musttail notail inalloca"
)
_ORDERINGS = words("unordered monotonic acquire release acq_rel seq_cst")
_BINARY = words("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem")
_CASTS = words(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast ptrtoaddr"
)
_DEBUG = re.compile(r"!dbg !(\d+)")
_ALIGNMENT = re.compile(r", align (\d+)")


def read_instruction(tokens: Tokens, text: str, file: str) -> l.Instruction:
    result = None
    if tokens.peek() == "=":
        result = plain_name(tokens.take())
        tokens.take()
    opcode = tokens.take()
    while opcode in ("tail", "musttail", "notail"):
        opcode = tokens.take()
    reader = _reader_of(opcode)
    if reader is None:
        raise UnsupportedError(f"the LLVM instruction {opcode!r} is not supported", file=file)
    instruction = reader(tokens, opcode)
    instruction.result = result
    debug = _DEBUG.search(text)
    instruction.debug = int(debug[1]) if debug else None
    instruction.is_of_a_check = "!nosanitize" in text
    if opcode in _ALIGNED:
        instruction.alignment = alignment_in(text)
    return instruction


_ALIGNED = words("alloca load store atomicrmw cmpxchg")


def alignment_in(text: str) -> int:
    """What a line says last: texts may say anything."""
    found = _ALIGNMENT.findall(text)
    return int(found[-1]) if found else 1


def _reader_of(opcode: str) -> Callable[[Tokens, str], l.Instruction] | None:
    if opcode in _BINARY:
        return _binary
    if opcode in _CASTS:
        return _cast
    return _READERS.get(opcode)


def _binary(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    left = tokens.typed_value()
    tokens.expect(",")
    right = tokens.value(left.type)
    return l.Instruction(opcode=opcode, type=left.type, operands=(left, right), flags=flags)


def _cast(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    operand = tokens.typed_value()
    tokens.expect("to")
    return l.Instruction(opcode=opcode, type=tokens.type(), operands=(operand,), flags=flags)


def _unary(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    operand = tokens.typed_value()
    return l.Instruction(opcode=opcode, type=operand.type, operands=(operand,), flags=flags)


def _compare(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    predicate = tokens.take()
    left = tokens.typed_value()
    tokens.expect(",")
    right = tokens.value(left.type)
    type: l.Type = l.IntType(1)
    if isinstance(left.type, l.VectorType):
        type = l.VectorType(left.type.count, type)
    return l.Instruction(opcode=opcode, type=type, operands=(left, right), predicate=predicate, flags=flags)


def _alloca(tokens: Tokens, opcode: str) -> l.Instruction:
    tokens.take_words(_FLAGS)
    source = tokens.type()
    count: l.Value = l.ConstInt(l.IntType(32), 1)
    if tokens.accept(",") and tokens.current not in ("align", "addrspace") and not tokens.current.startswith("!"):
        count = tokens.typed_value()
    return l.Instruction(opcode=opcode, type=l.POINTER, operands=(count,), source=source)


def _load(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    type = tokens.type()
    tokens.expect(",")
    operands = (tokens.typed_value(),)
    flags |= tokens.take_words(_ORDERINGS)
    return l.Instruction(opcode=opcode, type=type, operands=operands, flags=flags)


def _store(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    value = tokens.typed_value()
    tokens.expect(",")
    operands = (value, tokens.typed_value())
    flags |= tokens.take_words(_ORDERINGS)
    return l.Instruction(opcode=opcode, operands=operands, flags=flags)


def _element_pointer(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    source = tokens.type()
    operands = []
    while tokens.accept(","):
        if tokens.current.startswith("!"):
            break
        operands.append(tokens.typed_value())
    return l.Instruction(opcode=opcode, type=l.POINTER, operands=tuple(operands), source=source, flags=flags)


def _label(tokens: Tokens) -> str:
    tokens.expect("label")
    return plain_name(tokens.take())


def _branch(tokens: Tokens, opcode: str) -> l.Instruction:
    if tokens.current == "label":
        return l.Instruction(opcode=opcode, labels=(_label(tokens),))
    condition = tokens.typed_value()
    tokens.expect(",")
    then = _label(tokens)
    tokens.expect(",")
    return l.Instruction(opcode=opcode, operands=(condition,), labels=(then, _label(tokens)))


def _switch(tokens: Tokens, opcode: str) -> l.Instruction:
    value = tokens.typed_value()
    tokens.expect(",")
    labels, cases = [_label(tokens)], []
    tokens.expect("[")
    while not tokens.accept("]"):
        case = tokens.typed_value()
        assert isinstance(case, l.ConstInt)
        cases.append(case.value)
        tokens.expect(",")
        labels.append(_label(tokens))
    return l.Instruction(opcode=opcode, operands=(value,), labels=tuple(labels), cases=tuple(cases))


def _indirect_branch(tokens: Tokens, opcode: str) -> l.Instruction:
    value = tokens.typed_value()
    tokens.expect(",")
    tokens.expect("[")
    labels = []
    while not tokens.accept("]"):
        labels.append(_label(tokens))
        tokens.accept(",")
    return l.Instruction(opcode=opcode, operands=(value,), labels=tuple(labels))


def _return(tokens: Tokens, opcode: str) -> l.Instruction:
    if tokens.current == "void":
        return l.Instruction(opcode=opcode)
    return l.Instruction(opcode=opcode, operands=(tokens.typed_value(),))


def _phi(tokens: Tokens, opcode: str) -> l.Instruction:
    tokens.take_words(_FLAGS)
    type = tokens.type()
    operands, labels = [], []
    while tokens.accept("["):
        operands.append(tokens.value(type))
        tokens.expect(",")
        labels.append(plain_name(tokens.take()))
        tokens.expect("]")
        tokens.accept(",")
    return l.Instruction(opcode=opcode, type=type, operands=tuple(operands), labels=tuple(labels))


def _select(tokens: Tokens, opcode: str) -> l.Instruction:
    tokens.take_words(_FLAGS)
    operands = [tokens.typed_value()]
    for _ in range(2):
        tokens.expect(",")
        operands.append(tokens.typed_value())
    return l.Instruction(opcode=opcode, type=operands[1].type, operands=tuple(operands))


def _call(tokens: Tokens, opcode: str) -> l.Instruction:
    tokens.take_words(_FLAGS)
    tokens.skip_to_type()
    result = tokens.type()  # a whole function type for variadic callees
    callee = tokens.value(l.POINTER)
    operands: list[l.Value] = []
    byval: list[l.Type | None] = []
    tokens.expect("(")
    while not tokens.accept(")"):
        operand, passed = _argument(tokens)
        operands.append(operand)
        byval.append(passed)
        tokens.accept(",")
    signature = result
    if not isinstance(signature, l.FunctionType):
        signature = l.FunctionType(result, tuple(operand.type for operand in operands))
    return l.Instruction(
        opcode="call",
        type=signature.result,
        operands=tuple(operands),
        callee=callee,
        signature=signature,
        byval=tuple(byval),
    )


def _argument(tokens: Tokens) -> tuple[l.Value, l.Type | None]:
    type = tokens.type()
    if isinstance(type, l.OpaqueType):  # metadata
        while tokens.current not in (",", ")"):
            tokens.skip_group()
        return l.ConstUndef(type), None
    byval = None
    while tokens.current.isidentifier() and tokens.current not in _VALUE_WORDS:
        word = tokens.take()
        if word == "byval":
            tokens.expect("(")
            byval = tokens.type()
            tokens.expect(")")
        elif word == "align":
            tokens.take()
        elif tokens.current == "(":
            tokens.skip_group()
    return tokens.value(type), byval


_VALUE_WORDS = (
    _BINARY
    | _CASTS
    | words("true false null none undef poison zeroinitializer asm getelementptr blockaddress c select")
)


def _extract(tokens: Tokens, opcode: str) -> l.Instruction:
    aggregate = tokens.typed_value()
    indices = _indices(tokens)
    type = aggregate.type
    for index in indices:
        assert isinstance(type, l.StructType | l.ArrayType)
        type = type.fields[index] if isinstance(type, l.StructType) else type.element
    return l.Instruction(opcode=opcode, type=type, operands=(aggregate,), indices=indices)


def _insert(tokens: Tokens, opcode: str) -> l.Instruction:
    aggregate = tokens.typed_value()
    tokens.expect(",")
    element = tokens.typed_value()
    return l.Instruction(opcode=opcode, type=aggregate.type, operands=(aggregate, element), indices=_indices(tokens))


def _indices(tokens: Tokens) -> tuple[int, ...]:
    found = []
    while tokens.accept(","):
        if tokens.current.startswith("!"):
            break
        found.append(int(tokens.take()))
    return tuple(found)


def _atomic_update(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    operation = tokens.take()
    pointer = tokens.typed_value()
    tokens.expect(",")
    value = tokens.typed_value()
    flags |= tokens.take_words(_ORDERINGS)
    return l.Instruction(opcode=opcode, type=value.type, operands=(pointer, value), predicate=operation, flags=flags)


def _compare_exchange(tokens: Tokens, opcode: str) -> l.Instruction:
    flags = tokens.take_words(_FLAGS)
    operands = [tokens.typed_value()]
    for _ in range(2):
        tokens.expect(",")
        operands.append(tokens.typed_value())
    flags |= tokens.take_words(_ORDERINGS)
    type = l.StructType((operands[1].type, l.IntType(1)))
    return l.Instruction(opcode=opcode, type=type, operands=tuple(operands), flags=flags)


def _plain(tokens: Tokens, opcode: str) -> l.Instruction:
    return l.Instruction(opcode=opcode)


def _fence(tokens: Tokens, opcode: str) -> l.Instruction:
    return l.Instruction(opcode=opcode, flags=tokens.take_words(_ORDERINGS))


def _vector(tokens: Tokens, opcode: str) -> l.Instruction:
    """Read only so that it can be refused if it is ever executed."""
    return l.Instruction(opcode=opcode, type=l.OpaqueType())


_READERS: dict[str, Callable[[Tokens, str], l.Instruction]] = {
    "alloca": _alloca,
    "load": _load,
    "store": _store,
    "getelementptr": _element_pointer,
    "br": _branch,
    "switch": _switch,
    "indirectbr": _indirect_branch,
    "ret": _return,
    "phi": _phi,
    "select": _select,
    "call": _call,
    "icmp": _compare,
    "fcmp": _compare,
    "fneg": _unary,
    "freeze": _unary,
    "extractvalue": _extract,
    "insertvalue": _insert,
    "atomicrmw": _atomic_update,
    "cmpxchg": _compare_exchange,
    "fence": _fence,
    "unreachable": _plain,
    "extractelement": _vector,
    "insertelement": _vector,
    "shufflevector": _vector,
    "va_arg": _vector,
}
