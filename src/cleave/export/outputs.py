"""The files that a run was asked for. Whether they can be written is looked at before the run: nobody wants to wait for
an hour to learn of a wrong path.

outputs = check_outputs(plan, input)         # UsageError where one can't be written, or not for this input
outputs.write(result)                        # sentences about what was not written
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from cleave.engines.registry import engine
from cleave.errors import CleaveError, UsageError
from cleave.export.exports import About, Export, export
from cleave.export.inputs import Inputs
from cleave.frontends.input import Input
from cleave.ir.integers import Integers
from cleave.records import dataclass
from cleave.run.plan import Plan
from cleave.verdict import Result


@dataclass(frozen=True, slots=True)
class Outputs:
    """``files`` by name of export; ``about`` None: the input has changed since it was read."""

    files: Mapping[str, str]
    about: About | None

    def of(self, journal: Path | None) -> Outputs:
        """Of the run with this journal."""
        return self if self.about is None else Outputs(self.files, replace(self.about, journal=journal))

    def write(self, result: Result) -> tuple[str, ...]:
        """Writes what there is to write. A file that can't be written takes nothing with it."""
        return tuple(said for name, file in self.files.items() if (said := self._write(export(name), file, result)))

    def _write(self, one: Export, file: str, result: Result) -> str:
        if self.about is None:
            return f"{file} is not written: the program has changed since the run began"
        try:
            text = one.make(self.about, result)
            if text is None:
                where = "not here" if result.verdict.word in one.verdicts else f"not of {result.verdict.word}"
                return f"{file} is not written: {one.nothing}, {where}"
            _replace(file, text)
        except CleaveError as error:
            return str(error)
        return ""


def check_outputs(
    plan: Plan, input: Input, digests: Mapping[str, str] | None = None, *, read: Iterable[str] = ()
) -> Outputs:
    """``digests`` are those of the input's files when a run began that goes on now. ``read`` are further files that
    must not be overwritten."""
    if not plan.outputs:
        return Outputs({}, None)
    used = [*input.files, *read]
    for name, file in plan.outputs.items():
        one = export(name)
        if (why := one.refuses(input) or _unable(one, plan)) is not None:
            raise UsageError(f"{input.file}: {why}")
        _check_place(file, used)
        used.append(file)  # nothing else may be written there
    try:
        files = Inputs.read(input.files)
    except CleaveError:
        files = Inputs({})
    unchanged = digests is None or files.digests() == digests
    return Outputs(plan.outputs, About(input=input, files=files, command=plan.command) if unchanged else None)


def _unable(one: Export, plan: Plan) -> str | None:
    """Why no engine of the plan can tell what the file is to hold."""
    if one.own_integers and any(stage.integers is Integers.UNBOUNDED for stage in plan.stages):
        return f"--{one.name} is about C's own arithmetic, not about --integers math"
    names = dict.fromkeys(stage.engine for stage in plan.stages)
    if not one.needs or any(one.needs in engine(name).tells for name in names):
        return None
    return f"--{one.name} needs an engine that finds {one.needs}; this plan runs {' and '.join(names)}"


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


def _replace(file: str, text: str) -> None:
    """All of it or nothing: what was there stays if the disk is full or the process is ended."""
    place = os.path.realpath(file)
    if (os.path.exists(place) and not os.path.isfile(place)) or not os.access(os.path.dirname(place), os.W_OK):
        _write(file, text)  # a device, or nothing may be made beside it
        return
    new = f"{place}.{os.getpid()}.new"
    try:
        _write(new, text)
        if os.path.exists(place):
            shutil.copymode(place, new)
        os.replace(new, place)
    except (OSError, UsageError) as error:
        with contextlib.suppress(OSError):
            os.remove(new)
        _refuse(file, getattr(error, "strerror", None) or str(error).rpartition(": ")[2])


def _refuse(file: str, why: str) -> NoReturn:
    raise UsageError(f"can't write to {file}: {why}")
