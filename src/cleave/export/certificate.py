"""Certificates: a claim and its evidence, for a checker that needs nothing of Cleave (`cleave_check`).

A certificate is written only if the checker accepts it. It does not matter where the evidence comes from: the trace,
derivation or invariant is the engine's; the unfolding of a bounded proof is looked for here, with the checker's formula
and Z3.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec

from cleave.errors import UnsupportedError
from cleave.export.certificate_proofs import NoProofError, in_parts, proof_of, refutations
from cleave.export.certificate_traces import exact_trace
from cleave.export.exports import About
from cleave.frontends.input import Input, Kind
from cleave.ir.horn_text import print_horn
from cleave.ir.store_buffers import MODELS
from cleave.ir.text import print_program
from cleave.passes.entries import choose_entries
from cleave.passes.floats import floats_to_bits
from cleave.verdict import BoundedSafe, Result, Safe, Unsafe, Verdict
from cleave.version import __version__
from cleave_check.certificate import digest, read_certificate, sealed
from cleave_check.check import allow_depth, check, property_of
from cleave_check.program import read_program
from cleave_check.refusal import Refusal, Undecided

_SECONDS = 30.0


def refusal(input: Input) -> str | None:
    """Why no certificate can be about this input."""
    if input.c.memory_model in MODELS:
        return "--certificate is about sequentially consistent memory: its checker knows no store buffers"
    return None


def certificate_text(about: About, result: Result) -> str | None:
    """None: the verdict has none. Raises `UnsupportedError` with the reason where this one has none."""
    verdict = result.verdict
    if not isinstance(verdict, Safe | BoundedSafe | Unsafe):
        return None
    allow_depth()
    try:
        content = _content(about, result, verdict)
        try:
            return _accepted(content, _SECONDS)
        except Undecided:
            if not in_parts(content["evidence"]):
                raise
            content["evidence"]["refutations"] = []
        return _accepted(content, 2 * _SECONDS)
    except (NoProofError, Refusal) as why:
        raise UnsupportedError(f"no certificate: {why}") from None
    except RecursionError:
        raise UnsupportedError("no certificate: the program is nested too deeply") from None


def _accepted(content: dict[str, Any], seconds: float) -> str:
    if "refutations" in content["evidence"]:
        content["evidence"]["refutations"] = refutations(read_certificate(sealed(content).encode()))
    text = sealed(content)
    check(read_certificate(text.encode()), seconds=seconds)
    return text


def _content(about: About, result: Result, verdict: Safe | BoundedSafe | Unsafe) -> dict[str, Any]:
    input = about.input
    subject = subject_of(input)
    claim, evidence = (_of_program if input.kind.is_program else _of_clauses)(input, verdict, subject)
    claim |= {"verdict": verdict.word, "subject": digest(subject)}
    claim["bounds"] = dict(verdict.bounds) if isinstance(verdict, BoundedSafe) else {}
    origin = {
        "sources": about.files.digests(),
        "reader": _reader(input),
        "reading": reading(input),
        "engine": result.engine,
        "solvers": _searched(result, input),
        "assumptions": list(dict.fromkeys((*result.assumptions, *_assumptions(input)))),
        "version": __version__,
    }
    return {"claim": claim, "origin": origin, "evidence": evidence, "subject": subject.splitlines()}


def _of_program(input: Input, verdict: Verdict, subject: str) -> tuple[dict[str, Any], dict[str, Any]]:
    program = read_program(subject)
    entries = choose_entries(input.program, input.entry)
    claim = {"property": property_of(program), "entries": list(entries)}
    if isinstance(verdict, Unsafe):
        if not verdict.evidence:
            raise NoProofError("the execution has values without a finite text, or was not kept")
        return claim, exact_trace(program, json.loads(verdict.evidence))
    assert isinstance(verdict, Safe | BoundedSafe)
    bounds = verdict.bounds if isinstance(verdict, BoundedSafe) else {}
    invariants = verdict.invariants if isinstance(verdict, Safe) else ()
    return claim, proof_of(program, entries, bounds, invariants)


def _of_clauses(input: Input, verdict: Verdict, subject: str) -> tuple[dict[str, Any], dict[str, Any]]:
    claim: dict[str, Any] = {"property": "clauses", "entries": []}
    if isinstance(verdict, Unsafe):
        if not verdict.evidence:
            raise NoProofError("the derivation was not kept")
        return claim, json.loads(verdict.evidence)
    if not isinstance(verdict, Safe) or not verdict.solution:
        raise NoProofError("the proof is none by one invariant of all clauses")
    return claim, {"kind": "interpretation", "definitions": verdict.solution.splitlines(), "refutations": []}


def subject_of(input: Input) -> str:
    """What a claim about the input is about, as text."""
    if input.kind.is_program:
        return print_program(floats_to_bits(input.program))
    return print_horn(replace(input.clauses, expected=None))


def reading(input: Input) -> dict[str, Any]:
    """How the sources were read, so that somebody can read them so again."""
    asked = None if input.asked is None else input.asked.value
    boogie = msgspec.to_builtins(replace(input.boogie, others=()))
    c = msgspec.to_builtins(replace(input.c, others=()))
    return {"entry": input.entry, "property": asked, "c": c, "boogie": boogie}


def _searched(result: Result, input: Input) -> list[str]:
    """Solvers that may have found the verdict, or its evidence."""
    if result.engine in ("threads", "bmc"):
        return ["bitwuzla", "minisat", *(["z3"] if input.kind is not Kind.THREADS else [])]
    return ["z3"]


def _reader(input: Input) -> str:
    if input.is_c:
        return "C"
    return "Boogie" if input.kind.is_program else "Horn clauses and transition systems"


def _assumptions(input: Input) -> tuple[str, ...]:
    return input.program.assumptions if input.kind.is_program else ()
