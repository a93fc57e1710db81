"""Where a program looks at addresses as numbers: only some of what it sees there is fixed.

    (uintptr_t)p % 8, p < q, p - q                  looks; p == q, p->next, (T *)(uintptr_t)p do not
    int x; char c; malloc(n)                        the last 2, 0 and 4 bits of an address are zero

A compiler and a system place objects where they like, as far as alignments allow. What depends on the place is any
value: see `lowering.numbers`.
"""

from __future__ import annotations

from cleave.frontends.c.analysis.calls import CallFacts
from cleave.frontends.c.analysis.models import Kind, kind_of
from cleave.frontends.c.analysis.points_to import Object, PointsTo, Region
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.layout import Layout
from cleave.frontends.c.llvm.module import constant

_ORDERS = frozenset(f"{sign}{order}" for sign in "us" for order in ("lt", "le", "gt", "ge"))
_BUMPED = 16  # arrays that are at least as large are aligned so, though C does not ask for it


def orders(instruction: l.Instruction) -> bool:
    """Whether the result depends on which of two addresses is greater, or by how much."""
    return instruction.opcode == "sub" or (instruction.opcode == "icmp" and instruction.predicate in _ORDERS)


def computes_with_addresses(module: l.Module, facts: CallFacts, points_to: PointsTo) -> bool:
    """Whether arithmetic may have an address among its operands."""
    return any(
        points_to.may_keep_pointer(name, one) and any(points_to.holds_address(name, value) for value in one.operands)
        for name in facts.reachable
        for one in module.functions[name].instructions()
    )


def orders_objects(module: l.Module, facts: CallFacts, points_to: PointsTo) -> bool:
    """Whether it may matter if two addresses are of the same object."""
    return any(
        orders(one)
        and all(points_to.holds_address(name, value) for value in one.operands)
        and len({points_to.region(name, value) for value in one.operands}) == 1
        and not is_one(points_to.region(name, one.operands[0]), module, facts)
        for name in facts.reachable
        for one in module.functions[name].instructions()
    )


def is_one(region: Region, module: l.Module, facts: CallFacts) -> bool:
    """Whether there is at most one object in a region, or one at a time."""
    if len(region.objects) != 1:
        return False
    (made,) = region.objects
    if made.kind in ("global", "function"):
        return True
    if made.kind != "alloca" or made.function in facts.recursive:
        return False
    first = next(iter(module.functions[made.function].blocks.values()))
    return any(one.opcode == "alloca" and one.result == made.name for one in first.instructions)


class Alignments:
    """Of objects: a power of two that divides every address where one may be placed."""

    def __init__(self, module: l.Module, points_to: PointsTo, layout: Layout) -> None:
        self._module = module
        self._points_to = points_to
        self._layout = layout
        self._known: dict[Region, int] = {}

    def of(self, region: Region) -> int:
        """What all objects of a region have."""
        region = self._points_to.find(region)
        if region not in self._known:
            self._known[region] = min(map(self._object, region.objects), default=1)
        return self._known[region]

    def _object(self, made: Object) -> int:
        if made.kind == "global":
            variable = self._module.globals.get(made.name)
            return 1 if variable is None else self._promised(variable.type, variable.alignment, variable.is_aligned)
        if made.kind not in ("alloca", "heap"):
            return 1
        found = [one for one in self._module.functions[made.function].instructions() if one.result == made.name]
        if not found:
            return 1
        if made.kind == "heap":
            return self._allocated(found[0])
        assert found[0].source is not None
        many = constant(found[0].operands[0])
        type = found[0].source if many == 1 else l.ArrayType(many or _BUMPED, found[0].source)
        return self._promised(type, found[0].alignment, found[0].is_aligned)

    def _promised(self, type: l.Type, given: int, asked: bool) -> int:
        """``given`` by the compiler, which does more for large arrays than types need, unless the source ``asked``."""
        is_bumped = given == _BUMPED and isinstance(type, l.ArrayType) and not asked
        return self._layout.alignment(type) if is_bumped else given

    def _allocated(self, call: l.Instruction) -> int:
        """What the largest scalar type needs; or what the call says."""
        name = call.callee.name if isinstance(call.callee, l.GlobalRef) else ""
        most = self._module.bits // 4
        if kind_of(name, self._module) is Kind.ALLOCATE_ALIGNED:
            wanted = constant(call.operands[0]) or 0
            return max(most, wanted & -wanted)
        return most
