"""The file: one JSON object. Nothing of it is believed because it is there.

    {"format": "cleave-certificate", "version": 1,
     "claim": {"verdict": "safe", "property": "assertions", "bounds": {}, "entries": ["main"], "subject": "9f86d0..."},
     "origin": {"sources": {"a.bpl": "60303a..."}, "reader": "Boogie", "engine": "pdr", "solvers": ["z3"], ...},
     "subject": ["var g: Int", ...],
     "evidence": {"kind": "trace", ...},
     "seal": "..."}

``subject`` is the program's ir, or the Horn clauses, line by line. The seal is a digest of all the rest: it notices
accidents. Who forges a certificate forges the seal, too; that the claim is true of the subject is shown by the evidence
alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass
from typing import Any, NoReturn

from cleave_check.data import listed, mapped, number, only, text
from cleave_check.refusal import Unreadable

FORMAT = "cleave-certificate"
VERSION = 1
MOST_BYTES = 200_000_000
VERDICTS = ("safe", "bounded-safe", "unsafe")
_ORIGIN = ("sources", "reader", "reading", "engine", "solvers", "assumptions", "version")
_USUAL = {  # how sources are read without options
    "spurious_wakeups": True,
    "array_bounds": True,
    "reach": False,
    "assume_pure": False,
    "cooperative": False,
    "candidates": False,
}
BOUNDS = ("recursion", "unwind", "contexts", "rounds")


@dataclass(frozen=True, slots=True)
class Claim:
    """``subject`` is the digest of what the claim is about."""

    verdict: str
    property: str
    bounds: dict[str, int]
    entries: tuple[str, ...]
    subject: str

    def __str__(self) -> str:
        within = ", ".join(f"{name} {bound}" for name, bound in self.bounds.items())
        from_where = f", from {', '.join(self.entries)}" if self.entries else ""
        return f"{self.verdict}{f' within {within}' if within else ''}: {self.property}{from_where}"


@dataclass(frozen=True, slots=True)
class Certificate:
    claim: Claim
    origin: dict[str, Any]
    subject: str
    evidence: dict[str, Any]

    @property
    def sources(self) -> dict[str, str]:
        return {name: text(digest) for name, digest in mapped(self.origin["sources"]).items()}

    @property
    def reading(self) -> list[str]:
        """How the sources were read, as far as that is not what happens without options: macros, checks and the like
        make another program of the same text."""
        return sorted(_told("", mapped(self.origin["reading"])))

    @property
    def solvers(self) -> list[str]:
        """That searched."""
        return [text(name) for name in listed(self.origin["solvers"])]


def digest(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def sealed(content: dict[str, Any]) -> str:
    """The text of a certificate with this claim, origin, subject and evidence."""
    whole = {"format": FORMAT, "version": VERSION, **content}
    whole["seal"] = seal(whole)
    return json.dumps(whole, indent=1, ensure_ascii=True) + "\n"


def seal(whole: dict[str, Any]) -> str:
    rest = {name: part for name, part in whole.items() if name != "seal"}
    return digest(json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True))


def read_bytes(file: str, most: int = MOST_BYTES) -> bytes:
    """Of a regular file that is not too large."""
    try:
        with open(file, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise Unreadable(f"{file} is no regular file")
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:
        raise Unreadable(f"{file} can't be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > most:
        raise Unreadable(f"{file} has more than {most // 1_000_000} MB")
    return data


def read_certificate(data: bytes) -> Certificate:
    try:
        whole = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_distinct,
            parse_int=_integer,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except UnicodeDecodeError:
        raise Unreadable("the file is no UTF-8 text") from None
    except RecursionError:
        raise Unreadable("the file is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"the file is no JSON: {str(error)[:200]}") from None
    whole = mapped(whole)
    if whole.get("format") != FORMAT:
        raise Unreadable("the file is no certificate of Cleave")
    if whole.get("version") != VERSION:
        raise Unreadable(f"the certificate has another version than {VERSION}, which this checker reads")
    only(whole, "format", "version", "claim", "origin", "subject", "evidence", "seal")
    if seal(whole) != whole["seal"]:
        raise Unreadable("the seal is broken: the certificate was changed after it was written")
    lines = [text(line) for line in listed(whole["subject"])]
    if any("\n" in line for line in lines):
        raise Unreadable("a line of the subject is several lines")
    subject = "".join(f"{line}\n" for line in lines)
    origin = only(mapped(whole["origin"]), *_ORIGIN)
    return Certificate(_claim(whole["claim"], subject), origin, subject, mapped(whole["evidence"]))


def _claim(data: Any, subject: str) -> Claim:
    found = only(mapped(data), "verdict", "property", "bounds", "entries", "subject")
    bounds = {name: number(bound) for name, bound in mapped(found["bounds"]).items()}
    entries = tuple(text(entry) for entry in listed(found["entries"]))
    claim = Claim(text(found["verdict"]), text(found["property"]), bounds, entries, text(found["subject"]))
    if claim.verdict not in VERDICTS or any(name not in BOUNDS for name in bounds):
        raise Unreadable("the claim has a verdict or a bound that is not known")
    if (claim.verdict == "bounded-safe") != bool(bounds):
        raise Unreadable("a bounded-safe claim has bounds, and no other claim has any")
    if claim.subject != digest(subject):
        raise Unreadable("the claim is about another subject than the certificate holds")
    return claim


def _told(name: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [line for key, part in value.items() for line in _told(key, part)]
    if value is None or value == [] or value == "" or value is _USUAL.get(name):
        return []
    shown = ", ".join(map(_shown, value)) if isinstance(value, list) else _shown(value)
    return [f"{name.replace('_', ' ')} {shown}"]


def _shown(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object has two entries of one name")
    return made


def _integer(digits: str) -> int:
    if len(digits) > 20:
        raise ValueError("a number has more than 20 digits")
    return int(digits)


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word[:20]} is no number that certificates have")
