"""One problem as files that can be solved anywhere, wherever Cleave is installed: ``cleave shard`` makes them.

    divided = divide(whole)                   # the same parts from the same text, always
    divided.parts[2].text                     # a file of its own: a program in ir text, or Horn clauses in SMT-LIB
    note_of(source)                           # what the first line of such a file says about it

    a sequential program     whether an execution enters a block, for some blocks: `passes.parts`
    a program with threads   bits of the schedule, as the threads engine divides them
    Horn clauses             a query resolved with each rule of one of its atoms: `ir.horn_partition`

That parts cover their whole is checked by `validate.proofs.coverage` and `validate.clauses.resolvents`: see `join`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Literal

import msgspec

from cleave.engines.threads.coordinator import part_names
from cleave.engines.threads.options import ThreadsOptions
from cleave.errors import InputError, UsageError
from cleave.frontends.horn import read_horn
from cleave.frontends.input import PART_MARK, Input, Kind
from cleave.ir.horn import HornSystem
from cleave.ir.horn_partition import Partition, resolve, rules_for, split, whole
from cleave.ir.horn_text import print_horn
from cleave.ir.program import Program
from cleave.ir.reader import read_program
from cleave.ir.text import print_program
from cleave.passes.entries import choose_entries
from cleave.passes.parts import Choice, choices, part
from cleave.run.request import Options

_VERSION = 1
PartKind = Literal["program", "threads", "clauses"]
ENDINGS: dict[PartKind, str] = {"program": ".ir", "threads": ".ir", "clauses": ".smt2"}


class PartNote(msgspec.Struct, frozen=True, kw_only=True):
    """``whole`` is the digest of the text that was divided, ``of`` the file that holds it, ``name`` the part's path in
    the tree of decisions. ``options`` are those of the threads engine."""

    kind: PartKind
    whole: str
    of: str
    name: str
    parts: int
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    version: int = _VERSION


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """What is divided: ``text`` is all that there is to know about it."""

    kind: PartKind
    text: bytes
    parts: int
    entry: str = ""
    options: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def digest(self) -> str:
        return sha256(msgspec.msgpack.encode(self)).hexdigest()


class PartText(msgspec.Struct, frozen=True, kw_only=True):
    """``decisions`` are those of the part, from the root of the tree down; ``queries`` partitions of Horn clauses."""

    name: str
    text: str
    decisions: tuple[tuple[bytes, bool], ...] = ()
    queries: tuple[Partition, ...] = ()

    def file(self, whole: Whole, of: str) -> bytes:
        note = PartNote(
            kind=whole.kind, whole=whole.digest, of=of, name=self.name, parts=whole.parts, options=whole.options
        )
        return PART_MARK + msgspec.json.encode(note) + b"\n" + self.text.encode()


# --- notes ----------------------------------------------------------------------------------------------------------


def note_of(source: bytes) -> PartNote | None:
    """What a part says about itself; None: it is a whole problem."""
    if not source.startswith(PART_MARK):
        return None
    try:
        return msgspec.json.decode(source.split(b"\n", 1)[0].removeprefix(PART_MARK), type=PartNote)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"the first line says that this is a part, but not which: {error}") from None


def text_digest(source: bytes) -> str:
    """Of a part without its note, which tells where the whole is kept."""
    return sha256(source.split(b"\n", 1)[1] if source.startswith(PART_MARK) else source).hexdigest()


def part_options(note: PartNote, options: Options) -> Options:
    """The options for a part, which says some itself: parts that were searched in different ways cover nothing."""
    if note.kind != "threads":
        return options
    if options.engine not in (None, "threads") or options.engines:
        raise UsageError("a part of a program with threads has its engine and its bounds in the file; leave them out")
    number = int(note.name or "0", 2)
    how = ThreadsOptions(partitions=note.parts, first=number, last=number, **_given(note.options))
    return replace(options, engine="threads", engines=(how,))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    found = {"unwind": options.get("unwind"), "contexts": options.get("contexts")}
    told = {name: value for name, value in found.items() if value is not None}
    return told | ({"contexts": (told["contexts"],)} if "contexts" in told else {})


# --- dividing -------------------------------------------------------------------------------------------------------


def whole_of(input: Input, parts: int, options: dict[str, Any]) -> Whole:
    if input.kind in (Kind.CLAUSES, Kind.TRANSITIONS):
        return Whole(kind="clauses", text=print_horn(input.clauses).encode(), parts=parts)
    entries = choose_entries(input.program, input.entry)
    if len(entries) != 1:
        raise UsageError(f"{input.file}: there are {len(entries)} places to start from; choose one by --entry")
    text = print_program(input.program, locations=True, notes=True).encode()
    kind: PartKind = "threads" if input.kind is Kind.THREADS else "program"
    if kind == "threads" and parts & (parts - 1):
        raise UsageError(f"the schedules of a program with threads have 2, 4, 8 ... parts, not {parts}")
    return Whole(kind=kind, text=text, parts=parts, entry=entries[0], options=options if kind == "threads" else {})


def divide(whole: Whole) -> list[PartText]:
    """The parts, each with a name of its own, and as many as the whole says."""
    match whole.kind:
        case "clauses":
            return _clauses(read_horn("whole.smt2", whole.text), whole.parts)
        case "threads":
            return _schedules(_marked(read_program(whole.text.decode()), whole.entry), whole.parts)
        case "program":
            return _program(read_program(whole.text.decode()), whole.entry, whole.parts)


def _program(program: Program, entry: str, parts: int) -> list[PartText]:
    found = choices(program, entry, (parts - 1).bit_length())
    if parts > 1 << len(found):
        raise UsageError(f"the program has branches for at most {1 << len(found)} parts")
    names = leaves(parts)
    return [_one(program, entry, name, found) for name in names]


def _one(program: Program, entry: str, name: str, found: Sequence[Choice]) -> PartText:
    decided = [(choice, bit == "1") for choice, bit in zip(found, name, strict=False)]
    text = print_program(part(program, entry, decided), locations=True, notes=True)
    return PartText(name=name, text=text, decisions=tuple((choice.meaning, reach) for choice, reach in decided))


def _schedules(program: Program, parts: int) -> list[PartText]:
    text = print_program(program, locations=True, notes=True)
    return [
        PartText(
            name=name, text=text, decisions=tuple((f"bit {at}".encode(), bit == "1") for at, bit in enumerate(name))
        )
        for name in part_names(parts)
    ]


def _marked(program: Program, entry: str) -> Program:
    procedures = {name: replace(one, is_entry=name == entry) for name, one in program.procedures.items()}
    return replace(program, procedures=procedures)


def leaves(parts: int) -> list[str]:
    """Names of so many leaves of a binary tree that is as flat as can be.

    >>> leaves(3)
    ['00', '01', '1']
    """
    found = [""]
    while len(found) < parts:
        shortest = min(found, key=lambda name: (len(name), name))
        found.remove(shortest)
        found += [f"{shortest}0", f"{shortest}1"]
    return sorted(found)


def _clauses(system: HornSystem, parts: int) -> list[PartText]:
    """Partitions of the queries, split further as long as there are fewer of them than parts."""
    found = list(whole(system))
    while len(found) < parts:
        splittable = [one for one in found if _can_be_split(system, one)]
        if not splittable:
            raise UsageError(f"the clauses make at most {len(found)} parts")
        chosen = min(splittable, key=lambda one: (len(one.path), one))
        at = found.index(chosen)
        found[at : at + 1] = split(system, chosen, 0)
    made = []
    for number in range(parts):
        own = tuple(found[number::parts])
        clauses = (*system.rules(), *(resolve(system, one) for one in own))
        text = print_horn(replace(system, clauses=clauses, expected=None))
        made.append(PartText(name=str(number), text=text, queries=own))
    return made


def _can_be_split(system: HornSystem, partition: Partition) -> bool:
    """Whether there is a rule for its first atom: where there is none, nothing would be left."""
    body = resolve(system, partition).body
    return bool(body) and bool(rules_for(system, body[0].predicate))
