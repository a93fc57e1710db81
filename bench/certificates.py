"""Forged certificates against the checker: none may be accepted whose claim is not true.

Certificates of small tasks (tests/support/certified_tasks.py) are changed in one place and sealed again. What the
checker accepts nevertheless is looked at:

| the claim of the forgery | then |
| --- | --- |
| the same, about the same subject | harmless: other evidence for what was claimed |
| another one, or about another subject | Cleave verifies that claim: if it contradicts, the forgery is WRONG |

A forger may put in another program, about which the claim is true. The checker accepts that: it can't read sources.
``cleave check CERTIFICATE FILE --reread`` makes the program again from its source, and refuses such a certificate.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.forgeries import Forgery, forgeries
from cleave import verify
from cleave.engines.inline.options import InlineOptions
from cleave.errors import CleaveError
from cleave.run.request import Options
from cleave_check import check as checker
from cleave_check.certificate import Certificate, Claim, read_certificate
from cleave_check.check import check
from cleave_check.refusal import Refusal
from cleave_check.solvers import NAMES, answer

_CHECK_SECONDS = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--forgeries", type=int, default=5000, help="how many are checked (default: 5000)")
    parser.add_argument("--seed", type=int, default=1)


def main(options: argparse.Namespace) -> int:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    for solver in NAMES:
        import_module(solver)
    checker.ask = _forked  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        contents = certificates(Path(folder))
        tally, wrong = campaign(contents, options.forgeries, random.Random(options.seed), Path(folder))
    print("| changed | refused | the same claim | another claim, not contradicted | WRONG |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for kind in sorted({kind for kind, _ in tally}):
        print(f"| {kind} | {' | '.join(str(tally[kind, how]) for how in ('refused', 'harmless', 'true', 'WRONG'))} |")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def _forked(name: str, scripts: Sequence[str], seconds: float) -> list[str]:
    """Solvers are asked as the checker does it, but in a process that was forked: it has loaded them already."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writer, sys.stdout.fileno())
        resource.setrlimit(resource.RLIMIT_CPU, (round(seconds), round(seconds) + 1))
        answer(name, scripts)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read().split()
    os.waitpid(child, 0)
    return [*said, *["unknown"] * (len(scripts) - len(said))]


def certificates(folder: Path) -> list[dict[str, Any]]:
    from support.certified_tasks import TASKS, run

    found = []
    for task in TASKS:
        result, out = run(task, folder)
        if result.unwritten:
            raise RuntimeError(f"{task.name}: {result.unwritten[0]}")
        found.append(json.loads(out.read_text()))
    return found


def campaign(
    contents: list[dict[str, Any]], count: int, pick: random.Random, folder: Path
) -> tuple[Counter[tuple[str, str]], list[str]]:
    """How many of each kind were judged how, and a line for each that is wrong."""
    sources = [forgeries(one, [other for other in contents if other is not one], pick) for one in contents]
    tally: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    started = time.monotonic()
    for number in range(count):
        content = contents[number % len(contents)]
        forgery = next(sources[number % len(contents)])
        how = judged(content, forgery, folder)
        tally[forgery.kind, how] += 1
        if how == "WRONG":
            wrong.append(f"WRONG: {forgery.kind} of {list(content['origin']['sources'])}: {forgery.data.decode()!r}")
        if (number + 1) % 500 == 0:
            print(f"{number + 1} forgeries, {time.monotonic() - started:.0f} s", file=sys.stderr)
    return tally, wrong


def judged(content: dict[str, Any], forgery: Forgery, folder: Path) -> str:
    try:
        certificate = read_certificate(forgery.data)
        report = check(certificate, seconds=_CHECK_SECONDS)
    except Refusal:
        return "refused"
    before = content["claim"]
    after = report.claim
    same = (after.verdict, after.property, after.bounds, list(after.entries), after.subject) == (
        *(before["verdict"], before["property"], before["bounds"], before["entries"], before["subject"]),
    )
    if same:
        return "harmless"
    return "WRONG" if contradicted(certificate, after, folder) else "true"


def contradicted(certificate: Certificate, claim: Claim, folder: Path) -> bool:
    """Whether Cleave says the contrary of the claim about the forged subject."""
    if not claim.entries:
        return _says(folder / "forged.smt2", certificate.subject, Options(engine="pdr", timelimit=20)) not in (
            claim.verdict,
            "unknown",
        )
    for entry in claim.entries:
        bounds = (claim.bounds.get("recursion", 12),)
        threads = "spawn " in certificate.subject
        engines = () if threads else (InlineOptions(bounds=bounds),)
        options = Options(engine="threads" if threads else "inline", entry=entry, timelimit=20, engines=engines)
        said = _says(folder / "forged.ir", certificate.subject, options)
        if claim.verdict != "unsafe" and said == "unsafe":
            return True
        if claim.verdict == "unsafe" and said == "safe" and len(claim.entries) == 1:
            return True
    return False


def _says(file: Path, text: str, options: Options) -> str:
    file.write_text(text)
    try:
        return verify(str(file), replace(options, journal=None, workers=1)).verdict.word
    except CleaveError:
        return "unknown"
