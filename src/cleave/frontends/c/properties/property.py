"""A property of C: its names, and how it gets into the program as assertions.

There are three ways, and a property may use all of them. ``sanitizers`` are checks that Clang writes itself;
`lowering.sanitized` turns them into assertions. ``before`` is called for each instruction of the program's own
functions, and may check something there:

    def before(place: Place, instruction: Instruction) -> None:
        if place.called(instruction) == "gets":
            place.check(FALSE, "gets is called")

The lowering has the third way: it asks whether a property is wanted and adds the checks that only it can add.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from cleave.logic.terms import Term
from cleave.records import dataclass

if TYPE_CHECKING:
    from cleave.frontends.c.llvm.module import Instruction, Value


class Place(Protocol):
    """Where an instruction is about to be executed."""

    @property
    def function(self) -> str: ...

    def called(self, instruction: Instruction) -> str | None:
        """The name of the function that is called; None for what is no call, or one through a pointer."""

    def defines(self, name: str) -> bool:
        """Whether the program itself has a body for the function, and does not use a library's."""

    def term(self, value: Value) -> Term:
        """What a value that has one scalar stands for here."""

    def check(self, condition: Term, message: str, *values: Term) -> None:
        """The property is violated where ``condition`` is false. The message is that of `ir.program.Assert`."""


Before = Callable[[Place, "Instruction"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """``summary`` says in one sentence what a violation is, ``help`` what to do about one."""

    name: str
    summary: str
    help: str
    competition: tuple[str, ...] = ()  # SV-COMP's names, as its property files are called and as it names parts of them
    formulas: tuple[str, ...] = ()  # what such a file says: "G ! overflow"
    aliases: tuple[str, ...] = ()  # other names that --check knows
    is_default: bool = False  # checked where a plain file is given, and nothing is asked for
    sanitizers: tuple[str, ...] = ()  # checks of Clang's
    macros: tuple[str, ...] = ()  # that Cleave's library of C is compiled with
    before: Before | None = None
    part: Callable[[str], str] | None = None  # of a violation's message: which of SV-COMP's names it is about

    def competition_name(self, violated: str) -> str | None:
        """What SV-COMP calls this violation, where it has a name for it."""
        return self.part(violated) if self.part is not None else next(reversed(self.competition), None)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases, *self.competition)
