"""The files that can be made of a result, each one `Export` object.

    export("sarif").make(about, result)        # the text of the file, or None: there is nothing to write

`EXPORTS` is the only table. Exports of other packages are found by entry points (group ``cleave.exports``). The
command line has a flag for each, ``--NAME FILE``, and `Options.outputs` takes their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Protocol

from cleave.engines.engine import load
from cleave.errors import UsageError
from cleave.export.inputs import Inputs
from cleave.frontends.input import Input
from cleave.records import dataclass
from cleave.verdict import Result

GROUP = "cleave.exports"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a result is about: what was read, the files as they were then, the command line that led to it, and the
    journal of the run, if it has one."""

    input: Input
    files: Inputs
    command: str
    journal: Path | None = None


class Make(Protocol):
    def __call__(self, about: About, result: Result) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """``text`` and ``refusal`` name functions, loaded when they are needed: from a result to the text of a file or
    None, and from the input to a sentence that says why it has no such file, before anything is done about it.
    ``needs`` says what an engine must be able to tell. ``verdicts`` and ``endings`` are those of results and files that
    have such a file at all; none: all. ``own_integers``: the file is about the program's integers as
    they are, never about integers without bounds."""

    name: str
    help: str
    text: str
    refusal: str = ""
    needs: str = ""
    verdicts: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    own_integers: bool = False
    share: float = 0.0  # of a time limit, which is kept back to make it
    nothing: str = "there is nothing to write"  # of a verdict

    def make(self, about: About, result: Result) -> str | None:
        make: Make = load(self.text)
        return make(about, result)

    def may_be_of(self, file: str, verdict: str) -> bool:
        """Whether there is such a file of a verdict about a program, as far as these two tell."""
        fits = not self.endings or PurePath(file).suffix.lower() in self.endings
        return fits and (not self.verdicts or verdict in self.verdicts)

    def refuses(self, input: Input) -> str | None:
        return load(self.refusal)(input) if self.refusal else None


EXPORTS = (
    Export(
        name="witness",
        help="of a C program that is safe or unsafe: a verification witness, as SV-COMP's validators read it",
        text="cleave.export.witness:witness_text",
        refusal="cleave.export.witness:refusal",
        verdicts=("safe", "unsafe"),
        endings=(".c", ".i"),
        own_integers=True,
        nothing="there are witnesses of safe and unsafe, about properties that the format has words for",
    ),
    Export(
        name="graphml",
        help="of a C program that is unsafe: a violation witness in SV-COMP's older format, GraphML",
        text="cleave.export.graphml:graphml_text",
        refusal="cleave.export.graphml:refusal",
        verdicts=("unsafe",),
        endings=(".c", ".i"),
        own_integers=True,
        nothing="there are witnesses in GraphML of unsafe",
    ),
    Export(
        name="stimulus",
        help="of a hardware model (BTOR2, AIGER) that is unsafe: what btorsim and aigsim replay",
        text="cleave.export.hardware:stimulus_text",
        refusal="cleave.export.hardware:refusal",
        verdicts=("unsafe",),
        endings=(".btor2", ".btor", ".aag", ".aig"),
        nothing="there is a stimulus of unsafe, if the trace tells all states in full",
    ),
    Export(
        name="sarif",
        help="a log in SARIF 2.1.0, with the violating execution",
        text="cleave.export.sarif:sarif_text",
    ),
    Export(
        name="invariant",
        help="the invariant that proves safe, as SMT-LIB definitions of the predicates",
        text="cleave.export.solution:solution_text",
        needs="invariants",
        verdicts=("safe",),
        nothing="there is an invariant where an engine proved safe by one of the whole problem",
    ),
    Export(
        name="certificate",
        help="the claim and its evidence, for 'cleave check'",
        text="cleave.export.certificate:certificate_text",
        verdicts=("safe", "bounded-safe", "unsafe"),
        refusal="cleave.export.certificate:refusal",
        share=0.25,
        nothing="there are certificates of safe, bounded-safe and unsafe",
    ),
    Export(
        name="report",
        help="a report of the run as one file of HTML: verdict, counterexample, plan, and what workers did",
        text="cleave.export.report:report_text",
    ),
)


def exports() -> Iterator[Export]:
    """All of them; the entry points of other packages are looked through."""
    from importlib.metadata import entry_points  # with what it needs, a tenth of the start of a small task

    yield from EXPORTS
    for entry in entry_points(group=GROUP):
        yield entry.load()


def export(name: str) -> Export:
    for one in EXPORTS:
        if one.name == name:
            return one
    found = {one.name: one for one in exports()}
    if name not in found:
        raise UsageError(f"there is no output {name!r}; there are {', '.join(found)}")
    return found[name]
