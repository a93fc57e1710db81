"""How much memory there is where a pointer points: for each region what its objects' extents are.

    int a[10], b[4]; … p …              extent(p's object) = 41 if it is a, 5 if it is b, else 0
    malloc(n) … free(p)                 heap.extent, an array: [base := n + 1] … [base := 0]

The extent of an object is its size in bytes plus one while it is alive, and 0 otherwise: a null pointer's, a wild
one's, one's that is not allocated yet or was freed. Objects are named by the address at which they start. Only regions
with objects that come, go or vary have a variable; one bit vector for a single object, else an array.
"""

from __future__ import annotations

from collections.abc import Iterable

from cleave.frontends.c.analysis.cells import Memory, MemoryMap
from cleave.frontends.c.analysis.lives import Lives
from cleave.frontends.c.analysis.points_to import Object, PointsTo
from cleave.frontends.c.analysis.storage import Storage, source_name
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Names
from cleave.ir.program import Assign, Assume, Havoc, Statement
from cleave.logic.sorts import array, bitvec
from cleave.logic.terms import Op, Term, bv, conj_all, const_array, disj_all, ite, select, store, var
from cleave.records import dataclass

_FEW = 8  # objects that are told apart one by one


@dataclass(slots=True, eq=False)
class Extent:
    """Of the objects of one region."""

    width: int
    power: int
    fixed: dict[int, int]  # where an object lies that is always there: its size
    variable: Term | None = None  # of those that are not
    address: int | None = None  # of the only object, where the variable is its extent
    changes: bool = False  # an object may die: what held once may not hold later
    outside: bool = False  # there may be objects that the program did not make: see `is_outside`
    arguments: bool = False  # among these are those of main
    size: int | None = None  # that all objects have
    smallest: int = 0  # what every object has at least
    read_only: frozenset[int] = frozenset()  # where constant objects lie
    heap: frozenset[int] = frozenset()  # where objects lie, at fixed addresses, that may be freed
    others: frozenset[int] = frozenset()  # where objects lie, at fixed addresses, that may not
    can_free: bool = False  # objects without a fixed address may be freed
    has_stack: bool = False  # among these are locals: `on_stack` tells them from what can be freed

    def of(self, base: Term) -> Term:
        """The extent of the object that starts at ``base``."""
        found: Term = bv(0, self.width)
        if self.variable is not None and self.variable.sort.is_array:
            return select(self.variable, base)
        if self.variable is not None and self.address is not None:
            found = ite(bits.same(base, bv(self.address, self.width)), self.variable, found)
        for address, size in self.fixed.items():
            found = ite(bits.same(base, bv(address, self.width)), bv(size + 1, self.width), found)
        return found

    def is_there(self, base: Term) -> Term:
        """Whether an object starts at ``base``."""
        zero = bv(0, self.width)
        if self.variable is not None and self.variable.sort.is_array:
            return bits.differ(select(self.variable, base), zero)
        found = [bits.same(base, bv(address, self.width)) for address in self.fixed]
        if self.variable is not None and self.address is not None:
            here = bits.same(base, bv(self.address, self.width))
            found.append(conj_all((here, bits.differ(self.variable, zero))))
        return disj_all(found)

    def is_sensible(self, pointer: Term) -> Term:
        """Whether a pointer that comes from outside is null, to an object there, or to one of the program."""
        there = self.is_there(self.base(pointer))
        return disj_all((bits.same(pointer, bv(0, self.width)), is_outside(pointer), there))

    def vector(self) -> Term:
        """Where the arguments of main lie."""
        return bv((1 << self.width - 1) + (1 << self.power - 1), self.width)

    def is_argument(self, place: Term) -> Term:
        """Whether a pointer to one of the arguments of main is stored at ``place``."""
        count = bits.plus(self.of(self.vector()), -(1 + self.width // 8))  # one more, which is null
        return bits.compare(Op.BV_ULT, bits.binary(Op.BV_SUB, place, self.vector()), count)

    def may_write(self, base: Term) -> Term:
        """Whether no constant starts at ``base``."""
        return conj_all(bits.differ(base, bv(address, self.width)) for address in sorted(self.read_only))

    def may_free(self, base: Term) -> Term:
        """Whether what starts at ``base``, if anything, is memory that was allocated."""
        others = [bits.differ(base, bv(address, self.width)) for address in sorted(self.others)]
        if self.has_stack:
            bit = bits.part(base, self.width - 2, self.width - 2)
            others.append(bits.same(bit, bv(0, 1)))
        return conj_all(others)

    def changed(self, base: Term, extent: Term) -> dict[Term, Term]:
        """The variable's new value after the object at ``base`` got another extent."""
        if self.variable is None:
            return {}
        if self.variable.sort.is_array:
            return {self.variable: store(self.variable, base, extent)}
        assert self.address is not None
        return {self.variable: ite(bits.same(base, bv(self.address, self.width)), extent, self.variable)}

    def base(self, address: Term) -> Term:
        """Where an object starts in whose slot an address is."""
        half = 1 << self.power - 1
        if address.is_value:
            return bv((address.value >> self.power << self.power) + half, self.width)
        return bits.joined([bv(half, self.power), bits.part(address, self.width - 1, self.power)])

    def initial(self) -> Statement | None:
        if self.variable is None:
            return None
        zero = bv(0, self.width)
        if not self.variable.sort.is_array:
            return Assign((self.variable,), (zero,))
        value = const_array(bitvec(self.width), zero)
        for address, size in self.fixed.items():
            value = store(value, bv(address, self.width), bv(size + 1, self.width))
        return Assign((self.variable,), (value,))


class Extents:
    """Of all regions."""

    def __init__(
        self,
        module: l.Module,
        points_to: PointsTo,
        memories: MemoryMap,
        storage: Storage,
        lives: Lives,
        names: Names,
        layout: Layout,
    ) -> None:
        self._module = module
        self._layout = layout
        self._points_to = points_to
        self._memories = memories
        self._storage = storage
        self._lives = lives
        self._names = names
        self._extents: dict[Memory, Extent] = {}
        self._sizes: dict[Object, Term] = {}  # of arrays that other files define

    def of(self, memory: Memory) -> Extent:
        if memory not in self._extents:
            self._extents[memory] = self._make(memory)
        return self._extents[memory]

    def variables(self) -> Iterable[Term]:
        return [each.variable for each in self._extents.values() if each.variable is not None]

    def initial(self) -> tuple[Statement, ...]:
        made = (each.initial() for each in self._extents.values())
        return (*(statement for statement in made if statement is not None), *self._elsewhere())

    def declare_sizes(self) -> Iterable[Term]:
        """Variables for the sizes of arrays that other files define."""
        for made in list(self._storage.placements):
            if self._storage.is_elsewhere(made):
                name = self._names.fresh(f"{source_name(made, self._module)}.size")
                self._sizes[made] = var(name, bitvec(self._module.bits))
        return self._sizes.values()

    def _elsewhere(self) -> Iterable[Statement]:
        """Such an array has an element, at least."""
        for made, size in self._sizes.items():
            memory = self._memories.of(self._points_to.region_of_object(made))
            address, type = self._storage.placements[made].address, self._module.globals[made.name].type
            assert address is not None
            assert isinstance(type, l.ArrayType)
            least, most = self._layout.size(type.element), (1 << self._storage.power(memory) - 1) - 1
            yield Havoc((size,), None, f"the file that defines {source_name(made, self._module)}")
            fits = (
                bits.compare(Op.BV_ULE, bv(least, size.sort.width), size),
                bits.compare(Op.BV_ULE, size, bv(most, size.sort.width)),
            )
            yield Assume(conj_all(fits))
            changed = self.of(memory).changed(bv(address, size.sort.width), bits.plus(size, 1))
            yield Assign(tuple(changed), tuple(changed.values()))

    def comes_and_goes(self, made: Object) -> bool:
        """Whether an object is not always there."""
        return self._comes_and_goes(made, self._memories.of(self._points_to.region_of_object(made)))

    def is_mortal(self, made: Object) -> bool:
        return made in self._lives.mortal

    def is_scoped(self, made: Object) -> bool:
        return made in self._lives.scoped

    def outside_frees(self, memory: Memory) -> bool:
        """Whether it has blocks from malloc that a function without a body that can reach them may free."""
        return self._lives.outside_frees and any(made.kind == "heap" for made in memory.region.objects)

    def is_renewed(self, made: Object) -> bool:
        return made in self._lives.renewed

    def _make(self, memory: Memory) -> Extent:
        width, storage = self._module.bits, self._storage
        objects = [made for made in memory.region.objects if made.kind != "function"]
        made = Extent(width, storage.power(memory), {})
        inside = [each for each in objects if each.kind != "external"]
        made.outside = len(inside) < len(objects)
        made.arguments = any(each.kind == "external" and each.function == "main" for each in objects)
        coming = [each for each in inside if self._comes_and_goes(each, memory)]
        made.fixed = {
            address: storage.size(each) or 0
            for each in inside
            if each not in coming and (address := storage.placements[each].address) is not None
        }
        made.changes = self._lives.is_freed(memory.region) or any(
            self.is_mortal(each) or self.is_scoped(each) for each in coming
        )
        sizes = {storage.size(each) for each in inside}
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes) and known:
            made.smallest = min(known)
            made.size = known[0] if len(known) == 1 else None
        made.read_only = frozenset(storage.address(each.name) for each in inside if self._is_constant(each))
        placed = {address: each for each in inside if (address := storage.placements[each].address) is not None}
        made.heap = frozenset(address for address, each in placed.items() if each.kind == "heap")
        made.others = frozenset(placed) - made.heap
        made.can_free = any(each.kind == "heap" and each in coming for each in inside)
        made.has_stack = any(each.kind == "alloca" and each in coming for each in inside)
        if coming or made.arguments or len(made.fixed) > _FEW:
            self._declare(made, memory, coming, objects)
        return made

    def _declare(self, made: Extent, memory: Memory, coming: list[Object], objects: list[Object]) -> None:
        sort = bitvec(made.width)
        single = memory.single and len(objects) == 1
        if single:
            made.address = self._storage.placements[objects[0]].address
        else:
            sort = array(sort, sort)
        name = source_name((coming or objects)[0], self._module)
        made.variable = var(self._names.fresh(f"{name}.extent"), sort)

    def _comes_and_goes(self, made: Object, memory: Memory) -> bool:
        if self._storage.placements[made].address is None or self.is_mortal(made) or self.is_scoped(made):
            return True
        if self._storage.is_elsewhere(made):
            return True
        return made.kind == "heap" and self._lives.is_freed(memory.region)

    def _is_constant(self, made: Object) -> bool:
        variable = self._module.globals.get(made.name) if made.kind == "global" else None
        return variable is not None and variable.constant


def is_outside(pointer: Term) -> Term:
    """Whether a pointer is to memory that the program did not make; objects there are as large as they need to be."""
    width = pointer.sort.width
    return bits.compare(Op.BV_ULE, bv(3 << width - 2, width), pointer)


def on_stack(address: Term) -> Term:
    """Where a local is placed that takes its address from the counter: apart from all memory that can be freed."""
    return bits.plus(address, 1 << address.sort.width - 2)
