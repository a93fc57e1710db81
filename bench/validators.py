"""What validators of others say about Cleave's evidence.

    python -m bench validators witnesses --validator CHECKOUT --resume        # ConcurrentWitness2Test: threads
    python -m bench validators harnesses --validator CHECKOUT --resume        # FShell-witness2test: one thread
    python -m bench validators models --validator CHECKOUT --resume           # CHC-COMP's validate-model.py, then Z3
    python -m bench validators stimuli --validator FOLDER --resume            # btorsim and aigsim: random models

CHECKOUT is a clone of the validator with what it needs installed: ftsrg/ConcurrentWitness2Test, tautschnig/fshell-w2t,
or the folder tools/validator of chc-comp/chc-comp-2026. FOLDER has the programs btorsim and aigsim. Tasks are those of
SHARED/bench in an order that --seed decides, and random models. Limits are of Cleave's processor time. A row is in the
TSV file as soon as the validator has spoken; with --seconds, no more are begun after that time. The exit code is 1 if
something is refused.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench.campaign import Planned, conduct
from bench.campaign import add_arguments as add_arguments_of_campaign
from bench.markdown import table, versions
from bench.rows import Row
from bench.small_models import random_aiger, random_model
from bench.tasks import Task, name_of, tasks

_CONFIRMED = ("ALWAYS", "SOMETIMES")
_CALLED = re.compile(rb"reach_error|__VERIFIER_error")
_INFORMATION = re.compile(r'\(set-info[^|()"]*(?:\|[^|]*\||"[^"]*")?[^()|]*\)')
_DECIDE = (
    "import sys, z3; solver = z3.Solver(); solver.set('timeout', 60000); solver.from_file(sys.argv[1]);"
    " print(solver.check())"
)
_NONE = "no evidence"
_REFUSALS = ("refused", "sat", "not read")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=tuple(_CHECKS))
    parser.add_argument("--validator", type=Path, required=True, metavar="DIR", help="where the validator is")
    parser.add_argument("--number", type=int, default=60, metavar="N", help="of tasks (60)")
    parser.add_argument("--seconds", type=float, default=0.0, metavar="S", help="begin no more after that time")
    parser.add_argument("--seed", type=int, default=9, metavar="N", help="(9)")
    add_arguments_of_campaign(parser, out="build/validators.tsv", timelimit=15.0)


def main(options: argparse.Namespace) -> int:
    return conduct(options, _planned(options), _tables, is_bad=_refuses)


def _planned(options: argparse.Namespace) -> Iterator[Planned]:
    check = _CHECKS[options.what]
    if options.what == "stimuli":
        for seed in range(options.number):
            yield Planned(kind="stimuli", task=str(seed), seed=seed, run=partial(_told, check, seed, options))
        return
    for task in _tasks(options.what, options.seed)[: options.number]:
        run = partial(_told, check, task, options)
        yield Planned(kind=options.what, task=name_of(task), expected=task.expected, run=run)


def _told(check: Any, about: Any, options: argparse.Namespace, _: object) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        return {"answer": check(about, Path(folder), options)}


def _tables(rows: list[Row]) -> str:
    parts = []
    for kind in dict.fromkeys(row.kind for row in rows):
        counts = Counter(row.answer for row in rows if row.kind == kind)
        told = [(answer, str(number)) for answer, number in counts.most_common()]
        parts.append(table((f"what is said about {kind}", "number"), told))
    return "\n\n".join([*parts, versions(rows)]) + "\n"


def _refuses(rows: list[Row]) -> bool:
    return any(row.answer in _REFUSALS for row in rows)


def _tasks(what: str, seed: int) -> list[Task]:
    folder, expected = {"witnesses": ("pthread", "unsafe"), "harnesses": ("c", "unsafe")}.get(what, ("chc", "safe"))
    found = [task for task in tasks(folder) if task.expected == expected]
    if what in ("witnesses", "harnesses"):  # a failed `assert` ends the program, and tells the validator nothing
        found = [task for task in found if _CALLED.search(task.file.read_bytes())]
    random.Random(seed).shuffle(found)
    return found


def _cleave(file: Path, options: argparse.Namespace, *flags: str) -> str:
    usual = ["--quiet", "--journal=none", f"--cputimelimit={options.timelimit:g}", "--memlimit=1500", *flags]
    command = [sys.executable, "-m", "cleave.cli.main", "verify", str(file), *usual]
    return subprocess.run(command, capture_output=True, text=True).stdout


def _python(options: argparse.Namespace) -> str:
    """The validator's own one, if it has one."""
    own = options.validator / "venv" / "bin" / "python3"
    return str(own if own.exists() else sys.executable)


def _witness(task: Task, folder: Path, options: argparse.Namespace) -> str:
    """The validator's word. What it runs may hang, and is then killed. It reads preprocessed programs only, as SV-COMP
    has them."""
    program, file = folder / "program.i", folder / "witness.graphml"
    made = subprocess.run(["gcc", "-E", "-P", "-x", "c", str(task.file), "-o", str(program)], capture_output=True)
    if made.returncode:
        return _NONE
    said = _cleave(program, options, *task.arguments, "--check", "assertions", "--graphml", str(file))
    if not said.startswith("unsafe") or not file.exists():
        return _NONE
    command = [_python(options), "main.py", str(program), "--witness", str(file), "--mode", "permissive"]
    pipe = subprocess.PIPE
    validator = subprocess.Popen(
        command, cwd=options.validator, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )
    try:
        out, _ = validator.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(validator.pid, signal.SIGKILL)
        validator.communicate()
        return "timeout"
    verdicts = re.findall(r"Verdict: (.*)", out)
    word = verdicts[0] if verdicts else "no verdict"
    return "confirmed" if word in _CONFIRMED else word


def _harness(task: Task, folder: Path, options: argparse.Namespace) -> str:
    """The validator takes a test from the witness, and runs it: as a program of 64 bits, for which all machines have
    libraries."""
    file, rules = folder / "witness.graphml", folder / "unreach-call.prp"
    rules.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    flags = ["--64", "--workers=1", "--check", "assertions", "--graphml", str(file)]
    if not _cleave(task.file, options, *flags).startswith("unsafe") or not file.exists():
        return _NONE
    command = ["bash", "test-gen.sh", "--propertyfile", str(rules), "--graphml-witness", str(file), "-m64"]
    try:
        done = subprocess.run(
            [*command, str(task.file)], cwd=options.validator, capture_output=True, text=True, timeout=30
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    word = (done.stdout.split() or ["no verdict"])[-1]
    return "confirmed" if word == "FALSE" else word


def _model(task: Task, folder: Path, options: argparse.Namespace) -> str:
    """``unsat``: the model satisfies all clauses. The validator repeats information in a way that Z3 does not read, so
    that is taken out before."""
    printed = _cleave(task.file, options, "--smtlib", "--model", "--workers=1")
    if not printed.startswith("sat\n("):
        return _NONE
    clauses, question = folder / "clauses.smt2", folder / "question.smt2"
    clauses.write_text(_INFORMATION.sub("", task.file.read_text()))
    command = [_python(options), "validate-model.py", str(clauses)]
    made = subprocess.run(command, cwd=options.validator, input=printed, capture_output=True, text=True)
    if "ModuleNotFoundError" in made.stderr:
        raise SystemExit(f"the validator lacks something: {made.stderr.splitlines()[-1]}")
    if made.returncode:
        return "not read"
    question.write_text(made.stdout)
    decided = subprocess.run([sys.executable, "-c", _DECIDE, str(question)], capture_output=True, text=True)
    return decided.stdout.strip() or "not decided"


def _stimulus(seed: int, folder: Path, options: argparse.Namespace) -> str:
    """Odd ones are models in BTOR2, even ones in AIGER."""
    chance = random.Random(seed)
    ending, program = (".btor2", "btorsim") if seed % 2 else (".aag", "aigsim")
    model, file = folder / f"model{ending}", folder / "stimulus"
    model.write_text(random_model(chance).text if seed % 2 else random_aiger(chance))
    said = _cleave(model, options, "--engine=pdr", "--workers=1", "--stimulus", str(file))
    if not said.startswith("unsafe"):
        return _NONE
    command = [str(options.validator / program), "-c", str(model), str(file)]
    return f"{program} confirms" if file.exists() and subprocess.run(command).returncode == 0 else "refused"


_CHECKS = {"witnesses": _witness, "harnesses": _harness, "models": _model, "stimuli": _stimulus}
