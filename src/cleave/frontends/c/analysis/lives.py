"""Which objects can die while a pointer to them is left: memory that is freed, and locals whose address outlives them.

    int *f(void) { int x; return &x; }              x: its address leaves the frame
    void g(void) { int y; swap(&y, &y); }           y does not: swap keeps no pointer

A local is ``scoped`` if its address outlives its block, though not its function: another local of the frame holds it,
and pointers are used after the block. Clang says where blocks end if it is asked to (`needs_scopes`). If the block is
in a loop, the local is ``renewed``: another object in each round, so that pointers to it from the last one are dead.

A local is mortal if two analyses say so. The first follows addresses inside of functions, with a summary for each
parameter: does the function keep it (store it where others find it), or return it? The second asks the regions: does
an object that may outlive the frame hold pointers of the local's region, or does the function return one?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.outside import RETURN
from cleave.frontends.c.analysis.points_to import Object, PointsTo, Region
from cleave.frontends.c.analysis.stack import restored
from cleave.frontends.c.llvm import module as l
from cleave.records import dataclass

_KEEPING = frozenset((Kind.SPAWN, Kind.REALLOCATE, Kind.OUTSIDE))
_PASSING = frozenset((Kind.COPY, Kind.FILL, Kind.FIRST))  # give back their first argument
_SILENT = frozenset(("load", "icmp", "br", "switch", "alloca", "unreachable", "fence"))


@dataclass(slots=True)
class _Summary:
    """What a function does with addresses; a name is that of an alloca or a parameter."""

    roots: dict[str, set[str]] = field(default_factory=dict)  # register: the names it may be derived from
    holds: dict[str, set[str]] = field(default_factory=dict)  # an alloca: what may be stored in it
    kept: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)

    def size(self) -> int:
        sets = (*self.roots.values(), *self.holds.values(), self.kept, self.returned)
        return sum(map(len, sets))


class Lives:
    """``mortal`` and ``scoped`` locals, and ``freed`` regions: those that have memory which is given back."""

    def __init__(self, module: l.Module, facts: CallFacts, points_to: PointsTo, *, outside_frees: bool = False) -> None:
        """``outside_frees``: functions without a body may free what they can reach."""
        self.outside_frees = outside_frees
        self._module = module
        self._facts = facts
        self._points_to = points_to
        self._summaries = {name: self._start(module.functions[name]) for name in facts.reachable}
        self._summarize()
        self.freed = {points_to.find(region) for region in self._freed()}
        if outside_frees:
            self.freed |= {points_to.find(region) for region in points_to.outside.regions}
        self.mortal = {made for made in points_to.objects() if made.kind == "alloca" and self._is_mortal(made)}
        self.scoped = {made for name in facts.reachable for made in self._scoped(name)}
        self.renewed = {made for made in self.scoped if not facts.has_threads and self._is_renewed(made)}

    def is_freed(self, region: Region) -> bool:
        return self._points_to.find(region) in self.freed

    def _freed(self) -> Iterable[Region]:
        for name in self._facts.reachable:
            for instruction in self._module.functions[name].instructions():
                callee = instruction.callee
                if not isinstance(callee, l.GlobalRef) or not instruction.operands:
                    continue
                if kind_of(callee.name, self._module) in (Kind.FREE, Kind.REALLOCATE):
                    yield self._points_to.region(name, instruction.operands[0])

    # --- what regions say -------------------------------------------------------------------------------------------

    def _is_mortal(self, made: Object) -> bool:
        function = made.function
        if function == self._facts.entry and function in self._facts.once:
            return False  # the program ends with it
        if made.name not in self._summaries[function].kept:
            return False
        region = self._points_to.region_of_object(made)
        returned = l.Local(RETURN, l.POINTER)
        if self._points_to.region(function, returned) is region:
            return True
        return any(
            self._may_outlive(holder, function)
            for holder in list(self._points_to.objects())
            if self._points_to.contents(self._points_to.region_of_object(holder)) is region
        )

    def _may_outlive(self, holder: Object, function: str) -> bool:
        """Whether an object may still be there, and be used, when an activation of ``function`` has ended."""
        if holder.kind != "alloca":
            return holder.kind != "function"
        if self._facts.has_threads:
            return holder.function != function or function in self._facts.recursive
        return function in self._below(holder.function)

    def _below(self, function: str) -> set[str]:
        """What a function may call, directly or not."""
        found: set[str] = set()
        pending = [function]
        while pending:
            for _, callee in self._facts.callees.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found

    # --- blocks -----------------------------------------------------------------------------------------------------

    def _scoped(self, function: str) -> Iterable[Object]:
        """Of the locals that die with their block: those that are known to others, and followed by uses of pointers."""
        summary = self._summaries[function]
        known = summary.kept.union(*summary.holds.values())
        arrays = restored(self._module.functions[function])
        for block in self._module.functions[function].blocks.values():
            for position, instruction in enumerate(block.instructions):
                ended = known.intersection(self._ended(instruction, arrays))
                if ended and self._uses_pointers_later(function, block, position):
                    yield from (Object("alloca", name, function) for name in sorted(ended))

    def _ended(self, instruction: l.Instruction, arrays: Mapping[int, tuple[str, ...]]) -> tuple[str, ...]:
        """``arrays``: the allocations that end with each instruction that restores the stack."""
        return arrays.get(id(instruction)) or self._scope_of(instruction, Kind.SCOPE_END)

    def _scope_of(self, instruction: l.Instruction, wanted: Kind) -> tuple[str, ...]:
        """The local whose block begins, or ends, with an instruction."""
        callee = instruction.callee
        if not isinstance(callee, l.GlobalRef) or kind_of(callee.name, self._module) is not wanted:
            return ()
        operand = instruction.operands[-1]
        return (operand.name,) if isinstance(operand, l.Local) else ()

    def _is_renewed(self, made: Object) -> bool:
        """Whether its block may begin again while a pointer to it is left: one that does not end with the block."""
        blocks = self._module.functions[made.function].blocks
        loops = self._facts.loops(made.function)
        starts = {
            label
            for label, block in blocks.items()
            if any(made.name in self._scope_of(one, Kind.SCOPE_BEGIN) for one in block.instructions)
        }
        if starts.isdisjoint(loops):
            return False
        summary = self._summaries[made.function]
        holders = [name for name, held in summary.holds.items() if made.name in held]
        ends = self._ends(made.name, blocks)
        return made.name in summary.kept or any(not ends <= self._ends(name, blocks) for name in holders)

    def _ends(self, name: str, blocks: Mapping[str, l.BasicBlock]) -> set[str]:
        """The blocks of the function in which a local ends."""
        return {
            label
            for label, block in blocks.items()
            if any(name in self._scope_of(one, Kind.SCOPE_END) for one in block.instructions)
        }

    def _uses_pointers_later(self, function: str, block: l.BasicBlock, position: int) -> bool:
        blocks = self._module.functions[function].blocks
        own = {one.result for each in blocks.values() for one in each.instructions if one.opcode == "alloca"}
        pending, found = [block.instructions[position + 1 :]], set[str]()
        while pending:
            instructions = pending.pop()
            if any(self._may_use_pointer(one, own) for one in instructions):
                return True
            for label in instructions[-1].labels:
                if label not in found:
                    found.add(label)
                    pending.append(blocks[label].instructions)
        return False

    def _may_use_pointer(self, one: l.Instruction, own: set[str | None]) -> bool:
        if one.opcode == "call":
            callee = one.callee.name if isinstance(one.callee, l.GlobalRef) else ""
            return kind_of(callee, self._module) not in (Kind.SCOPE_BEGIN, Kind.SCOPE_END, Kind.RESTORE, Kind.NOTHING)
        if one.opcode not in ("load", "store", "atomicrmw", "cmpxchg"):
            return False
        pointer = one.operands[-1] if one.opcode == "store" else one.operands[0]
        return isinstance(pointer, l.Local) and pointer.name not in own

    # --- what functions do ------------------------------------------------------------------------------------------

    def _start(self, function: l.FunctionDefinition) -> _Summary:
        made = _Summary()
        for parameter in function.parameters:
            made.roots[parameter.name] = {parameter.name}
        for instruction in function.instructions():
            if instruction.opcode == "alloca" and instruction.result is not None:
                made.roots[instruction.result] = {instruction.result}
                made.holds[instruction.result] = set()
        return made

    def _summarize(self) -> None:
        before = -1
        while (now := sum(each.size() for each in self._summaries.values())) != before:
            before = now
            for name, summary in self._summaries.items():
                for instruction in self._module.functions[name].instructions():
                    self._instruction(summary, instruction)
                for held, names in summary.holds.items():
                    if held in summary.kept:
                        summary.kept |= names

    def _instruction(self, summary: _Summary, instruction: l.Instruction) -> None:
        operands, result = instruction.operands, instruction.result
        match instruction.opcode:
            case "call":
                self._call(summary, instruction)
            case "store":
                self._put(summary, operands[1], _roots(summary, operands[:1]))
            case "atomicrmw" | "cmpxchg":
                self._put(summary, operands[0], _roots(summary, operands[1:]))
                _derive(summary, result, self._held(summary, operands[0]))
            case "load":
                _derive(summary, result, self._held(summary, operands[0]))
            case "ret":
                given = _roots(summary, operands)
                summary.returned |= given
                summary.kept |= given & summary.holds.keys()
            case opcode if opcode not in _SILENT:
                _derive(summary, result, _roots(summary, operands))

    def _put(self, summary: _Summary, pointer: l.Value, values: set[str]) -> None:
        """Stores: into the function's own locals, or where it is not known who reads."""
        if not values:
            return
        places = _roots(summary, (pointer,))
        for place in places:
            if place in summary.holds:
                summary.holds[place] |= values
        if not places or not places <= summary.holds.keys():
            summary.kept |= values

    def _held(self, summary: _Summary, pointer: l.Value) -> set[str]:
        found: set[str] = set()
        for place in _roots(summary, (pointer,)):
            found |= summary.holds.get(place, set())
        return found

    def _call(self, summary: _Summary, call: l.Instruction) -> None:
        given = [_roots(summary, (operand,)) for operand in call.operands]
        for names in given:  # whoever gets a local's address may read what it holds, and keep that
            for name in names:
                summary.kept |= summary.holds.get(name, set())
        for target in self._targets(call):
            self._pass(summary, call, given, target)

    def _pass(self, summary: _Summary, call: l.Instruction, given: list[set[str]], target: str) -> None:
        kind = kind_of(target, self._module)
        called = self._summaries.get(target)
        if kind is None and called is not None:
            parameters = [parameter.name for parameter in self._module.functions[target].parameters]
            for position, names in enumerate(given):
                known = parameters[position] if position < len(parameters) else ""
                if not known or known in called.kept:
                    summary.kept |= names
                if known in called.returned:
                    _derive(summary, call.result, names)
        elif kind in _PASSING:
            _derive(summary, call.result, given[0] if given else set())
        elif kind is None or kind in _KEEPING:
            for names in given:
                summary.kept |= names
                _derive(summary, call.result, names)

    def _targets(self, call: l.Instruction) -> list[str]:
        callee = self._facts.resolve(call.callee)
        match callee:
            case l.GlobalRef(name):
                return [name]
            case l.InlineAssembly() | None:
                return []
            case _:
                return self._facts.targets(call) or [""]


def _roots(summary: _Summary, values: Iterable[l.Value]) -> set[str]:
    found: set[str] = set()
    for value in values:
        if isinstance(value, l.Local):
            found |= summary.roots.get(value.name, set())
    return found


def _derive(summary: _Summary, result: str | None, names: set[str]) -> None:
    if result is not None and names:
        summary.roots.setdefault(result, set()).update(names)


def leading_to_heap(points_to: PointsTo) -> list[Object]:
    """The global variables that may lead to memory that was allocated."""
    return [made for made in points_to.objects() if made.kind == "global" and _leads_to_heap(made, points_to)]


def _leads_to_heap(made: Object, points_to: PointsTo) -> bool:
    region: Region | None = points_to.region_of_object(made)
    found: set[Region] = set()
    while region is not None and points_to.find(region) not in found:
        region = points_to.find(region)
        found.add(region)
        region = region.contents
    return any(one.kind == "heap" for region in found for one in region.objects)
