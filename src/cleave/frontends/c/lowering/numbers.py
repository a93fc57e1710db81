"""Addresses as numbers: what C leaves to the compiler and the system is any value, and a violation that needs one is
in doubt.

    (uintptr_t)p & 7        p & 7 if all objects there are aligned to 8 bytes or more, else any of 0 … 7
    (uintptr_t)p & ~7       p - ((uintptr_t)p & 7): an address in the same object
    p < q, p - q            exact inside of one object, else any
    p == q                  exact; but a dead object's address may be used again, and one object may follow another

Inside of a program an address is a number that Cleave has chosen, and so it is kept in integers, too: what is only
moved, or moved back, is exact. Small numbers are no addresses, so a variable may hold both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.models import TOUCHING, Kind, kind_of
from cleave.frontends.c.analysis.numbers import is_one, orders
from cleave.frontends.c.analysis.points_to import NO_ADDRESS, Region
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.module import constant, references
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import Terms
from cleave.frontends.c.lowering.operators import apply_binary, apply_cast, apply_comparison
from cleave.logic.sorts import BOOL
from cleave.logic.terms import FALSE, TRUE, Op, Term, bv, conj, conj_all, disj, disj_all, ite, neg

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

_NUMBERING = TOUCHING | {Kind.COMPUTE}
PLACES = "where the compiler and the system place objects in memory"


class Numbers:
    """Of one function."""

    def __init__(self, function: FunctionLowering) -> None:
        self._function = function
        self._context = function.context
        self._name = function.function.name
        self._width = function.context.module.bits

    def binary(self, instruction: l.Instruction) -> Term | None:
        """The result of an operator that looks at addresses; None if it does not, and is exact."""
        if not any(map(self.holds, instruction.operands)):
            return None
        left, right = instruction.operands
        if instruction.opcode == "sub" and self.holds(left) and self.holds(right):
            return self._unless_apart(instruction, lambda: self._any("distance", self._term(left)))
        if instruction.opcode in ("add", "sub") and self.holds(left) != self.holds(right):
            return None if instruction.opcode == "add" or self.holds(left) else self._computed(instruction)
        kept = self._changed_bits(instruction)
        if kept is None:
            return self._computed(instruction)
        if kept < self._alignment(left):
            return None
        if instruction.opcode == "and":
            below = bits.binary(Op.BV_AND, self.number(left), bv(kept, self._width))
            return bits.binary(Op.BV_SUB, self._term(left), below)
        return self._computed(instruction)

    def comparison(self, instruction: l.Instruction) -> Term | None:
        left, right = instruction.operands
        both = self.holds(left), self.holds(right)
        if not any(both):
            return None
        if orders(instruction) and all(both):
            return self._unless_apart(instruction, lambda: self._any("order", TRUE))
        if all(both):
            return self._equality(instruction)
        if self._is_fixed(left if both[1] else right):
            return None
        return apply_comparison(instruction.predicate, self.number(left), self.number(right))

    def cast(self, instruction: l.Instruction) -> Term | None:
        """A part of an address, where the program does not put it together again."""
        (value,) = instruction.operands
        narrow = isinstance(instruction.type, l.IntType) and instruction.type.width < self._width
        if not narrow or instruction.opcode not in ("trunc", "ptrtoint", "ptrtoaddr"):
            return None
        if not self.holds(value) or self._context.points_to.tracked(instruction.type):
            return None
        assert isinstance(instruction.type, l.IntType)
        return apply_cast("trunc", self.number(value), instruction.type.width)

    def loaded(self, instruction: l.Instruction, terms: Terms) -> Terms:
        """A part of a pointer that was stored, read as a number."""
        pointer, narrow = instruction.operands[0], isinstance(instruction.type, l.IntType | l.FloatType)
        if not narrow or self._context.points_to.tracked(instruction.type) or not self._context.parts_of_pointers:
            return terms
        memory, offset = self._function.memory.place(pointer)
        pieces = memory.pieces(offset[0], self._context.layout.stored(instruction.type))
        if any(cell in self._context.parts_of_pointers for cell, _ in pieces):
            return tuple(self._any("part", term) for term in terms)
        return terms

    def seen_by(self, instruction: l.Instruction) -> dict[str, Terms]:
        """Operands that are numbers to an instruction, whatever they hold: indices and sizes."""
        if instruction.opcode == "call":
            callee = self._context.facts.resolve(instruction.callee)
            name = callee.name if isinstance(callee, l.GlobalRef) else ""
            if kind_of(name, self._context.module) not in _NUMBERING:
                return {}
        elif instruction.opcode != "getelementptr":
            return {}
        integers = [one for one in instruction.operands if isinstance(one, l.Local) and isinstance(one.type, l.IntType)]
        return {one.name: (self.number(one),) for one in integers if self.holds(one)}

    def number(self, value: l.Value) -> Term:
        """What the program sees: the bits that the alignment leaves open are any, unless it is no address."""
        term = self._term(value)
        width = term.sort.width if term.sort is not BOOL else 1
        if not self.holds(value) or width < self._width:
            return term
        fixed = bv(self._alignment(value) - 1, width)
        some = bits.binary(Op.BV_AND, self._any("address", term), bv(~fixed.value, width))
        seen = bits.binary(Op.BV_OR, some, bits.binary(Op.BV_AND, term, fixed))
        plain = self._is_plain(value, term)
        return term if plain is TRUE else ite(plain, term, seen)

    def looks(self, value: l.Value) -> bool:
        """Whether a constant is computed from addresses, other than by moving one."""
        if not isinstance(value, l.ConstExpression) or not isinstance(value.type, l.IntType):
            return False
        moves = value.opcode in ("ptrtoint", "ptrtoaddr", "add") and value.type.width >= self._width
        return not moves and any(True for _ in references(value))

    def holds(self, value: l.Value) -> bool:
        """Whether a value may be a whole address."""
        is_wide = isinstance(value.type, l.PointerType) or (
            isinstance(value.type, l.IntType) and value.type.width >= self._width
        )
        found = self._context.plain_pointers or self._context.points_to
        return is_wide and found.holds_address(self._name, value)

    # --- parts ------------------------------------------------------------------------------------------------------

    def _is_plain(self, value: l.Value, term: Term) -> Term:
        """Whether a number is no address."""
        if not isinstance(value, l.Local) and any(True for _ in references(value)):
            return FALSE
        width = term.sort.width
        low = bits.compare(Op.BV_ULT, term, bv(self._context.storage.first, width))
        if any(made.kind == "external" for made in self._region(value).objects):
            return low
        return disj(low, bits.compare(Op.BV_ULE, bv(1 << self._width - 1, width), term))

    def _is_number(self, value: l.Value) -> Term:
        """The same of an integer that may hold an address, too: of a pointer nothing is said."""
        return self._is_plain(value, self._term(value)) if isinstance(value.type, l.IntType) else FALSE

    def _is_fixed(self, value: l.Value) -> bool:
        """Whether a value is null, or another number that no object has, such as that of ``SIG_IGN``."""
        term = self._term(value)
        return term.is_value and not NO_ADDRESS < term.value < (1 << self._width) - NO_ADDRESS

    def _changed_bits(self, instruction: l.Instruction) -> int | None:
        """The low bits that a constant clears or sets, as a mask; None: the result is no address any more. 0: what is
        left are bits that are always zero."""
        number = constant(instruction.operands[1])
        if number and instruction.opcode == "urem" and not self._alignment(instruction.operands[0]) % number:
            return 0
        if number is None or instruction.opcode not in ("and", "or", "xor"):
            return None
        changed = number % (1 << self._width)
        if instruction.opcode == "and":
            changed = (1 << self._width) - 1 - changed
            if number % (1 << self._width) <= NO_ADDRESS:
                return None if number & ~(self._alignment(instruction.operands[0]) - 1) else 0
        return changed if changed <= NO_ADDRESS else None

    def _computed(self, instruction: l.Instruction) -> Term:
        a, b = (self.number(operand) for operand in instruction.operands)
        return apply_binary(instruction.opcode, a, b, lambda what: self._function.body.any(what, a.sort))

    def _unless_apart(self, instruction: l.Instruction, other: Callable[[], Term]) -> Term | None:
        """Exact if both addresses are of one object."""
        left, right = instruction.operands
        one, two = self._region(left), self._region(right)
        same = FALSE
        if one is two:
            if is_one(one, self._context.module, self._context.facts):
                return None
            same = self._same_object(one, self._term(left), self._term(right))
        if same is TRUE:
            return None
        a, b = self._term(left), self._term(right)
        same = disj(same, conj(self._is_number(left), self._is_number(right)))
        if instruction.opcode == "sub":
            return ite(same, bits.binary(Op.BV_SUB, a, b), other())
        return bits.ite_bool(same, apply_comparison(instruction.predicate, a, b), other())

    def _same_object(self, region: Region, a: Term, b: Term) -> Term:
        """Whether two addresses are of one object. Without slots there is no room for these: 32 bits. There, what has
        no fixed address counts as one object."""
        storage = self._context.storage
        if storage.has_slots:
            power = storage.power(self._context.memories.of(region))
            return bits.same(*(bits.part(term, self._width - 1, power) for term in (a, b)))
        found = [self._within(a, b, storage.first_free, 1 << self._width - 1)]
        for made in region.objects:
            placement = storage.placements.get(made)
            if placement is not None and placement.address is not None:
                found.append(self._within(a, b, placement.address, placement.size or 0))
        return disj_all(found)

    def _within(self, a: Term, b: Term, start: int, size: int) -> Term:
        """Whether both addresses are there, or at the end."""
        offsets = (bits.plus(term, -start) for term in (a, b))
        return conj_all(bits.compare(Op.BV_ULE, offset, bv(size, self._width)) for offset in offsets)

    def _equality(self, instruction: l.Instruction) -> Term | None:
        """The address of what is dead may be that of something else by now, and so may that of the end of an object."""
        checks = self._function.pointers
        region = self._region(instruction.operands[0])
        is_single = is_one(region, self._context.module, self._context.facts)
        if checks is None or (is_single and self._region(instruction.operands[1]) is region):
            return None
        left, right = instruction.operands
        may_meet = checks.may_meet(left, self._term(left), right, self._term(right))
        if may_meet is FALSE:
            return None
        may_meet = conj_all((may_meet, neg(self._is_number(left)), neg(self._is_number(right))))
        same = bits.same(self._term(left), self._term(right))
        met = disj(same, conj(may_meet, self._any("reused", TRUE)))
        return met if instruction.predicate == "eq" else neg(met)

    def _alignment(self, value: l.Value) -> int:
        return self._context.alignments.of(self._region(value))

    def _region(self, value: l.Value) -> Region:
        return self._context.points_to.region(self._name, value)

    def _term(self, value: l.Value) -> Term:
        return self._function.term(value)

    def _any(self, hint: str, like: Term) -> Term:
        return self._function.body.any(hint, like.sort, PLACES)
