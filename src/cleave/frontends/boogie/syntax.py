"""What the parser produces. It is flat where programs can be deep, so that nothing which reads it recurses.

An expression is a list of instructions in postfix order, each ``(operation, token, detail)``:

    x + f(1)        NAME x, NUMBER 1, CALL (f, 1 argument), BINARY +

A body is a list of statements in which structure is bracketed:

    if (c) { x := 1; } else { x := 2; }        If c, Assign, Else, Assign, EndIf

Every ``at`` is the number of a token in the `Source`, from which the place in the file is found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any, Final

from cleave.records import dataclass

# The operations of postfix expressions, and what their detail is.
NAME: Final = 0  # the name of a variable or constant
NUMBER: Final = 1  # the literal's text
BOOLEAN: Final = 2  # True or False
BINARY: Final = 3  # the operator
NARY: Final = 4  # (&& or ||, how many operands)
UNARY: Final = 5  # the operator
CALL: Final = 6  # (name of the function, how many arguments), and the Type that the result is said to have, if it is
SELECT: Final = 7  # how many indices
STORE: Final = 8  # how many indices; the new element comes last
EXTRACT: Final = 9  # (end, start): texts of the two numbers
ITE: Final = 10  # None
OLD_BEGIN: Final = 11  # None
OLD_END: Final = 12  # None
CAST: Final = 13  # int or real
COERCE: Final = 14  # the Type
BIND: Final = 15  # the Quantifier; the variables are visible up to its QUANTIFY
TRIGGER: Final = 16  # how many terms
QUANTIFY: Final = 17  # the Quantifier
LET_BEGIN: Final = 18  # the names; their values come before
LET_END: Final = 19  # how many names
RECORD: Final = 20  # the names of the fields
FIELD: Final = 21  # the name of the field
CHANGED: Final = 22  # the name of the field; the record and the new value come before
IS: Final = 23  # the name of the constructor
CODE: Final = 24  # the CodeExpression

Instruction = tuple[int, int, Any]
Code = list[Instruction]
Attributes = dict[str, list[str]]  # the tokens of each attribute's parameters


# --- types and variables --------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class NamedType:
    at: int
    name: str
    arguments: tuple[Type, ...] = ()


@dataclass(slots=True, eq=False)
class MapType:
    at: int
    parameters: tuple[str, ...]
    indices: tuple[Type, ...]
    element: Type


@dataclass(slots=True, eq=False)
class RecordType:
    """Ultimate's: ``{ a, b: int, c: real }``"""

    at: int
    fields: tuple[tuple[str, Type], ...]


Type = NamedType | MapType | RecordType


@dataclass(slots=True, eq=False)
class Variable:
    """A declared variable, parameter or constant; ``name`` is empty for a function's unnamed parameter."""

    at: int
    name: str
    type: Type
    where: Code | None = None
    is_thread_local: bool = False


@dataclass(slots=True, eq=False)
class Quantifier:
    kind: str  # forall, exists or lambda
    variables: list[Variable]
    type_parameters: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class CodeExpression:
    """Whether all executions of a body return true."""

    at: int
    body: Body


# --- statements -----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class Label:
    at: int
    name: str


@dataclass(slots=True, eq=False)
class Assume:
    at: int
    attributes: Attributes
    condition: Code


@dataclass(slots=True, eq=False)
class Assert:
    at: int
    attributes: Attributes
    condition: Code


@dataclass(slots=True, eq=False)
class Target:
    """What is assigned: a variable, or an element of a map: one list of indices for each pair of brackets. Ultimate's
    records and data types have the name of a field there."""

    at: int
    name: str
    indices: list[list[Code] | str]


@dataclass(slots=True, eq=False)
class Assign:
    at: int
    targets: list[Target]
    values: list[Code]


@dataclass(slots=True, eq=False)
class Unpack:
    """``Pair(x, y) := e;``: the fields of a value, which has to be made by that constructor."""

    at: int
    constructor: str
    targets: list[tuple[int, str]]
    value: Code


@dataclass(slots=True, eq=False)
class Havoc:
    at: int
    names: list[tuple[int, str]]


@dataclass(slots=True, eq=False)
class Call:
    """``None`` among the arguments and ``*`` among the results stand for any value."""

    at: int
    attributes: Attributes
    procedure: str
    results: list[tuple[int, str]]
    arguments: list[Code | None]


@dataclass(slots=True, eq=False)
class Async:
    """Starts a thread that makes the call."""

    at: int
    call: Call


@dataclass(slots=True, eq=False)
class Par:
    """Makes all calls, each in a thread of its own, and waits for them."""

    at: int
    calls: list[Call]


@dataclass(slots=True, eq=False)
class Fork:
    """Ultimate's: starts a thread under the name of the values of ``ids``, which need not be different from others."""

    at: int
    ids: list[Code]
    call: Call


@dataclass(slots=True, eq=False)
class Join:
    """Ultimate's: waits for a thread of that name and takes its results."""

    at: int
    ids: list[Code]
    results: list[tuple[int, str]]


@dataclass(slots=True, eq=False)
class Yield:
    at: int


@dataclass(slots=True, eq=False)
class Atomic:
    at: int


@dataclass(slots=True, eq=False)
class EndAtomic:
    at: int


@dataclass(slots=True, eq=False)
class Goto:
    at: int
    labels: list[tuple[int, str]]


@dataclass(slots=True, eq=False)
class Return:
    at: int
    value: Code | None = None  # in a code expression


@dataclass(slots=True, eq=False)
class Break:
    at: int
    label: str


@dataclass(slots=True, eq=False)
class If:
    at: int
    condition: Code | None  # None: a free choice


@dataclass(slots=True, eq=False)
class Else:
    at: int


@dataclass(slots=True, eq=False)
class EndIf:
    at: int


@dataclass(slots=True, eq=False)
class Specification:
    """One requires, ensures or invariant."""

    at: int
    free: bool
    attributes: Attributes
    condition: Code


@dataclass(slots=True, eq=False)
class While:
    at: int
    condition: Code | None
    invariants: list[Specification]


@dataclass(slots=True, eq=False)
class EndWhile:
    at: int


ThreadStatement = Async | Par | Fork | Join
Statement = (
    Label | Assume | Assert | Assign | Unpack | Havoc | Call | Goto | Return | Break
    | If | Else | EndIf | While | EndWhile | ThreadStatement | Yield | Atomic | EndAtomic
)  # fmt: skip


# --- declarations ---------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class TypeDeclaration:
    at: int
    name: str
    parameters: tuple[str, ...]
    synonym: Type | None
    is_datatype: bool = False


@dataclass(slots=True, eq=False)
class Datatype:
    """A data type: its constructors with their fields."""

    at: int
    name: str
    constructors: list[tuple[str, list[Variable]]]
    type_parameters: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Constant:
    """``inferred``: Houdini would look for its value."""

    variable: Variable
    unique: bool
    inferred: bool = False


@dataclass(slots=True, eq=False)
class Function:
    at: int
    name: str
    type_parameters: tuple[str, ...]
    parameters: list[Variable]
    result: Type
    attributes: Attributes
    body: Code | None


@dataclass(slots=True, eq=False)
class Axiom:
    at: int
    condition: Code


@dataclass(slots=True, eq=False)
class Body:
    locals: list[Variable]
    statements: list[Statement]


@dataclass(slots=True, eq=False)
class Signature:
    """What procedures and implementations begin with."""

    at: int
    name: str
    type_parameters: tuple[str, ...]
    parameters: list[Variable]
    returns: list[Variable]
    attributes: Attributes


@dataclass(slots=True, eq=False)
class Procedure:
    signature: Signature
    requires: list[Specification] = field(default_factory=list)
    ensures: list[Specification] = field(default_factory=list)
    modifies: list[tuple[int, str]] = field(default_factory=list)
    body: Body | None = None


@dataclass(slots=True, eq=False)
class Implementation:
    signature: Signature
    body: Body


@dataclass(slots=True, eq=False)
class File:
    """All declarations, sorted by kind, each kind in the order of the file."""

    types: list[TypeDeclaration] = field(default_factory=list)
    datatypes: list[Datatype] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    axioms: list[Axiom] = field(default_factory=list)
    globals: list[Variable] = field(default_factory=list)
    procedures: list[Procedure] = field(default_factory=list)
    implementations: list[Implementation] = field(default_factory=list)
    written_types: list[Type] = field(default_factory=list)
    trigger_functions: Counter[str] = field(default_factory=Counter)  # how often triggers name each function
