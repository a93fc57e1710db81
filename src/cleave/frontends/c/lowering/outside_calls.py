"""Calls of functions without a body: what they can reach takes any values, and so does their result.

    extern int set(int *);              havoc x                     what set may store
    y = set(&x);                        havoc y                     what it may return

Functions of the program that are in reach may be called first, any number of times and with any arguments, and memory
in reach that was allocated may be freed. All these havocs carry the function's name: a violation that depends on one
of them is not known to be one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.frontends.c.analysis.cells import Memory
from cleave.frontends.c.analysis.points_to import Object
from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.initial import elements_of
from cleave.frontends.c.lowering.writes import Writes
from cleave.ir.program import Assume, Call, Havoc
from cleave.logic.terms import Op, Term, bv, conj, ite

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering

_CHOICES = 32  # bits


class OutsideCalls:
    """Those of one function."""

    def __init__(self, function: FunctionLowering) -> None:
        self._context = function.context
        self._body = function.body
        self._registers = function.registers
        self._memory = function.memory

    def call(self, name: str) -> None:
        """What the call of ``name`` does to memory."""
        callbacks = self._context.points_to.outside.callbacks
        self._registers.before_change(lambda _: True)
        if callbacks:
            self._call_back(name, callbacks)
        self._change(name)

    def _change(self, name: str) -> None:
        memories = [self._context.memories.of(region) for region in self._context.points_to.outside.changed]
        cells = [cell for memory in memories for cell in memory.cells.values()]
        changed = tuple(cell.variable for cell in cells if cell.variable is not None and cell.written)
        changed += tuple(cell.mark for cell in cells if cell.mark is not None and cell.written)
        if changed:
            self._body.emit(Havoc(changed, self._body.location, name))
        for memory in memories:
            self._restore(memory)
            self._free(name, memory)

    def _free(self, name: str, memory: Memory) -> None:
        """It may free a block. One is enough: an execution that uses several of these fails at the first of them."""
        context, extents = self._context, self._context.extents
        extent = extents.of(memory) if extents is not None and extents.outside_frees(memory) else None
        if extent is None or extent.variable is None:
            return
        freed = self._body.any("freed", context.pointer, name)
        frees = conj(extent.may_free(freed), extent.is_there(freed))
        values = extent.changed(freed, ite(frees, bv(0, context.module.bits), extent.of(freed)))
        if context.blocks is not None:
            one = ite(frees, bv(1, context.module.bits), bv(0, context.module.bits))
            values[context.blocks] = bits.binary(Op.BV_SUB, context.blocks, one)
        self._memory.change(values)

    def _restore(self, memory: Memory) -> None:
        """Constants among what may have changed have not."""
        outside = self._context.points_to.outside
        writes = Writes()
        for made in memory.region.objects:
            if made.kind == "global" and outside.is_constant(made):
                self._write_again(memory, made, writes)
        self._memory.write(writes, is_new=True)

    def _write_again(self, memory: Memory, made: Object, writes: Writes) -> None:
        width = self._context.module.bits
        for cell in memory.cells.values():
            if cell.is_array and cell.written:
                for address, number in elements_of(self._context, cell, memory, made):
                    writes.add(cell, bv(address, width), bv(number, 8 * cell.size))

    def _call_back(self, name: str, callbacks: list[str]) -> None:
        """``while (*) switch (choice) { case 0: f(*); … }``, with changes of memory in between."""
        body, location = self._body, self._body.location
        head, after = body.labels.fresh("outside.head"), body.labels.fresh("outside.end")
        labels = [body.labels.fresh(f"outside.{callback}") for callback in callbacks]
        body.finish(head)
        body.start(head, location)
        self._change(name)
        choice = body.any("called_back", bits.sort_of_width(_CHOICES), name)
        body.finish(*labels, after)
        for number, (label, callback) in enumerate(zip(labels, callbacks, strict=True)):
            body.start(label, location)
            body.emit(Assume(bits.same(choice, bv(number, _CHOICES)), location))
            self._run(name, self._context.module.functions[callback])
            body.finish(head)
        body.start(after, location)
        body.emit(Assume(bits.compare(Op.BV_ULE, bv(len(callbacks), _CHOICES), choice), location))

    def _run(self, name: str, callback: l.FunctionDefinition) -> None:
        context, body = self._context, self._body
        sorts = [sort for given in callback.parameters for sort in context.sorts(given.type, body.location)]
        arguments: tuple[Term, ...] = tuple(body.any("given", sort, name) for sort in sorts)
        returned = context.sorts(callback.type.result, body.location)
        results = tuple(body.local(f"{callback.name}.result", sort) for sort in returned)
        body.emit(Call(callback.name, arguments, results, body.location))
