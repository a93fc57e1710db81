"""What a run has noted so far, and its result if it stops here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from cleave.distribute import Distributed
from cleave.engines.engine import Counters
from cleave.engines.search import Search
from cleave.ir.integers import UNBOUNDED_ASSUMPTION, Integers
from cleave.ir.program import Program, checks_of
from cleave.verdict import BoundedSafe, Reason, Result, Safe, Unknown, Unsafe, Verdict
from cleave.watch import StoppedError, Watch

_SMTLIB = {Safe.word: "sat", Unsafe.word: "unsat"}

OnProgress = Callable[[Counters], None]


class Run:
    """``counters`` and ``assumptions`` grow while an engine works; ``id`` is set if the run has a journal."""

    def __init__(self, engine: str, watch: Watch, on_progress: OnProgress | None) -> None:
        self.engine = engine
        self.watch = watch
        self.counters: dict[str, Any] = {}
        self.assumptions: list[str] = []
        self.checked: dict[str, int] = {}  # the properties of the program that was read
        self.predicates: dict[str, tuple[str, ...]] = {}  # of an abstraction, by location
        self.id: str | None = None
        self.is_horn = False  # the file holds Horn clauses, not a program
        self._on_progress = on_progress

    def note(self, news: Counters) -> None:
        self.counters.update(news)
        if self._on_progress is not None:
            self._on_progress({**self.counters, "engine": self.engine, "run": self.id})

    def assume(self, program: Program, integers: Integers) -> None:
        """What is taken for granted about a program that was read."""
        self.assumptions += program.assumptions
        self.checked = checks_of(program)
        if integers is Integers.UNBOUNDED:
            self.assumptions.append(UNBOUNDED_ASSUMPTION)

    def result(self, find: Callable[[], Verdict], workers: int) -> Result:
        """What ``find`` concludes; a limit or a wish to stop is an answer, too."""
        try:
            verdict = find()
        except StoppedError as stopped:
            verdict = Unknown(stopped.reason)
        except MemoryError:
            verdict = Unknown(Reason.MEMORY)
        verdict = _without_doubt(verdict)
        bounds, assumptions = _bounds(verdict, self.counters), tuple(self.assumptions)
        smtlib = _SMTLIB.get(verdict.word, "unknown") if self.is_horn else None
        seconds = self.watch.seconds()
        return Result(
            verdict,
            self.engine,
            bounds,
            seconds,
            workers,
            self.counters,
            assumptions,
            self.id,
            smtlib,
            checked=self.checked,
            predicates=self.predicates,
        )


class Flow(Protocol):
    """One file, one engine, from the text to the verdict. What it returns has been confirmed, or is `Unknown`."""

    @property
    def search(self) -> Search[Any]: ...

    def here(self, run: Run) -> Verdict:
        """With one worker, in this process."""

    def distributed(self, run: Run, distributed: Distributed[Any]) -> Verdict:
        """With any number of workers."""

    def with_invariants(self, run: Run) -> Flow:
        """With what another engine can find out beforehand; only for engines that can use it."""


def _without_doubt(verdict: Verdict) -> Verdict:
    """A violation that needs something which a function may never do is none that is known."""
    if not isinstance(verdict, Unsafe) or not verdict.trace.unmodelled:
        return verdict
    names = verdict.trace.unmodelled
    why = f"the violation that was found depends on what {' and '.join(names)} {'does' if len(names) == 1 else 'do'}"
    functions = [name for name in names if name.isidentifier()]
    if functions:
        options = " ".join(f"--trust {name}" for name in functions)
        why += f"; give a body in a further file, or {options} if it leaves memory alone and may return any value"
    return Unknown(Reason.UNMODELLED, why)


def _bounds(verdict: Verdict, counters: Counters) -> dict[str, int]:
    """The bounds that took part, or that the run was working on."""
    match verdict:
        case Safe():
            return {}
        case BoundedSafe(bounds):
            return dict(bounds)
        case _:
            found = {"recursion": counters.get("bound"), "contexts": counters.get("contexts")}
            return {name: int(bound) for name, bound in found.items() if bound}
