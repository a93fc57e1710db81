"""How blocks end: branches become blocks with an assumption, phis become assignments on the way.

br i1 %c, label %a, label %b        goto then, else;  then: assume c; goto a;  else: assume !c; goto b
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleave.frontends.c.llvm import module as l
from cleave.frontends.c.llvm.debug import unsupported
from cleave.frontends.c.lowering import bits
from cleave.frontends.c.lowering.body import phis
from cleave.ir.program import Assign, Block, Statement
from cleave.logic.terms import FALSE, Term, bv, conj_all, disj_all, neg

if TYPE_CHECKING:
    from cleave.frontends.c.lowering.function import FunctionLowering


class ControlLowering:
    def __init__(self, function: FunctionLowering) -> None:
        self._function = function
        self._context = function.context
        self._body = function.body
        self._registers = function.registers

    def end(self, block: l.BasicBlock, instruction: l.Instruction) -> None:
        body, returns = self._body, self._function.returns
        match instruction.opcode:
            case "ret":
                if instruction.operands and returns:
                    body.emit(Assign(returns, self._function.terms(instruction.operands[0]), body.location))
                self._function.memory.end_frame()
                body.statements.extend(self._function.rounds.left(body.location))
                if self._function.function.name == self._context.facts.entry:
                    self._function.end_program()
                body.finish()
            case "unreachable":
                body.stop()
                body.finish()
            case "br" if len(instruction.labels) == 1:
                moves = self._moves(block.label, instruction.labels[0])
                if moves is not None:
                    body.emit(moves)
                for statement in self._function.rounds.crossing(block.label, instruction.labels[0], body.location):
                    body.emit(statement)
                body.finish(instruction.labels[0])
            case "br":
                condition = self._function.term(instruction.operands[0])
                then, other = instruction.labels
                edges = [self._edge(block, condition, then, "then"), self._edge(block, neg(condition), other, "else")]
                body.finish(*[edge for edge in edges if edge is not None])
            case "switch":
                self._switch(block, instruction)
            case _:
                raise unsupported(f"{instruction.opcode} is not supported", instruction.location)

    def _switch(self, block: l.BasicBlock, instruction: l.Instruction) -> None:
        value = bits.to_bits(self._function.numbers.number(instruction.operands[0]))
        default, *labels = instruction.labels
        chosen: dict[str, list[Term]] = {}
        for case, label in zip(instruction.cases, labels, strict=True):
            chosen.setdefault(label, []).append(bits.same(value, bv(case, value.sort.width)))
        none = conj_all(neg(condition) for conditions in chosen.values() for condition in conditions)
        edges = [self._edge(block, none, default, "default")]
        for label, conditions in chosen.items():
            edges.append(self._edge(block, disj_all(conditions), label, "case"))
        self._body.finish(*[edge for edge in edges if edge is not None])

    def _edge(self, block: l.BasicBlock, condition: Term, target: str, hint: str) -> str | None:
        """The block on the way to ``target``; None if it is never taken."""
        if condition is FALSE:
            return None
        label = self._body.edge(condition, target, f"{block.label}.{hint}")
        moves = self._moves(block.label, target)
        added: list[Statement] = [] if moves is None else [moves]
        added += self._function.rounds.crossing(block.label, target, self._body.location)
        if added:
            made = self._body.blocks[label]
            self._body.blocks[label] = Block(label, (*made.statements, *added), made.successors, made.location)
        return label

    def _moves(self, source: str, target: str) -> Assign | None:
        """What the phis of ``target`` get from ``source``, all at once."""
        targets: list[Term] = []
        values: list[Term] = []
        for phi in phis(self._function.function.blocks[target]):
            assert phi.result is not None
            value = next(v for v, label in zip(phi.operands, phi.labels, strict=True) if label == source)
            targets += self._registers.reserve(phi.result, self._context.sorts(phi.type, phi.location))
            values += self._function.terms(value)
        return Assign(tuple(targets), tuple(values), self._body.location) if targets else None
