"""Reads Horn clauses, or a transition system as Horn clauses, with the front end that fits the file name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath

from cleave.frontends.aiger import read_aiger
from cleave.frontends.btor2 import read_btor2
from cleave.frontends.horn import read_horn
from cleave.frontends.mcmt import read_mcmt
from cleave.frontends.prolog import read_prolog
from cleave.frontends.vmt import is_vmt, read_vmt
from cleave.ir.horn import HornSystem


def _read_smtlib(file: str, content: bytes) -> HornSystem:
    """VMT files often have the ending of SMT-LIB, which they are an extension of."""
    return read_vmt(file, content) if is_vmt(content) else read_horn(file, content)


READERS: Mapping[str, Callable[[str, bytes], HornSystem]] = {
    ".smt2": _read_smtlib,
    ".vmt": read_vmt,
    ".btor2": read_btor2,
    ".btor": read_btor2,
    ".pl": read_prolog,
    ".mcmt": read_mcmt,
    ".aag": read_aiger,
    ".aig": read_aiger,
}


def holds_clauses(file: str) -> bool:
    """Whether the file is one for this module, by its name."""
    return PurePath(file).suffix.lower() in READERS


def read_clauses(file: str, content: bytes) -> HornSystem:
    return READERS[PurePath(file).suffix.lower()](file, content)
