"""``--witness`` and ``--sarif``: files with the evidence for a verdict, for other tools.

Whether they can be written is looked at before the run: nobody wants to wait for an hour to learn of a wrong path.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from cleave.distribute import search_of
from cleave.errors import UsageError
from cleave.export.inputs import Inputs
from cleave.flows.options import Options
from cleave.flows.tasks import resolve_task
from cleave.frontends.c.options import COptions
from cleave.frontends.c.properties.registry import chosen
from cleave.frontends.read import is_c
from cleave.ir.integers import Integers
from cleave.journal.journal import Journal
from cleave.verdict import Result, Unsafe


def add_evidence(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("evidence for other tools, of one program (see docs/evidence.md)")
    group.add_argument(
        "--witness",
        metavar="FILE",
        help="of a C program that is safe or unsafe: write a verification witness, as SV-COMP's validators read it",
    )
    group.add_argument("--sarif", metavar="FILE", help="write a log in SARIF 2.1.0, with the violating execution")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Which files to write, about which inputs."""

    witness: str | None
    sarif: str | None
    inputs: Inputs
    c: COptions
    command: str

    def write(self, result: Result) -> int:
        """Writes them. The exit code: that of an error if a file can't be written, which is told here."""
        try:
            if self.witness is not None:
                self._write_witness(self.witness, result)
            if self.sarif is not None:
                self._write_sarif(self.sarif, result)
        except UsageError as error:
            print(f"cleave: {error}", file=sys.stderr, flush=True)
            return error.exit_code
        return 0

    def _write_witness(self, file: str, result: Result) -> None:
        from cleave.export.witness import WitnessTask, witness
        from cleave.frontends.c.clang.compile import declares_32_bit

        small = any(map(declares_32_bit, self.inputs.contents.values()))
        bits = self.c.bits or (32 if small else 64)
        made = witness(WitnessTask(inputs=self.inputs, bits=bits, command=self.command), result)
        if made is None:
            told = f"{file} is not written: {_no_witness(result)}"
            print(f"cleave: {told}", file=sys.stderr, flush=True)
        else:
            _write(file, made)

    def _write_sarif(self, file: str, result: Result) -> None:
        from cleave.export.sarif import SarifTask, sarif

        log = sarif(SarifTask(inputs=self.inputs, command=self.command), result)
        _write(file, json.dumps(log, indent=2, ensure_ascii=False) + "\n")


def refuse_several(options: argparse.Namespace) -> None:
    """A file has room for the evidence of one program."""
    if len(options.files) > 1 and (options.witness or options.sarif) is not None:
        raise UsageError("--witness and --sarif are for one program at a time")


def planned(file: str, chosen: Options, options: argparse.Namespace) -> Evidence | None:
    """None if none is wanted. Raises `UsageError` where it could not be written, or not for this input."""
    if options.witness is None and options.sarif is None:
        return None
    if options.witness is not None and chosen.integers is Integers.UNBOUNDED:
        raise UsageError(f"{file}: a witness is about C's own arithmetic, not about --integers math")
    task = resolve_task(file, chosen)
    also = [file, *(options.property_file or ())]
    return _evidence(task.file, task.options.c, (task.file, *task.options.c.others), also, options)


def _evidence(
    file: str, c: COptions, programs: tuple[str, ...], also: list[str], options: argparse.Namespace
) -> Evidence:
    if options.witness is not None:
        _check_language(file, c)
    used = [*programs, *also]
    for wanted in filter(None, (options.witness, options.sarif)):
        _check_place(wanted, used)
        used.append(wanted)  # nothing else may be written there
    return Evidence(
        witness=options.witness,
        sarif=options.sarif,
        inputs=Inputs.read(programs),
        c=c,
        command=shlex.join(["cleave", *options.arguments]),
    )


def planned_again(journal: Journal, options: argparse.Namespace) -> Evidence | None:
    """For a run that goes on: about its inputs, as long as they are still what the run has read."""
    if options.witness is None and options.sarif is None:
        return None
    search = search_of(journal)
    file, c = search.file, COptions()
    programs: tuple[str, ...] = (file,)
    if is_c(file):
        from cleave.frontends.c.clang.compiled import decode_compiled

        compiled = decode_compiled(search.source, file)
        c, programs = compiled.options, tuple(unit.file for unit in compiled.units if not unit.is_library)
    evidence = _evidence(file, c, programs, [], options)
    for program in programs:
        if os.path.getmtime(program) > journal.info.started.timestamp():
            raise UsageError(f"{program} has changed since the run began: there is no evidence about what it is now")
    return evidence


def _check_language(file: str, c: COptions) -> None:
    if not is_c(file):
        raise UsageError(f"{file}: --witness is for programs in C, the only language of witnesses; --sarif is for all")
    from cleave.export.witness import can_be_said

    names = [one.name for one in chosen(c.checks)]
    if not can_be_said(names):
        raise UsageError(f"{file}: the format of witnesses has no words for {', '.join(names)}; --sarif has")


def _no_witness(result: Result) -> str:
    if isinstance(result.verdict, Unsafe) and result.verdict.trace.check is not None:
        return f"the format of witnesses has no words for {result.verdict.trace.check.property}"
    return f"there are witnesses of safe and unsafe, not of {result.verdict.word}"


def _check_place(file: str, others: Iterable[str]) -> None:
    if any(os.path.realpath(file) == os.path.realpath(other) for other in others):
        raise UsageError(f"can't write to {file}: the same file has another purpose in this command")
    if os.path.isdir(file):
        _refuse(file, "it is a folder")
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        _refuse(file, f"there is no folder {folder}")
    exists = os.path.exists(file)
    if not exists or os.path.isfile(file):
        _write(file, "", "a")  # only this tells for sure
    if not exists:
        os.remove(file)


def _write(file: str, text: str, mode: str = "w") -> None:
    try:
        with open(file, mode, encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        _refuse(file, error.strerror or str(error))


def _refuse(file: str, why: str) -> NoReturn:
    raise UsageError(f"can't write to {file}: {why}")
