"""A property of another package: ``gets`` must not be called, and ``strcpy`` only into memory that is not null."""

from __future__ import annotations

from cleave.frontends.c.llvm.module import Instruction
from cleave.frontends.c.properties.property import Place, Property
from cleave.logic.terms import FALSE, bv, eq, neg


def before(place: Place, instruction: Instruction) -> None:
    match place.called(instruction):
        case "gets":
            place.check(FALSE, f"gets is called in {place.function}")
        case "strcpy":
            target = place.term(instruction.operands[0])
            place.check(neg(eq(target, bv(0, target.sort.width))), "strcpy to address {0:unsigned}", target)


BANNED = Property(
    name="banned",
    summary="A function is called that nobody should call.",
    help="Use fgets and strlcpy.",
    competition=("no-banned-calls",),
    formulas=("G ! call(gets())",),
    before=before,
)
