"""Runs a program in machine code, once without inputs or many times with inputs by chance."""

from __future__ import annotations

from collections.abc import Callable

from cleave.engines.executions.native.translation import translated
from cleave.errors import CleaveError
from cleave.frontends.c.clang.machine_code import built
from cleave.ir.program import Program, Property
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Ended:
    """The program asks for no input, and its only execution violates nothing."""

    jumps: int


@dataclass(frozen=True, slots=True)
class Failed:
    """An execution violates the property, with these inputs, in the order in which they are asked for."""

    jumps: int
    inputs: tuple[int, ...]


def run_natively(
    program: Program, entry: str, *, seed: int, jumps: int, longest: int, seconds: int, check: Callable[[], None]
) -> Ended | Failed | None:
    """``seed`` 0: without inputs. None where nothing was found, or the program can't be executed so."""
    if program.property is not Property.ASSERTIONS or program.axioms or program.functions:
        return None
    if any(procedure.requires or procedure.ensures for procedure in program.procedures.values()):
        return None
    try:
        with built(translated(program, entry), check) as run:
            done = run(f"{seed:x}\n{jumps:x}\n{longest:x}\n".encode(), seconds=seconds)
    except CleaveError:
        return None  # other engines have it
    lines = done.output.decode("ascii", "replace").split("\n")
    word, *numbers = lines[0].split(" ")
    if done.code or word not in ("ended", "failed"):
        return None
    if word == "ended":
        return Ended(int(numbers[0], 16))
    return Failed(int(numbers[0], 16), tuple(int(line, 16) for line in lines[1 : 1 + int(numbers[1], 16)]))
