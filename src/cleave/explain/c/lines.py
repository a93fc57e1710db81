"""A trace of a C program: a step for each line of the source that ran, with its text, and what it did.

     3  int x = __VERIFIER_nondet_int();        x = 2147483647
     4  int y = x + 1;                          2147483647 + 1 does not fit into int

The compact form leaves out iterations of loops, and if it is still too long, lines that matter less to the violation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from cleave.explain.c.brief import chosen, told
from cleave.explain.c.locks import Locks
from cleave.explain.c.races import raced, rivals
from cleave.explain.c.reasons import Reasons
from cleave.explain.c.rows import Row, Rows
from cleave.explain.c.state import State, Touched
from cleave.explain.c.texts import NONDET, Texts, is_plain
from cleave.explain.c.touched import Accesses
from cleave.explain.folding import LINE, shortened
from cleave.explain.history import History
from cleave.ir.program import Assign, Call, Check, Havoc, Program
from cleave.ir.source import Source
from cleave.logic.values import Value
from cleave.records import dataclass
from cleave.verdict import TraceStep

_NOTE = 100
_LINES = 4  # of a condition
_WORD = re.compile(r"\w+")
_DECIDES = re.compile(r"\b(if|while|for)\b")
_THREADS = ("data race", "deadlock")  # what violations are that have reasons
_RACE = re.compile(r"^data race on .*?:")
_ASSERTS = re.compile("assert", re.IGNORECASE)
_IMPORTANT = 4  # how far from the violation what threads do to each other counts


@dataclass(frozen=True, slots=True)
class Explained:
    """``lines``: all of them. ``brief``: what a compact trace shows. ``violated``: said in the program's own words, if
    there are some. ``reasons``: what else there is to say."""

    lines: tuple[TraceStep, ...]
    brief: tuple[TraceStep, ...]
    violated: str | None = None
    reasons: tuple[str, ...] = ()
    threads: Mapping[int, str] | None = None


def explained(
    program: Program,
    history: History,
    distances: Mapping[int, int],
    threads: Sequence[int],
    said: str,
    check: Check | None,
) -> Explained | None:
    """``distances``: how far events are from the violation; ``threads``: whose each event is, if there are several;
    ``said``: what is violated."""
    if program.source is None or not history.events:
        return None
    return _Explaining(program, program.source(), history, distances, threads).run(said, check)


class _Explaining:
    def __init__(
        self,
        program: Program,
        source: Source,
        history: History,
        distances: Mapping[int, int],
        threads: Sequence[int],
    ) -> None:
        self._program = program
        self._source = source
        self._history = history
        self._distances = distances
        self._walk = Rows(program, source, threads)
        self._rows = self._walk.walk(history.events)
        self._state = State(source, history, self._walk.frames)
        self._accesses = Accesses(self._state, history, self._walk.frames)
        self._locks = Locks(self._state, history, self._walk, threads)
        self._texts = Texts(source)
        self._before = _before(self._rows)
        self._globals = frozenset(one.name for one in source.variables if one.kind == "global")

    def run(self, said: str, check: Check | None) -> Explained | None:
        if not self._rows:
            return None
        waits = self._locks.waits() if check is not None and check.property == "deadlock" else {}
        reasons = tuple(f"at line {self._locks.line(thread)}, thread {thread} {text}" for thread, text in waits.items())
        last = self._rows[-1]
        violated = None
        if check is not None and last.is_last:
            reason = Reasons(self._state, self._history, self._walk)
            violated = reason.of(check, self._history.events[-1], last, list(self._accesses.read(last)))
            if check.property == "data-race":
                words = _WORD.findall(self._texts.of(last.location.file, last.location.line))
                what = raced(self._state, self._history, last, words)
                violated = _RACE.sub(lambda _: f"data race on {what}:", said) if what is not None else None
                reasons = tuple(rivals(self._state, self._history.events, self._walk, last.thread))
        steps = {row: self._step(row, violated or said) for row in self._rows}
        self._returns(steps)
        kept = [row for row in self._rows if self._says_something(row, steps[row])]
        items = chosen(kept, self._history.events, self._distance)
        shown = {item for item in items if isinstance(item, Row)}
        lines = tuple(replace(steps[row], relevant=row in shown) for row in kept)
        brief = tuple(told(items, steps, self._globals))
        return Explained(lines, brief, violated, reasons, self._locks.started if len(self._locks.started) > 1 else None)

    def _distance(self, row: Row) -> int:
        """How far it is from the violation."""
        found = [self._distances[one] for one in row.events if one in self._distances]
        if row in self._locks.notes:
            found.append(_IMPORTANT)
        return min(found, default=1 << 30)

    # --- a row ------------------------------------------------------------------------------------------------------

    def _step(self, row: Row, said: str) -> TraceStep:
        end = row.events[-1] + 1 if row.events else 0
        text = self._texts.of(row.location.file, row.location.line)
        words = frozenset(_WORD.findall(text))
        values = self._state.told(self._accesses.written(row), row.frame, end, words) if row.events else {}
        notes = [*self._locks.notes.get(row, ())]
        kind = "call" if row.calls else LINE
        for position in row.events:
            notes += self._notes(position, row, values)
        decided = row.decision if _DECIDES.search(text) and not row.is_last else ""
        if decided and not any(one.endswith(f" {decided}") for one in notes):
            notes.append(decided)
        if row.is_last:
            kind = "violation"
            read = list(dict.fromkeys(self._accesses.read(row))) or self._read_before(row, text)
            now = len(self._history.events) - 1
            values = {**self._state.told(_few(read), row.frame, now, words), **values}
            notes.append(_fails(said, text))
        function = self._source.functions[row.procedure]
        note = "; ".join(filter(None, dict.fromkeys(notes)))
        return TraceStep(kind, function.name, row.depth, row.location, text, values, True, row.thread, note)

    def _read_before(self, row: Row, text: str) -> list[Touched]:
        """What the condition of an assertion reads that has several lines."""
        before = [other for other in self._rows if other.frame == row.frame and other is not row][-_LINES:]
        if not _ASSERTS.search(text):
            return []
        return next((found for one in reversed(before) if (found := list(self._accesses.read(one)))), [])

    def _notes(self, position: int, row: Row, values: Mapping[str, str]) -> list[str]:
        event = self._history.events[position]
        match event.kind, event.subject:
            case "call", None:
                return [self._called(event.procedure, [value for _, value in event.values], event.frame, position)]
            case "call", Call(procedure=procedure) if position in row.calls:
                return [self._called(procedure, [value for _, value in event.values], event.other_frame, position)]
            case "havoc", Havoc(targets=(target,)) if target.name.startswith(NONDET) and event.frame == row.frame:
                name = target.name.split(".")[0]
                text = self._texts.returned(name, event.values[0][1])
                return [] if text in values.values() else [f"{name} returns {text}"]
            case _:
                return []

    def _called(self, procedure: str, given: Sequence[Value], frame: int, position: int) -> str:
        function = self._source.functions[procedure]
        shown: list[str] = []
        if not given:
            return ""
        if len(given) == len(function.parameters) + function.is_variadic:
            for (name, type), value in zip(function.parameters, given, strict=False):
                known = type is not None and isinstance(value, int)
                text = self._state.value(type, int(value), frame, position) if known and type is not None else None  # type: ignore[arg-type]
                if text is not None and not text.startswith("0x"):
                    shown.append(f"{name} = {text}")
            shown += ["..."] * function.is_variadic
        return f"{function.name}({', '.join(shown)})"

    def _returns(self, steps: dict[Row, TraceStep]) -> None:
        """What a function returns is said where it says so, not at its closing brace."""
        last: dict[int, Row] = {}
        for row in self._rows:
            text = self._returned(row)
            before = last.get(row.frame)
            if text is not None:
                at = before if before is not None and is_plain(steps[row].text) else row
                note = "; ".join(filter(None, (steps[at].note, f"returns {text}")))
                steps[at] = replace(steps[at], note=note)
            if not is_plain(steps[row].text):
                last[row.frame] = row

    def _returned(self, row: Row) -> str | None:
        function, returns = self._source.functions[row.procedure], self._program.procedures[row.procedure].returns
        if function.result is None or not returns or self._walk.frames[row.frame].caller < 0:
            return None
        found = None
        for position in row.events:
            event = self._history.events[position]
            if event.frame == row.frame and isinstance(event.subject, Assign) and returns[0] in event.subject.targets:
                value = dict(event.values)[returns[0]]
                if isinstance(value, int):
                    found = self._state.value(function.result, int(value), row.frame, position)
        return found

    def _says_something(self, row: Row, step: TraceStep) -> bool:
        if row.is_last:
            return True
        if is_plain(step.text):
            return bool(step.values)
        inside = self._texts.goes_on(row.location.file, row.location.line)
        ends = [row] == self._rows[-2:-1] and self._rows[-1].is_last and row.line == self._rows[-1].line
        return bool(step.values or step.note or row.calls) or not (ends or inside or self._goes_on(row))

    def _goes_on(self, row: Row) -> bool:
        """Whether a line was interrupted, by a call or another thread, and this is its rest."""
        before = self._before.get(row)
        return before is not None and before.line == row.line and not row.begins


def _fails(said: str, text: str) -> str:
    """What is violated, without what the line says itself or what is said elsewhere."""
    if said.startswith("assertion ") and _ASSERTS.search(text):
        return "the assertion fails"
    return shortened(said.split(":")[0] if said.startswith(_THREADS) else said, _NOTE)


def _before(rows: Sequence[Row]) -> dict[Row, Row]:
    """For each row the one before it in its activation."""
    found: dict[Row, Row] = {}
    last: dict[int, Row] = {}
    for row in rows:
        if row.frame in last:
            found[row] = last[row.frame]
        last[row.frame] = row
    return found


def _few(touched: Sequence[Touched]) -> Sequence[Touched]:
    return touched[:8]
