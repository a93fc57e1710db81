"""Where every object lives: at a fixed address, or at one taken from a counter when it is allocated.

    int g;              fixed           int x; in a function that never recurses        fixed
    malloc in a loop    counter         int buffer[n], or x in a recursive function     counter

Two objects never overlap, there is room between them, none is at address 0, and addresses are never used again:
memory that was just taken from the counter holds any values because nothing was ever written there. An object at a
fixed address that is allocated again (the local of a function that is called twice) is given any values anew:
`Placement.refresh`.

Addresses are fixed so that the solver, and people, see numbers.
"""

from __future__ import annotations

from collections.abc import Callable

from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.cells import Cell, Memory, MemoryMap
from cleave.frontends.c.analysis.escape import private_allocas
from cleave.frontends.c.analysis.lives import Lives
from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.points_to import Object, PointsTo
from cleave.frontends.c.analysis.slots import slot_power
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.llvm.module import constant
from cleave.logic.sorts import array, bitvec
from cleave.logic.terms import var
from cleave.records import dataclass

ROOM = 16  # bytes between two objects, and the alignment of each
_FIRST_ADDRESS = 0x1000
_FIRST_NUMBER = 1 << 40
_FEW_CELLS = 16
_THREAD_BITS = 6


@dataclass(slots=True)
class Placement:
    """``address`` None: from the counter."""

    address: int | None
    size: int | None
    refresh: bool = False


@dataclass(frozen=True, slots=True)
class _Site:
    """The instruction that allocates an object."""

    instruction: l.Instruction
    label: str
    is_entry: bool


class Storage:
    def __init__(
        self,
        module: l.Module,
        facts: CallFacts,
        points_to: PointsTo,
        memories: MemoryMap,
        layout: Layout,
        lives: Lives | None = None,
        *,
        has_slots: bool = False,
    ) -> None:
        """``lives``: accesses are checked, so mortal locals have an address of their own. ``has_slots``: each object
        has a slot, so that pointers tell their object."""
        self._module = module
        self._facts = facts
        self._points_to = points_to
        self._memories = memories
        self._layout = layout
        self._lives = lives
        self.has_slots = has_slots
        self.thread_bits = _thread_bits(facts, module.bits)
        self._powers: dict[Memory, int] = {}
        self._sites: dict[Object, _Site] = {}
        self._private: dict[str, frozenset[str]] = {}
        self.placements: dict[Object, Placement] = {}
        self.first = _FIRST_NUMBER if points_to.converts and module.bits == 64 else _FIRST_ADDRESS
        self._next = self.first  # every address is greater; where integers hold some, small numbers are told apart
        self._find_sites()
        if has_slots:
            self._set_powers()
        self._place_all()

    @property
    def first_free(self) -> int:
        """Where the counter starts."""
        power = max(self.powers, default=0) if self.has_slots else 0
        return -(-self._next >> power) << power

    @property
    def room(self) -> int:
        """The bits of the addresses that each thread may take from the counter. The highest bit stays 0, and where
        objects have slots, the next one tells locals from other memory."""
        return self._module.bits - (2 if self.has_slots else 1) - self.thread_bits

    @property
    def suffices(self) -> bool:
        """Whether there is an address for each object that can be made."""
        made = [one for one, placement in self.placements.items() if placement.address is None]
        if not self.has_slots or not all(map(self._is_once, made)):
            return False
        return len(made) <= self.capacity

    @property
    def capacity(self) -> int:
        """So many objects have an address from the counter, at least, where they have slots."""
        return ((1 << self.room) - self.first_free >> max(self.powers, default=0)) - 1

    def address(self, name: str) -> int:
        """Of a global variable or a function."""
        kind = "function" if name in self._module.functions else "global"
        made = Object(kind, name)
        if made not in self.placements:  # mentioned only where it does not matter
            self.placements[made] = Placement(self._take(self._size(made), self._alignment(made)), None)
        found = self.placements[made].address
        assert found is not None
        return found

    def size(self, made: Object) -> int | None:
        return self._size(made)

    def is_elsewhere(self, made: Object) -> bool:
        """Whether an object is an array that another file defines, and nobody knows how large it is."""
        variable = self._module.globals.get(made.name) if made.kind == "global" else None
        if self._lives is None or variable is None or variable.initializer is not None:
            return False
        return isinstance(variable.type, l.ArrayType) and variable.type.count == 0

    def power(self, memory: Memory) -> int:
        """The bits of an address inside of a slot of a region's objects."""
        return self._powers.get(memory) or slot_power(self._module.bits, self.room, memory, ())

    @property
    def powers(self) -> set[int]:
        """Of all slots that may be taken from the counter."""
        return {
            self.power(self._memories.of(self._points_to.region_of_object(made)))
            for made, placement in self.placements.items()
            if placement.address is None
        }

    # --- placing ----------------------------------------------------------------------------------------------------

    def _find_sites(self) -> None:
        for name in self._facts.reachable:
            blocks = list(self._module.functions[name].blocks.values())
            for block in blocks:
                for instruction in block.instructions:
                    if instruction.result is None or instruction.opcode not in ("alloca", "call"):
                        continue
                    kind = "alloca" if instruction.opcode == "alloca" else "heap"
                    site = _Site(instruction, block.label, block is blocks[0])
                    self._sites[Object(kind, instruction.result, name)] = site

    def _set_powers(self) -> None:
        objects = [made for made in self._points_to.objects() if made.kind not in ("function", "external")]
        unknown = [made for made in objects if self._size(made) is None]
        for made in objects:
            memory = self._memories.of(self._points_to.region_of_object(made))
            if memory not in self._powers:
                here = [other for other in memory.region.objects if other.kind not in ("function", "external")]
                few = len(unknown) if all(self._is_once(other) for other in here if other in unknown) else 0
                self._powers[memory] = slot_power(self._module.bits, self.room, memory, map(self._size, here), few)

    def _is_once(self, made: Object) -> bool:
        """Whether an object is allocated at most once."""
        if self._is_renewed(made):
            return False
        return made.function in self._facts.once and self._sites[made].label not in self._facts.loops(made.function)

    def _place_all(self) -> None:
        for made in list(self._points_to.objects()):
            memory = self._memories.of(self._points_to.region_of_object(made))
            if made.kind == "function":
                self.placements[made] = Placement(self._take(1), 1)
            elif made.kind != "external":
                self.placements[made] = self._place(made, memory)

    def _place(self, made: Object, memory: Memory) -> Placement:
        size = self._size(made)
        others = [other for other in memory.region.objects if other.kind != "function" and other != made]
        if made.kind == "global":
            memory.single = not others
            return Placement(self._take(size, self._alignment(made), memory), size)
        site = self._sites[made]
        once = self._is_once(made)
        is_mortal = self._lives is not None and made in self._lives.mortal
        is_one = not (is_mortal or self._is_renewed(made)) and self._at_most_one_alive(made, site, alone=not others)
        fixed = size is not None and (once or is_one)
        if not others:
            memory.single = fixed
        elif fixed and not once:
            fixed = self._few_cells(memory, size or 0)
        if not fixed:
            return Placement(None, size)
        return Placement(self._take(size, self._alignment(made), memory), size, refresh=not once)

    def _is_renewed(self, made: Object) -> bool:
        return self._lives is not None and made in self._lives.renewed

    def _at_most_one_alive(self, made: Object, site: _Site, *, alone: bool) -> bool:
        """Or several that do not meet: one that is ``alone`` and never leaves its frame is held by locals."""
        if made.kind != "alloca" or not site.is_entry:
            return False
        if made.function not in self._facts.recursive:
            return True
        return alone and made.name in self._private_of(made.function)

    def _private_of(self, function: str) -> frozenset[str]:
        if function not in self._private:
            self._private[function] = private_allocas(self._module.functions[function], self._module)
        return self._private[function]

    def _few_cells(self, memory: Memory, size: int) -> bool:
        live = [cell for cell in memory.cells.values() if cell.read]
        repeats = -(-size // memory.stride) if memory.stride else 1
        return len(live) * repeats <= _FEW_CELLS

    def _take(self, size: int | None, alignment: int = 1, memory: Memory | None = None) -> int:
        if self.has_slots and memory is not None:
            power = self.power(memory)
            start = -(-self._next >> power) << power
            self._next = start + (1 << power)
            return start + (1 << power - 1)
        address = -(-self._next // alignment) * alignment
        self._next = address + -(-((size or 0) + ROOM) // ROOM) * ROOM
        return address

    def _alignment(self, made: Object) -> int:
        if made.kind == "global":
            variable = self._module.globals.get(made.name)
            return variable.alignment if variable is not None else 1
        site = self._sites.get(made)
        if site is None:
            return 1
        if site.instruction.opcode == "alloca":
            return site.instruction.alignment
        callee = site.instruction.callee
        is_chosen = isinstance(callee, l.GlobalRef) and kind_of(callee.name, self._module) is Kind.ALLOCATE_ALIGNED
        return (constant(site.instruction.operands[0]) or 1) if is_chosen else 1

    def _size(self, made: Object) -> int | None:
        if made.kind == "function":
            return 1
        if made.kind == "global":
            variable = self._module.globals.get(made.name)
            if variable is not None and self.is_elsewhere(made):
                return None
            return self._layout.size(variable.type) if variable is not None else ROOM
        site = self._sites.get(made)
        size = allocated_size(site.instruction, self._module, self._layout) if site is not None else None
        return size if size is None or size < 1 << self._module.bits - 3 else None  # there is no room for it


def _thread_bits(facts: CallFacts, bits: int) -> int:
    """Of an address, for the thread that took it: as many as its threads need, where that is known and addresses are
    few."""
    if not facts.has_threads:
        return 0
    count = thread_count(facts)
    return _THREAD_BITS if count is None or bits == 64 else min(_THREAD_BITS, (count - 1).bit_length())


def thread_count(facts: CallFacts) -> int | None:
    """How many threads there are at most, if the program tells."""
    starts = [(caller, label) for caller, starts in facts.spawned.items() for label, _ in starts]
    if any(caller not in facts.once or label in facts.loops(caller) for caller, label in starts):
        return None
    return 1 + len(starts)


def allocated_size(instruction: l.Instruction, module: l.Module, layout: Layout) -> int | None:
    """The bytes that an instruction allocates; None if that is not known before it runs."""
    if instruction.opcode == "alloca":
        assert instruction.source is not None
        count = constant(instruction.operands[0])
        return None if count is None else count * layout.size(instruction.source)
    if not isinstance(instruction.callee, l.GlobalRef):
        return None
    match kind_of(instruction.callee.name, module):
        case Kind.ALLOCATE | Kind.ALLOCATE_ONE_ZERO:
            return constant(instruction.operands[0])
        case Kind.REALLOCATE:
            return constant(instruction.operands[1])
        case Kind.ALLOCATE_ALIGNED:  # without a known alignment it has no fixed address
            return constant(instruction.operands[1]) if constant(instruction.operands[0]) is not None else None
        case Kind.ALLOCATE_ZERO:
            count, size = (constant(operand) for operand in instruction.operands[:2])
            return None if count is None or size is None else count * size
        case _:
            return None


# --- variables ------------------------------------------------------------------------------------------------------


def source_name(made: Object, module: l.Module) -> str:
    """What the source calls an object, as far as it has a name."""
    if made.kind == "global":
        variable = module.globals.get(made.name)
        return variable.source_name if variable is not None and variable.source_name else made.name
    if made.kind == "alloca":
        return module.functions[made.function].names.get(made.name, made.name)
    return "heap" if made.kind == "heap" else "memory"


def declare_cells(module: l.Module, memories: MemoryMap, fresh: Callable[[str, str], str]) -> dict[Cell, Memory]:
    """Gives a variable to every cell that is read and has no constant; ``fresh(name, owner)`` makes names."""
    declared: dict[Cell, Memory] = {}
    # Globals first: they keep their names.
    ordered = sorted(memories.all(), key=lambda memory: bool(_owner(memory)))
    for memory in ordered:
        data = [made for made in memory.region.objects if made.kind != "function"]
        owner = _owner(memory)
        base = source_name(data[0], module) if data else "memory"
        for cell in memory.cells.values():
            cell.owner = owner
        live = [cell for cell in memory.cells.values() if cell.read and cell.variable is None]
        for cell in live:
            sort = bitvec(8 * cell.size)
            if not memory.single or memory.stride:
                sort = array(bitvec(module.bits), sort)
            whole = len(live) == 1 and cell.start == 0
            name = fresh(base if whole else f"{base}+{cell.start}", owner)
            cell.variable = var(name, sort)
            declared[cell] = memory
    return declared


def _owner(memory: Memory) -> str:
    """The only function that uses the cells of a single object, if its frame holds them."""
    data = [made for made in memory.region.objects if made.kind != "function"]
    if memory.single and data[0].kind == "alloca" and memory.functions <= {data[0].function}:
        return data[0].function
    return ""
