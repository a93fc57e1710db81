"""Reads Horn clauses, or a transition system as Horn clauses, with the front end that fits the file name.

Front ends are loaded when there is a file for them: together they take longer than a small task.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import PurePath

from cleave.ir.horn import HornSystem

_log = logging.getLogger(__name__)

READERS: Mapping[str, str] = {
    ".smt2": "horn:read_horn",
    ".vmt": "transitions.vmt:read_vmt",
    ".btor2": "transitions.btor2:read_btor2",
    ".btor": "transitions.btor2:read_btor2",
    ".pl": "transitions.prolog:read_prolog",
    ".mcmt": "transitions.mcmt:read_mcmt",
    ".aag": "transitions.aiger:read_aiger",
    ".aig": "transitions.aiger:read_aiger",
}
"""Modules and functions of this package, by the endings of files."""


def holds_clauses(file: str) -> bool:
    """Whether the file is one for this module, by its name."""
    return PurePath(file).suffix.lower() in READERS


def holds_transitions(file: str) -> bool:
    return holds_clauses(file) and PurePath(file).suffix.lower() != ".smt2"


def read_clauses(file: str, content: bytes) -> HornSystem:
    ending = PurePath(file).suffix.lower()
    if ending == ".smt2" and _is_vmt(content):
        ending = ".vmt"
    module, _, function = READERS[ending].partition(":")
    read: Callable[[str, bytes], HornSystem] = getattr(import_module(f"cleave.frontends.{module}"), function)
    _log.info("reading %s: %s bytes, as %s", file, f"{len(content):,}", ending)
    system = read(file, content)
    _log.info("read %s: %d clauses", file, len(system.clauses))
    return system


def _is_vmt(content: bytes) -> bool:
    """VMT files often have the ending of SMT-LIB, which they are an extension of."""
    return b":trans" in content and b":init" in content
