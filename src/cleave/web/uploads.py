"""Submitted programs: files with names that are safe on this disk, and programs that read nothing else.

    uploads = received([("queue.c", b"..."), ("queue.h", b"...")], settings)
    programs(uploads, together=False)          # what to verify: one job each

A task definition may name only files that were submitted with it; so may ``#include "..."``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from cleave.errors import InputError, UsageError
from cleave.frontends.read import is_c
from cleave.frontends.task_definition import read_task_definition
from cleave.web.includes import check_includes
from cleave.web.settings import Settings

PROGRAMS = (".c", ".i", ".bpl", ".smt2", ".vmt", ".btor2", ".btor", ".mcmt", ".aag", ".aig", ".pl", ".yml")
_BESIDE = (".h", ".prp")  # what programs and tasks refer to
_NAME_BYTES = 150
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]")
# Where tasks of SV-COMP look for them, which is inside of a job's folder. Those that everybody knows need no file.
_PROPERTY = re.compile(r"(?:\.\./properties/)?[A-Za-z0-9_][A-Za-z0-9_.-]*\.prp")

Files = Mapping[str, bytes]


def received(parts: Iterable[tuple[str, bytes]], settings: Settings) -> dict[str, bytes]:
    """By names of their own, each checked. Raises `UsageError` or `InputError`."""
    files: dict[str, bytes] = {}
    for given, content in parts:
        name = safe_name(given)
        if name in files:
            raise UsageError(f"two files have the name {name}")
        files[name] = content
    if not files:
        raise UsageError("there is no file: choose one, or paste a program")
    if len(files) > settings.upload_files:
        raise UsageError(f"{len(files)} files are too many: at most {settings.upload_files} at once")
    for name, content in files.items():
        if is_c(name) or name.lower().endswith(".h"):
            check_includes(name, content, files.keys())
    return files


def safe_name(given: str) -> str:
    """The last part of a path, without what a disk or a command line could misread.

    >>> safe_name("../../etc/x.c"), safe_name("-I.c"), safe_name("<b>.bpl")
    ('x.c', '_-I.c', '<b>.bpl')
    """
    name = unicodedata.normalize("NFC", given.replace("\\", "/").rsplit("/", 1)[-1])
    name = _UNSAFE.sub("_", name).strip()
    if name.startswith(("-", ".", "@")):
        name = f"_{name}"
    stem, dot, suffix = name.rpartition(".")
    if not stem or f"{dot}{suffix}".lower() not in (*PROGRAMS, *_BESIDE):
        raise UsageError(f"{name or 'a file without a name'}: programs end in {', '.join(PROGRAMS)}")
    while len(name.encode("utf-8", "replace")) > _NAME_BYTES:
        stem = stem[:-1]
        name = f"{stem}.{suffix}"
    return name.encode("utf-8", "replace").decode()


def programs(files: Files, *, together: bool) -> list[tuple[str, ...]]:
    """The files of each job, what the verdict is for first. ``together``: all C files are one program."""
    tasks = [name for name in files if name.lower().endswith(".yml")]
    if tasks:
        for name in tasks:
            _check_task(name, files)
        return [(name,) for name in tasks]
    own = [name for name in files if name.lower().endswith(PROGRAMS)]
    if not own:
        raise UsageError(f"there is no program among the files: programs end in {', '.join(PROGRAMS)}")
    if together:
        c = tuple(filter(is_c, own))
        return [*((c,) if c else ()), *((name,) for name in own if not is_c(name))]
    return [(name,) for name in own]


def _check_task(name: str, files: Files) -> None:
    """What it names was submitted, too: nothing else is ever read for it."""
    task = read_task_definition(name, files[name])
    for file in task.input_files:
        if file not in files:
            raise InputError(f"the task names {file}, which was not submitted with it", file=name)
    for one in task.properties:
        if not _PROPERTY.fullmatch(one.file):
            raise InputError(f"the task names {one.file}: write {one.name}.prp, and submit it, too", file=name)
