"""LLVM modules as plain data: what `reader` makes of the text, and what everything after it works on.

    %add = add nsw i32 %0, 1, !dbg !69      Instruction("add", "add", IntType(32), (Local("0"), ConstInt(1)), {"nsw"})

Only what Clang writes for C at -O0 is here. Sizes and offsets are in bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from cleave.ir.program import Location
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.frontends.c.llvm.debug import DebugInfo

# --- types ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IntType:
    width: int


@dataclass(frozen=True, slots=True)
class PointerType:
    pass


@dataclass(frozen=True, slots=True)
class FloatType:
    """``name`` as LLVM writes it; ``width`` counts the bits of the value."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class VoidType:
    pass


@dataclass(frozen=True, slots=True)
class ArrayType:
    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class VectorType:
    count: int
    element: Type


@dataclass(frozen=True, slots=True)
class StructType:
    fields: tuple[Type, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class FunctionType:
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A struct that is declared only, labels, metadata: nothing that has a value here."""


Type = IntType | PointerType | FloatType | VoidType | ArrayType | VectorType | StructType | FunctionType | OpaqueType

POINTER = PointerType()
VOID = VoidType()

# --- values ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Local:
    """A value that an instruction or a parameter of the function defines."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class GlobalRef:
    """The address of a global variable or a function."""

    name: str
    type: Type = POINTER


@dataclass(frozen=True, slots=True)
class ConstInt:
    type: Type
    value: int


@dataclass(frozen=True, slots=True)
class ConstBits:
    """A floating-point constant by its bits."""

    type: Type
    bits: int


@dataclass(frozen=True, slots=True)
class ConstNull:
    type: Type = POINTER


@dataclass(frozen=True, slots=True)
class ConstZero:
    """All bytes zero, of any type."""

    type: Type


@dataclass(frozen=True, slots=True)
class ConstUndef:
    """Undefined or poison: any value, at each use."""

    type: Type


@dataclass(frozen=True, slots=True)
class ConstAggregate:
    type: Type
    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class ConstBytes:
    type: Type
    content: bytes


@dataclass(frozen=True, slots=True)
class ConstExpression:
    """An instruction that the linker computes; ``source`` is the element type of a getelementptr."""

    type: Type
    opcode: str
    operands: tuple[Value, ...]
    source: Type | None = None


@dataclass(frozen=True, slots=True)
class InlineAssembly:
    text: str
    constraints: str = ""
    type: Type = POINTER


Value = (
    Local
    | GlobalRef
    | ConstInt
    | ConstBits
    | ConstNull
    | ConstZero
    | ConstUndef
    | ConstAggregate
    | ConstBytes
    | ConstExpression
    | InlineAssembly
)

# --- checks ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceType:
    """A type of C as its checks describe it: ``int`` is ("int", 32, True)."""

    name: str
    width: int
    is_signed: bool
    is_float: bool = False


@dataclass(frozen=True, slots=True)
class CompilerCheck:
    """What the compiler wants to be checked, by the name of what it would call in a program that runs."""

    kind: str
    types: tuple[SourceType, ...] = ()


# --- code -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Instruction:
    """One instruction; which fields mean something depends on ``opcode``.

    alloca: ``source`` is what is allocated, ``operands`` the count. getelementptr: ``source`` is the element
    type, operands the base and the indices. call: operands are the arguments. br, switch, indirectbr: ``labels``
    in order, the default of a switch first, ``cases`` the others' values. phi: operands and ``labels`` in
    parallel. icmp, fcmp: ``predicate``. atomicrmw: ``predicate`` is the operation. Of atomic ones, ``flags`` hold the
    memory orders. extractvalue, insertvalue: ``indices``. check, which LLVM does not have: ``check``, operands are what
    it is about (see `sanitized`)."""

    opcode: str
    result: str | None = None
    type: Type = VOID
    operands: tuple[Value, ...] = ()
    source: Type | None = None
    flags: frozenset[str] = frozenset()
    predicate: str = ""
    labels: tuple[str, ...] = ()
    cases: tuple[int, ...] = ()
    indices: tuple[int, ...] = ()
    callee: Value | None = None
    signature: FunctionType | None = None
    byval: tuple[Type | None, ...] = ()  # of a call: for each argument the struct that is passed by value
    alignment: int = 1  # of what is allocated or accessed
    is_aligned: bool = False  # the source asks for the alignment
    check: CompilerCheck | None = None
    is_of_a_check: bool = False  # the compiler wrote it for a check; the program does not need it
    debug: int | None = None  # number of its DILocation
    location: Location | None = None


@dataclass(slots=True)
class BasicBlock:
    label: str
    instructions: list[Instruction] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Parameter:
    name: str
    type: Type
    byval: Type | None = None  # the callee works on its own copy of such a struct


@dataclass(slots=True, kw_only=True)
class FunctionDefinition:
    """A function; without blocks it is only declared."""

    name: str
    type: FunctionType
    parameters: tuple[Parameter, ...] = ()
    blocks: dict[str, BasicBlock] = field(default_factory=dict)
    internal: bool = False
    debug: int | None = None  # number of its DISubprogram
    variables: dict[str, int] = field(default_factory=dict)  # alloca or parameter: number of its DILocalVariable
    names: dict[str, str] = field(default_factory=dict)  # alloca or parameter: its name in the source
    labels: dict[str, int] = field(default_factory=dict)  # block: number of its DILabel
    location: Location | None = None
    info: DebugInfo | None = field(default=None, repr=False, compare=False)

    def instructions(self) -> Iterator[Instruction]:
        for block in self.blocks.values():
            yield from block.instructions


@dataclass(slots=True, kw_only=True)
class GlobalVariable:
    """``initializer`` is None for one that is only declared."""

    name: str
    type: Type
    initializer: Value | None
    constant: bool = False
    internal: bool = False
    thread_local: bool = False
    alignment: int = 1
    is_aligned: bool = False  # the source asks for the alignment
    debug: int | None = None
    source_name: str = ""
    location: Location | None = None
    info: DebugInfo | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True, kw_only=True)
class Module:
    bits: int
    is_library: bool = False  # its functions give way to those of the program
    is_task: bool = False  # written for SV-COMP, by the functions that it uses
    globals: dict[str, GlobalVariable] = field(default_factory=dict)
    functions: dict[str, FunctionDefinition] = field(default_factory=dict)
    aliases: dict[str, Value] = field(default_factory=dict)
    metadata: dict[int, str] = field(default_factory=dict)
    constructors: list[str] = field(default_factory=list)  # run before the entry, in this order
    destructors: list[str] = field(default_factory=list)  # run after the entry, in this order
    trusted: frozenset[str] = frozenset()  # functions without a body that the user says leave memory alone


def constant(value: Value) -> int | None:
    """The number that ``value`` is, if it is known."""
    match value:
        case ConstInt(_, number):
            return number
        case ConstZero() | ConstNull():
            return 0
        case _:
            return None


def references(value: Value) -> Iterator[str]:
    """The names of globals and functions whose addresses a constant holds."""
    stack = [value]
    while stack:
        match stack.pop():
            case GlobalRef(name):
                yield name
            case ConstAggregate(_, elements):
                stack.extend(elements)
            case ConstExpression(_, _, operands):
                stack.extend(operands)


def mentioned(function: FunctionDefinition) -> set[str]:
    """The functions and variables that ``function`` calls, points to or uses."""
    found = set()
    for instruction in function.instructions():
        values = instruction.operands if instruction.callee is None else (*instruction.operands, instruction.callee)
        found |= {name for value in values for name in references(value)}
    return found
