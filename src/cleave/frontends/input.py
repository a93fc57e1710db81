"""The input, read once: the bytes of a problem, which kind of problem it is, and its ir, made at first use.

    input = read_input("queue.c", c=COptions(bits=32))
    input.kind                # Kind.THREADS
    input.program             # ir.Program

`Input.source` is all that is needed to read the problem anywhere: the content of the file or, of a C program, what the
compiler made of all its files. So a worker, or a run that is resumed, needs neither files nor a compiler.
"""

from __future__ import annotations

from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from hashlib import sha256
from typing import Any
from weakref import WeakValueDictionary

from cleave.frontends.boogie_options import BoogieOptions
from cleave.frontends.c.options import COptions
from cleave.frontends.clauses import holds_clauses, holds_transitions, read_clauses
from cleave.frontends.limits import NO_LIMITS, ReadingLimits
from cleave.frontends.read import (
    boogie_checks,
    boogie_source,
    check_language,
    compiled_source,
    is_boogie,
    is_c,
    may_have_threads,
    read_bytes,
    read_program,
)
from cleave.ir.horn import HornSystem
from cleave.ir.program import Program, Property, first_thread_statement
from cleave.records import dataclass

PART_MARK = b"; cleave-part "
"""How the source of a part of a problem begins: see `run.parts`."""


class Kind(Enum):
    """What engines say they fit."""

    PROGRAM = "a sequential program"
    THREADS = "a program with threads"
    CLAUSES = "Horn clauses"
    TRANSITIONS = "a transition system"

    @property
    def is_program(self) -> bool:
        return self in (Kind.PROGRAM, Kind.THREADS)


@dataclass(frozen=True, eq=False)  # no slots: cached_property
class Input:
    """``asked`` replaces the property that the program asks about; ``c`` and ``boogie`` say how it was read."""

    file: str
    source: bytes = field(repr=False)
    entry: str | None = None
    asked: Property | None = None
    c: COptions = field(default_factory=COptions)
    boogie: BoogieOptions = field(default_factory=BoogieOptions)

    @staticmethod
    def of(file: str, source: bytes, entry: str | None = None, asked: Property | None = None) -> Input:
        """One object in a process for one problem: virtual workers share what was read."""
        key = (file, sha256(source).digest(), entry, asked)
        found = _READ.get(key)
        if found is None:
            found = _READ[key] = Input(file, source, entry, asked)
        return found

    def with_c(self, **changes: Any) -> Input:
        """The same program in C, with other options that the compiler does not need to know: ``only``, ``reach``."""
        from cleave.frontends.c.read import with_options

        return replace(self, source=with_options(self.source, self.file, **changes), c=replace(self.c, **changes))

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file, *self.c.others, *self.boogie.others)

    @property
    def is_c(self) -> bool:
        return is_c(self.file)

    @cached_property
    def is_from_c(self) -> bool:
        """Also a part of a program in C, which is written as ir: integers have bits, and it can be run."""
        return self.is_c or (self.file.endswith(".ir") and bool(self.program.checked))

    @cached_property
    def digest(self) -> str:
        return sha256(self.source).hexdigest()

    @cached_property
    def kind(self) -> Kind:
        """Only languages that have threads are parsed for it."""
        if holds_clauses(self.file):
            return Kind.TRANSITIONS if holds_transitions(self.file) else Kind.CLAUSES
        check_language(self.file)
        if may_have_threads(self.file, self.source) and first_thread_statement(self.program) is not None:
            return Kind.THREADS
        return Kind.PROGRAM

    @cached_property
    def program(self) -> Program:
        program = read_program(self.file, self.source, self.entry)
        return program if self.asked is None else replace(program, property=self.asked)

    @cached_property
    def clauses(self) -> HornSystem:
        return read_clauses(self.file, self.source)


def read_input(
    file: str,
    *,
    entry: str | None = None,
    property: Property | None = None,
    c: COptions | None = None,
    boogie: BoogieOptions | None = None,
    limits: ReadingLimits = NO_LIMITS,
) -> Input:
    """Reads the files, and compiles them if they are C."""
    c = replace(c or COptions(), entry=entry)
    boogie = boogie or BoogieOptions()
    if is_boogie(file):
        boogie = replace(boogie, checks=boogie_checks(c.checks))
        source = boogie_source(file, boogie)
    else:
        source = compiled_source(file, c, limits) if is_c(file) else read_bytes(file)
    made = replace(Input.of(file, source, entry, property), c=c, boogie=boogie)
    _READ[(file, sha256(source).digest(), entry, property)] = made
    return made


_READ: WeakValueDictionary[tuple[str, bytes, str | None, Property | None], Input] = WeakValueDictionary()
