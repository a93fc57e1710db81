"""Loops become recursive procedures, as Corral extracts them.

    proc p() { a: goto h                                proc p() { a: goto h'1
               h: x := x + y; goto h, e        becomes             h'1: call p:h(x, y) -> (x); goto h
               e: return }                                         h: x := x + y; goto e
                                                                   e: return }
                                                        proc p:h(x'1, y'1) -> (x'2)
                                                                 { h'2: x'2 := x'1; goto h, h'3
                                                                   h: x'2 := x'2 + y'1; goto h'4
                                                                   h'4: call p:h(x'2, y'1) -> (x'2); return
                                                                   h'3: return }

The loop procedure runs any number of whole iterations; the copy of the body that stays runs the last, partial one, so
it has no back edge. Inner loops are extracted first. A loop that is entered at several blocks gets a new block that all
its entries go through, with a variable that remembers which one is meant.

Only what is live at the loop's header goes through the interface of its procedure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cleave.errors import UnsupportedError
from cleave.ir.path import WayBack
from cleave.ir.program import Assign, Assume, Block, Call, Location, Procedure, Program, Statement
from cleave.logic.sorts import INT
from cleave.logic.terms import FALSE, Term, eq, integer, var
from cleave.passes.flow import has_cycle, live_at_entry, strongly_connected, used_and_written
from cleave.passes.fresh import FreshNames, variable_names
from cleave.passes.rename import rename_block

NESTING_LIMIT = 150
"""Loops nested deeper are refused: nobody writes them, and each level is a level of recursion here."""


def loops_to_recursion(program: Program) -> tuple[Program, WayBack]:
    with_loops = {name for name, procedure in program.procedures.items() if has_cycle(procedure.blocks)}
    if not with_loops:
        return program, WayBack()
    names = variable_names(program)
    procedure_names = FreshNames(program.procedures)
    procedures: dict[str, Procedure] = {}
    added: dict[tuple[str, str], str | None] = {}
    transparent: set[str] = set()
    for procedure in program.procedures.values():
        if procedure.name not in with_loops:
            procedures[procedure.name] = procedure
            continue
        extractor = _Extractor(program, procedure, names, procedure_names)
        for made in extractor.procedures():
            procedures[made.name] = made
            added.update({(made.name, label): None for label in extractor.added if label in made.blocks})
            if made.name != procedure.name:
                transparent.add(made.name)
    return replace(program, procedures=procedures), WayBack(added, frozenset(transparent))


class _Extractor:
    """Extracts the loops of one procedure, inner ones first."""

    def __init__(self, program: Program, procedure: Procedure, names: FreshNames, procedure_names: FreshNames) -> None:
        self._procedure = procedure
        self._names = names
        self._procedure_names = procedure_names
        self._labels = FreshNames(procedure.blocks)
        self._globals = frozenset((*program.globals, *program.constants))
        self._blocks: dict[str, Block] = dict(procedure.blocks)
        self._locals: list[Term] = list(procedure.locals)
        self._made: list[Procedure] = []
        self.added: set[str] = set()

    def procedures(self) -> list[Procedure]:
        entry = self._procedure.entry
        if any(entry.label in block.successors for block in self._blocks.values()):
            label = self._label(entry.label)
            self._blocks = {label: Block(label, (), (entry.label,), entry.location), **self._blocks}
        self._single_headers(set(self._blocks))
        self._live = live_at_entry(self._blocks, frozenset(self._procedure.returns) - self._globals)
        self._extract(set(self._blocks))
        changed = replace(self._procedure, blocks=self._blocks, locals=tuple(self._locals))
        return [changed, *self._made]

    def _loops(self, labels: Iterable[str]) -> list[set[str]]:
        """The maximal loops among ``labels``."""
        inside = set(labels)
        graph = {
            label: [s for s in self._blocks[label].successors if s in inside]
            for label in self._blocks
            if label in inside
        }
        return [set(component) for component in strongly_connected(graph) if _is_loop(component, graph)]

    def _entries(self, loop: set[str]) -> list[str]:
        """The blocks of ``loop`` that are reached from outside, in source order."""
        reached = {s for label, block in self._blocks.items() if label not in loop for s in block.successors}
        return [label for label in self._blocks if label in loop and label in reached]

    # --- several entries --------------------------------------------------------------------------------------------

    def _single_headers(self, labels: set[str], nesting: int = 0) -> None:
        """Gives every loop, also nested ones, one header."""
        loops = self._loops(labels)
        if loops and nesting == NESTING_LIMIT:
            place = self._procedure.location or Location("", 0)
            raise UnsupportedError(
                f"the loops of procedure {self._procedure.name} are nested more than {NESTING_LIMIT} deep",
                file=place.file,
                line=place.line,
                column=place.column,
            )
        for loop in loops:
            entries = self._entries(loop)
            if not entries:
                continue  # unreachable code
            if len(entries) > 1:
                header = self._dispatch(loop, entries)
            else:
                header = entries[0]
            self._single_headers(loop - {header}, nesting + 1)

    def _dispatch(self, loop: set[str], entries: list[str]) -> str:
        """A block through which all jumps to ``entries`` go; it and what belongs to it join ``loop``."""
        which = var(self._names.like("entry"), INT)
        self._locals.append(which)
        header = self._label(entries[0])
        inner: dict[str, str] = {}
        outer: dict[str, str] = {}
        choices: dict[str, Block] = {}
        for number, entry in enumerate(entries):
            inner[entry], outer[entry], choice = self._label(entry), self._label(entry), self._label(entry)
            choices[choice] = Block(choice, (Assume(eq(which, integer(number))),), (entry,))
            for label in (inner[entry], outer[entry]):
                choices[label] = Block(label, (Assign((which,), (integer(number),)),), (header,))
        for label, block in list(self._blocks.items()):
            redirect = inner if label in loop else outer
            self._blocks[label] = replace(block, successors=tuple(redirect.get(s, s) for s in block.successors))
        choosing = tuple(label for label in choices if choices[label].successors != (header,))
        self._blocks.update(choices)
        self._blocks[header] = Block(header, (), choosing)
        loop |= {header, *choosing, *inner.values()}
        return header

    # --- extraction -------------------------------------------------------------------------------------------------

    def _extract(self, labels: set[str]) -> None:
        for loop in self._loops(labels):
            entries = self._entries(loop)
            if not entries:
                continue
            header = entries[0]
            body = loop | self._extract_inner(loop, header)
            name = self._procedure_names.like(f"{self._procedure.name}:{header}")
            inputs, outputs = self._interface(header, body)
            call = Call(name, inputs, outputs, self._blocks[header].location)
            self._made.append(self._loop_procedure(name, header, body, inputs, outputs))
            self._close(header, body, call)

    def _extract_inner(self, loop: set[str], header: str) -> set[str]:
        """Extracts the loops inside; the blocks that this added."""
        before = set(self._blocks)
        self._extract(loop - {header})
        return set(self._blocks) - before

    def _interface(self, header: str, body: set[str]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        used, written = used_and_written(self._blocks[label] for label in body)
        live = self._live[header] - self._globals
        outputs = tuple(v for v in self._own() if v in live and v in written)
        inputs = tuple(v for v in self._own() if v in live and (v in used or v in written))
        return inputs, outputs

    def _loop_procedure(
        self, name: str, header: str, body: set[str], inputs: tuple[Term, ...], outputs: tuple[Term, ...]
    ) -> Procedure:
        parameters = {v: var(self._names.like(v.name), v.sort) for v in outputs}
        fresh = {v: var(self._names.like(v.name), v.sort) for v in self._variables(body)}
        entry, leave, again = self._label(header), self._label(header), self._label(header)
        moved = tuple(fresh[v] for v in outputs)
        start = Assign(moved, tuple(parameters[v] for v in outputs))
        recurse = Call(name, tuple(fresh[v] for v in inputs), moved, self._blocks[header].location)
        blocks = {
            entry: Block(entry, (start,) if moved else (), (header, leave)),
            leave: Block(leave, (), ()),
            again: Block(again, (recurse,), ()),
        }
        for label in self._blocks:
            if label in body:
                block = self._blocks[label]
                successors = tuple(again if s == header else s for s in block.successors if s in body)
                blocks[label] = _or_blocked(rename_block(replace(block, successors=successors), fresh))
        return Procedure(
            name=name,
            parameters=tuple(parameters.get(v, fresh[v]) for v in inputs),
            returns=moved,
            locals=tuple(f for v, f in fresh.items() if v not in inputs and v not in outputs),
            blocks=blocks,
            is_loop=True,
            location=self._blocks[header].location,
        )

    def _close(self, header: str, body: set[str], call: Call) -> None:
        """In the parent: jumps into the loop call its procedure first; jumps back are gone."""
        before = self._label(header)
        for label, block in list(self._blocks.items()):
            if header not in block.successors:
                continue
            if label in body:
                kept = replace(block, successors=tuple(s for s in block.successors if s != header))
                self._blocks[label] = _or_blocked(kept)
            else:
                redirected = tuple(before if s == header else s for s in block.successors)
                self._blocks[label] = replace(block, successors=redirected)
        self._blocks[before] = Block(before, (call,), (header,), self._blocks[header].location)

    def _variables(self, body: set[str]) -> list[Term]:
        """The procedure's own variables that ``body`` speaks of, in the order of their declaration."""
        used, written = used_and_written(self._blocks[label] for label in body)
        return [v for v in self._own() if v in used or v in written]

    def _own(self) -> tuple[Term, ...]:
        return (*self._procedure.parameters, *self._procedure.returns, *self._locals)

    def _label(self, like: str) -> str:
        label = self._labels.like(like)
        self.added.add(label)
        return label


def _is_loop(component: list[str], graph: Mapping[str, list[str]]) -> bool:
    return len(component) > 1 or component[0] in graph[component[0]]


def _or_blocked(block: Block) -> Block:
    """A block that lost its last jump must not look like a return."""
    if block.successors:
        return block
    statements: tuple[Statement, ...] = (*block.statements, Assume(FALSE))
    return replace(block, statements=statements)
