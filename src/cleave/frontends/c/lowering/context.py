"""The context that the lowering of every function shares: the module, what was found out about it, and the names of
globals."""

from __future__ import annotations

from dataclasses import field

from cleave.frontends.c.analysis.accesses import AccessFinder
from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.cells import Cell, MemoryMap
from cleave.frontends.c.analysis.models import ERROR_FUNCTIONS
from cleave.frontends.c.analysis.numbers import Alignments
from cleave.frontends.c.analysis.points_to import PointsTo
from cleave.frontends.c.analysis.storage import Storage
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.llvm.image import Constants
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.lowering.bits import sort_of_width
from cleave.frontends.c.lowering.body import Names
from cleave.frontends.c.lowering.checks import Checks
from cleave.frontends.c.lowering.extents import Extents
from cleave.frontends.c.lowering.races import Races
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.built_in import ASSERTIONS, ERROR_LABEL
from cleave.ir.program import Location
from cleave.ir.store_buffers import Model
from cleave.logic.sorts import Sort, array, bitvec
from cleave.logic.terms import Term, var
from cleave.records import dataclass

COUNTER = "next_address"


@dataclass(slots=True)
class Context:
    module: l.Module
    options: COptions
    checks: Checks
    layout: Layout
    facts: CallFacts
    points_to: PointsTo
    finder: AccessFinder
    memories: MemoryMap
    storage: Storage
    constants: Constants
    names: Names
    alignments: Alignments
    plain_pointers: PointsTo | None = None  # what is found where not every integer is followed; None: the same
    parts_of_pointers: frozenset[Cell] = frozenset()  # cells with pointers, of which parts are read as numbers
    globals: list[Term] = field(default_factory=list)
    global_set: set[Term] = field(default_factory=set)
    unreturning: frozenset[str] = frozenset()  # functions that say whether they ended with a return statement
    uses_counter: bool = False
    depths: dict[str, Term] = field(default_factory=dict)  # how often functions are active that call themselves
    races: Races | None = None  # None: they are not asked for
    extents: Extents | None = None  # None: accesses are not checked
    blocks: Term | None = None  # how many that were allocated are not freed; None: nobody asks
    roots: tuple[Term, ...] | None = ()  # the global pointers that may lead to these; None: not known
    allocation_can_fail: bool = False  # malloc may return null
    limited: int | None = None  # larger objects than that are not considered
    most_objects: int | None = None  # executions that make more are not considered
    allocates: bool = False  # asks for memory, which is always granted
    grows_unknown_blocks: bool = False  # realloc of blocks whose size is not known here

    @property
    def pointer(self) -> Sort:
        return bitvec(self.module.bits)

    @property
    def store_buffers(self) -> Model | None:
        """The memory model, if stores wait in buffers."""
        model = self.options.memory_model
        return None if model == "sc" or not self.has_threads else model

    @property
    def has_threads(self) -> bool:
        return self.facts.has_threads

    @property
    def looks_for_labels(self) -> bool:
        """Whether an error label is a violation: where nothing is asked for, unless the program has an error
        function, which is another way to say what an error is."""
        found = self.checks.by_default and ERROR_FUNCTIONS.isdisjoint(self.module.functions)
        return found or self.checks.wants(ERROR_LABEL)

    @property
    def label_property(self) -> str:
        return ERROR_LABEL if self.checks.wants(ERROR_LABEL) else ASSERTIONS

    def counter(self) -> Term:
        """The variable that holds the next address that was never used; with threads, a number for each of them."""
        made = var(COUNTER, array(self.pointer, self.pointer) if self.has_threads else self.pointer)
        if not self.uses_counter:
            self.uses_counter = True
            self.declare(made)
        return made

    def declare(self, variable: Term) -> None:
        self.globals.append(variable)
        self.global_set.add(variable)

    def sort(self, type: l.Type, location: Location | None) -> Sort:
        """Of a scalar type."""
        match type:
            case l.IntType(width):
                return sort_of_width(width)
            case l.PointerType():
                return self.pointer
            case l.FloatType(_, width):
                return bitvec(width)
            case _:
                raise unsupported("a vector, or another type that C has no operators for, is not supported", location)

    def sorts(self, type: l.Type, location: Location | None) -> tuple[Sort, ...]:
        """Of all the scalars in ``type``; none for void."""
        if isinstance(type, l.VoidType):
            return ()
        if has_vector(type):
            raise unsupported("vector operations are not supported", location)
        return tuple(self.sort(leaf, location) for _, leaf in self.layout.leaves(type))


def has_vector(type: l.Type, *, moved: bool = True) -> bool:
    """Whether there is a vector in ``type`` that cannot be handled; one of two floats, which is how structs of floats
    are passed, can be ``moved``."""
    match type:
        case l.VectorType(count, element):
            return not moved or count != 2 or element != l.FloatType("float", 32)
        case l.StructType(fields):
            return any(has_vector(part, moved=moved) for part in fields)
        case l.ArrayType(_, element):
            return has_vector(element, moved=moved)
        case _:
            return False
