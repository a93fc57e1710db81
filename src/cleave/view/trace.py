"""A violating execution to step through: the source on the left, the steps on the right, and what the variables are.

The script of the page moves through the steps; without it all of them can be read. A trace with many steps is shown in
its compact form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

from cleave.engines.review.drawings import Arrow, Block, Lane, Lanes, Node, Tree
from cleave.engines.text import count
from cleave.explain.folding import LINE, compact, full, shortened
from cleave.ir.program import Location
from cleave.verdict import Trace, TraceStep
from cleave.view.charts import figure
from cleave.view.markup import Html, h, join

_MOST_STEPS = 3000
_WHOLE, _AROUND = 1500, 25  # lines of source: of a file that is shown as a whole, and around each step in a larger one
_VALUE = 200  # characters
_MOST_SAID, _MOST_CHIPS = 300, 8  # characters of a violation, values beside a step
_MOST_FACTS, _MOST_DEPTH = 400, 60  # of a derivation
_SYNCHRONISES = re.compile(
    r"\b(?:pthread_)?(mutex_lock|mutex_trylock|mutex_unlock|cond_signal|cond_broadcast|cond_wait|join|mtx_lock"
    r"|mtx_unlock|cnd_signal|cnd_broadcast|cnd_wait|thrd_join)\b[^(]*\(([^()]*)\)"
)
_STARTS = re.compile(r"\bstarts thread (\d+)")  # as `explain.c.locks` says it
_GIVES = {"mutex_unlock": "lock", "mtx_unlock": "lock", "cond_signal": "signal", "cnd_signal": "signal"}
_GIVES |= {"cond_broadcast": "signal", "cnd_broadcast": "signal"}
_TAKES = {
    "mutex_lock": "lock",
    "mutex_trylock": "lock",
    "mtx_lock": "lock",
    "cond_wait": "signal",
    "cnd_wait": "signal",
}


def draw_trace(whole: Trace, sources: Mapping[str, str]) -> Html:
    trace = compact(whole) if len(whole.lines or whole.steps) > _MOST_STEPS else full(whole)
    files = _files(trace, sources)
    minor = sum(not step.relevant for step in trace.steps)
    return join(
        (
            _violated(trace, files),
            _inputs(trace),
            schedule(trace),
            derivation(whole),
            h(
                "div",
                _controls(trace, minor),
                _source(files, trace.steps),
                _steps(trace, files),
                class_="trace",
                data_trace=True,
            ),
        )
    )


def _violated(trace: Trace, files: Sequence[tuple[str, str]]) -> Html:
    where = h("span", f" at {_place(trace.location)}", class_="quiet") if trace.location is not None else None
    more = [h("p", reason, class_="quiet") for reason in trace.reasons]
    said: Html | str = trace.violated
    if len(trace.violated) > _MOST_SAID:  # of a predicate with a hundred arguments, say
        said = h("details", h("summary", f"{trace.violated[:_MOST_SAID]} …"), trace.violated)
    return join((h("div", h("b", "Violated: "), said, where, class_="violated"), *more))


def _place(location: Location) -> str:
    return f"{PurePath(location.file).name}, line {location.line}"


def _inputs(trace: Trace) -> Html | None:
    if not trace.inputs:
        return None
    rows = [h("li", h("code", f"{name} = {shortened(value, _VALUE)}")) for name, value in trace.inputs.items()]
    return h("details", h("summary", f"It starts from {len(rows)} chosen values"), h("ul", *rows, class_="plain"))


def _files(trace: Trace, sources: Mapping[str, str]) -> list[tuple[str, str]]:
    """Those that steps are in and whose text is known; the first is where the violation is."""
    named = [step.location.file for step in reversed(trace.steps) if step.location is not None]
    return [(file, sources[file]) for file in dict.fromkeys(named) if file in sources]


def _controls(trace: Trace, minor: int) -> Html:
    last = max(0, len(trace.steps) - 1)
    essential = h("label", h("input", type="checkbox", data_essential=True, checked=True), " only essential steps")
    return h(
        "div",
        h("button", "◀ back", type="button", data_step="-1", title="arrow up or k"),
        h("input", type="range", min=0, max=last, value=last, aria_label="step", data_slider=True),
        h("button", "on ▶", type="button", data_step="1", title="arrow down or j"),
        h("output", f"step {last + 1} of {last + 1}", data_position=True),
        essential if minor else None,
        h("button", "fold all calls", type="button", data_fold_all=True),
        class_="controls",
    )


def _source(files: Sequence[tuple[str, str]], steps: Iterable[TraceStep]) -> Html:
    if not files:
        return h("div", h("p", "The text of the program is not in the journal.", class_="quiet"), class_="source")
    visited: dict[str, set[int]] = {file: set() for file, _ in files}
    for step in steps:
        if step.location is not None and step.location.file in visited:
            visited[step.location.file].add(step.location.line)
    shown = []
    for number, (file, text) in enumerate(files):
        shown.append(h("h4", file))
        shown.append(h("ol", *_lines(text.splitlines(), visited[file], number), class_="code"))
    return h("div", *shown, class_="source", tabindex=0, aria_label="source")


def _lines(lines: Sequence[str], visited: set[int], number: int) -> Iterable[Html]:
    """Of a large file, those around the lines that steps are in."""
    positions: Iterable[int] = range(1, len(lines) + 1)
    if len(lines) > _WHOLE:
        near = {at for line in visited for at in range(line - _AROUND, line + _AROUND + 1)}
        positions = sorted(at for at in near if 1 <= at <= len(lines))
    last = 0
    for at in positions:
        if at > last + 1:
            yield _gap(at - last - 1)
        own = "was" if at in visited else None
        yield h(
            "li", h("code", lines[at - 1] or " "), id=f"L{number}-{at}", value=at if at > last + 1 else None, class_=own
        )
        last = at
    if last < len(lines):
        yield _gap(len(lines) - last)


def _gap(lines: int) -> Html:
    return h("li", f"… {count(lines, 'line')} without a step", class_="gap")


def _steps(trace: Trace, files: Sequence[tuple[str, str]]) -> Html:
    numbers = {file: number for number, (file, _) in enumerate(files)}
    threads = len({step.thread for step in trace.steps}) > 1
    items = [_step(step, numbers, threads=threads) for step in trace.steps]
    return h(
        "div",
        h("ol", *items, class_="steps", data_steps=True, tabindex=0, aria_label="steps"),
        h("div", h("h4", "Values"), h("dl", data_values=True), class_="values", aria_live="polite"),
        class_="happening",
    )


def _step(step: TraceStep, files: Mapping[str, int], *, threads: bool) -> Html:
    place = step.location
    known = place is not None and place.file in files
    values = {name: shortened(value, _VALUE) for name, value in step.values.items()}
    line = (str(place.line) if known else f"{PurePath(place.file).name}:{place.line}") if place is not None else ""
    told = [h("span", f"{name} = {value}", class_="value") for name, value in list(values.items())[:_MOST_CHIPS]]
    if len(values) > _MOST_CHIPS:
        told.append(h("span", f"and {len(values) - _MOST_CHIPS} more", class_="quiet"))
    classes = [f"kind-{step.kind}", "" if step.relevant else "minor", f"depth-{min(step.depth, 12)}"]
    thread = h("span", f"T{step.thread}", class_=f"thread t-{step.thread % 8}") if threads else None
    return h(
        "li",
        thread,
        h("span", line, class_="line"),
        h("span", h("code", step.text), " ", join(told), f" {step.note}" if step.note else None, class_="what"),
        class_=" ".join(filter(None, classes)),
        data_line=f"L{files[place.file]}-{place.line}" if place is not None and known else None,
        data_depth=step.depth,
        data_thread=step.thread,
        data_set=json.dumps(values) if values else None,
        data_procedure=step.procedure,
        data_call=True if step.kind == "call" else None,
    )


# --- Horn clauses ----------------------------------------------------------------------------------------------------


def derivation(trace: Trace) -> Html | None:
    """Facts below what they lead to, if the steps tell. A fact that is used again is drawn once."""
    steps = trace.steps
    if not steps or any(step.premises is None for step in steps) or len(steps) < 2:
        return None
    nodes: list[Node] = []
    seen: set[int] = set()
    pending: list[tuple[int, str, str | None, int]] = [(len(steps) - 1, "0", None, 0)]
    while pending and len(nodes) < _MOST_FACTS:
        number, id, parent, depth = pending.pop(0)
        nodes.append(_fact(steps[number], id, parent, again=number in seen))
        if number not in seen and depth < _MOST_DEPTH:
            premises = [one for one in steps[number].premises or () if 0 <= one < number]
            pending += [(one, f"{id}.{place}", id, depth + 1) for place, one in enumerate(premises)]
        seen.add(number)
    left = len(steps) - len(seen)
    note = "Below each fact: the facts that it comes from."
    return figure(
        Tree(title="Derivation", nodes=tuple(nodes), note=f"{note} {left} more are not drawn." if left else note)
    )


def _fact(step: TraceStep, id: str, parent: str | None, *, again: bool) -> Node:
    values = [f"{name} = {shortened(value, _VALUE)}" for name, value in step.values.items()]
    state = "fact again" if again else "false" if step.kind == "violation" else "fact"
    label = f"{step.procedure}({', '.join(shortened(value, 20) for value in step.values.values())})"
    where = [_place(step.location)] if step.location is not None else []
    return Node(
        id=id,
        parent=parent,
        label=label if values else step.procedure,
        state=state,
        details=(step.text, *where, *values),
    )


# --- threads --------------------------------------------------------------------------------------------------------


def schedule(trace: Trace) -> Html | None:
    """Of several threads: a lane for each, a block for each stretch of steps, arrows for locks, signals and joins."""
    threads = sorted({step.thread for step in trace.steps})
    if len(threads) < 2:
        return None
    lanes = tuple(
        Lane(f"thread {one}", tuple(_stretches(trace.steps, one)), trace.threads.get(one, "")) for one in threads
    )
    arrows = tuple(_arrows(trace.steps, {thread: position for position, thread in enumerate(threads)}))
    return figure(
        Lanes(
            title="Schedule",
            lanes=lanes,
            unit="steps",
            arrows=arrows,
            note="A block is a stretch of steps of one thread. Arrows: threads that start or are joined, locks that are"
            " passed on, signals. The frame is the step below; click to go to another one.",
        )
    )


def _stretches(steps: Sequence[TraceStep], thread: int) -> Iterable[Block]:
    begin: int | None = None
    context = 0
    for position, step in enumerate([*steps, None]):
        inside = step is not None and step.thread == thread
        if inside and begin is None:
            begin = position
        elif not inside and begin is not None:
            context += 1
            last = steps[position - 1]
            yield Block(
                begin, position, f"thread {thread % 8}", f"stretch {context}, up to {last.procedure}: {last.text}"[:200]
            )
            begin = None


def _arrows(steps: Sequence[TraceStep], lanes: Mapping[int, int]) -> Iterable[Arrow]:
    given: dict[tuple[str, str], tuple[int, int]] = {}
    before = {position: steps[position - 1].thread for position in range(1, len(steps))}
    seen: set[int] = {steps[0].thread} if steps else set()
    started: dict[int, tuple[int, int]] = {}
    last: dict[int, int] = {}
    for position, step in enumerate(steps):
        for starts in _STARTS.finditer(step.note):
            started[int(starts[1])] = (step.thread, position)
        if step.thread not in seen:
            seen.add(step.thread)
            starter, at = started.get(step.thread, (before[position], position))
            yield Arrow(lanes[starter], at, lanes[step.thread], position, f"thread {step.thread} starts", "start")
        found = _SYNCHRONISES.search(step.text) if step.kind in ("call", LINE) else None
        if found is not None:
            name, what = found[1], found[2].split(",")[0].strip()
            if name in _GIVES:
                given[_GIVES[name], what] = (step.thread, position)
            elif name in ("join", "thrd_join"):
                ended = [(at, thread) for thread, at in last.items() if thread != step.thread]
                if ended:
                    at, thread = max(ended)
                    yield Arrow(lanes[thread], at, lanes[step.thread], position, f"{step.procedure} joins", "join")
            else:
                giver = given.get((_TAKES[name], what))
                if giver is not None and giver[0] != step.thread:
                    yield Arrow(lanes[giver[0]], giver[1], lanes[step.thread], position, f"{name} {what}", _TAKES[name])
        last[step.thread] = position
