"""What validators of others say about Cleave's evidence.

    python -m bench validators witnesses --validator CHECKOUT --number 60     # ConcurrentWitness2Test: threads
    python -m bench validators models --validator CHECKOUT --number 80        # CHC-COMP's validate-model.py, then Z3

CHECKOUT is a clone of the validator with what it needs installed: ftsrg/ConcurrentWitness2Test, or the folder
tools/validator of chc-comp/chc-comp-2026. Tasks are those of SHARED/bench, in an order that --seed decides. The exit
code is 1 if a model is refused.
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
from pathlib import Path

from bench.tasks import Task, tasks

_CONFIRMED = ("ALWAYS", "SOMETIMES")
_CALLED = re.compile(rb"reach_error|__VERIFIER_error")
_INFORMATION = re.compile(r'\(set-info[^|()"]*(?:\|[^|]*\||"[^"]*")?[^()|]*\)')
_DECIDE = (
    "import sys, z3; solver = z3.Solver(); solver.set('timeout', 60000); solver.from_file(sys.argv[1]);"
    " print(solver.check())"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("witnesses", "models"))
    parser.add_argument("--validator", type=Path, required=True, metavar="DIR", help="where the validator is")
    parser.add_argument("--number", type=int, default=60, metavar="N", help="of verdicts with evidence (60)")
    parser.add_argument("--timelimit", type=float, default=15.0, metavar="S", help="for a run of Cleave (15)")
    parser.add_argument("--seed", type=int, default=9, metavar="N", help="(9)")


def main(options: argparse.Namespace) -> int:
    chosen = _tasks(options.what, options.seed)
    said: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for task in chosen:
            if sum(said.values()) >= options.number:
                break
            check = _witness if options.what == "witnesses" else _model
            answer = check(task, Path(folder), options)
            if answer:
                said[answer] += 1
                print(f"{answer:20} {task.path}", flush=True)
    print(", ".join(f"{number} {answer}" for answer, number in said.most_common()))
    return int(options.what == "models" and bool(said["sat"]))


def _tasks(what: str, seed: int) -> list[Task]:
    folder, expected = ("pthread", "unsafe") if what == "witnesses" else ("chc", "safe")
    found = [task for task in tasks(folder) if task.expected == expected]
    if what == "witnesses":  # a failed `assert` ends the program, and tells the validator nothing
        found = [task for task in found if _CALLED.search(task.file.read_bytes())]
    random.Random(seed).shuffle(found)
    return found


def _cleave(task: Task, options: argparse.Namespace, *flags: str, file: Path | None = None) -> str:
    usual = ["--quiet", "--journal=none", f"--timelimit={options.timelimit:g}", "--memlimit=1500"]
    command = [
        sys.executable,
        "-m",
        "cleave.cli.main",
        "verify",
        str(file or task.file),
        *usual,
        *task.arguments,
        *flags,
    ]
    return subprocess.run(command, capture_output=True, text=True).stdout


def _witness(task: Task, folder: Path, options: argparse.Namespace) -> str:
    """The validator's word, nothing if there is no witness. What it runs may hang, and is then killed.
    The validator reads preprocessed programs only, as SV-COMP has them."""
    program, file = folder / "program.i", folder / "witness.graphml"
    file.unlink(missing_ok=True)
    made = subprocess.run(["gcc", "-E", "-P", "-x", "c", str(task.file), "-o", str(program)], capture_output=True)
    if made.returncode:
        return ""
    said = _cleave(task, options, "--check", "assertions", "--graphml", str(file), file=program)
    if not said.startswith("unsafe") or not file.exists():
        return ""
    command = [sys.executable, "main.py", str(program), "--witness", str(file), "--mode", "permissive"]
    validator = subprocess.Popen(
        command,
        cwd=options.validator,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
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


def _model(task: Task, folder: Path, options: argparse.Namespace) -> str:
    """``unsat``: the model satisfies all clauses. The validator repeats information in a way that Z3 does not read, so
    that is taken out before."""
    printed = _cleave(task, options, "--smtlib", "--model", "--workers=1")
    if not printed.startswith("sat\n("):
        return ""
    clauses, question = folder / "clauses.smt2", folder / "question.smt2"
    clauses.write_text(_INFORMATION.sub("", task.file.read_text()))
    command = [sys.executable, "validate-model.py", str(clauses)]
    made = subprocess.run(command, cwd=options.validator, input=printed, capture_output=True, text=True)
    if made.returncode:
        return "not read"
    question.write_text(made.stdout)
    decided = subprocess.run([sys.executable, "-c", _DECIDE, str(question)], capture_output=True, text=True)
    return decided.stdout.strip() or "not decided"
