"""Hostile inputs and options, each in a process of its own: refused in a sentence, within the limits, with no trace.

    python -m bench hostile                     # all of them, into build/hostile.tsv
    python -m bench hostile --only depth        # those whose name has this in it

`hostile_inputs` has the cases. Of each it is asked: the exit code is 1, 2 or 5, or that of a verdict that is right; no
more than a few lines go to the standard error stream, with no control characters and no traceback; the limits on time
and memory are kept; no process and no file is left behind. The exit code is 1 if one fails.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from bench.campaign import version
from bench.hostile_inputs import FIFO, FOLDER, Case, Content, hostile_cases
from bench.markdown import table
from bench.runs import HOME

_REFUSED = (1, 2, 5)
_SECONDS = 3.0  # the limit that cases are given
_OVER_SECONDS = 1.0
_MEMORY_MB = 1500 * 1.3  # processes that share memory are counted in full
_LINES, _CHARACTERS = 8, 1500
_KILLED_SECONDS = 60.0
_MARK = "CLEAVE_HOSTILE"
_WAIT_SECONDS = 2.0  # for what ends by itself


class Tried(NamedTuple):
    case: str
    code: int
    seconds: float
    failures: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose name has this in it")
    parser.add_argument("--skip", type=int, default=0, metavar="N", help="not the first N")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="at a time")
    parser.add_argument("--slack", type=float, default=1.0, metavar="S", help="to start Python on a busy machine (1)")
    parser.add_argument("--out", type=Path, default=Path("build/hostile.tsv"), metavar="TSV")


def main(options: argparse.Namespace) -> int:
    chosen = [case for case in hostile_cases() if options.only in case.name][options.skip :]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    found: list[Tried] = []
    with ThreadPoolExecutor(options.jobs) as pool, options.out.open("w") as out:
        for one in pool.map(lambda case: tried(case, options.slack), chosen):
            found.append(one)
            print(one.case, one.code, f"{one.seconds:.2f}", "; ".join(one.failures), sep="\t", file=out, flush=True)
            if one.failures:
                print(f"{one.case}: exit code {one.code}, {one.seconds:.1f} s: {'; '.join(one.failures)}", flush=True)
    print(tables(found))
    return int(any(one.failures for one in found))


def tables(found: list[Tried]) -> str:
    families = list(dict.fromkeys(one.case.partition(":")[0] for one in found))
    codes: Counter[tuple[str, str]] = Counter()
    for one in found:
        family = one.case.partition(":")[0]
        codes[family, "failed" if one.failures else "verdict" if one.code not in _REFUSED else str(one.code)] += 1
    names = ("1", "2", "5", "verdict", "failed")
    lines = [(family, *(str(codes[family, name]) for name in names)) for family in families]
    late = max((one.seconds for one in found), default=0.0)
    failed = sum(bool(one.failures) for one in found)
    summary = f"{len(found)} cases, {failed} failed; the longest took {late:.1f} s with a limit of {_SECONDS:g} s"
    return f"{table(('family', *names), lines)}\n\n{summary}; version {version()}\n"


def tried(case: Case, slack: float = 1.0) -> Tried:
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        root = Path(folder)
        for name in ("work", "home", "tmp"):
            (root / name).mkdir()
        _write(root / "work", case)
        return _tried(case, root, slack)


def _tried(case: Case, root: Path, slack: float) -> Tried:
    before = set((root / "work").rglob("*"))
    mark = f"{os.getpid()}-{root.name}"
    given = {"HOME": str(root / "home"), "TMPDIR": str(root / "tmp"), _MARK: mark, **case.environment}
    environment = {name: value for name, value in {**os.environ, **given}.items() if value is not None}
    environment["PYTHONPATH"] = str(HOME / "src")
    command = [sys.executable, "-m", "cleave.cli.main", *case.arguments]
    started = monotonic()
    process = subprocess.Popen(
        ["/bin/sh", "-c", f"{shlex.join(command)} {case.shell}"] if case.shell else command,
        cwd=root / "work",
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: _limit(case),
        process_group=0,
    )
    failures: list[str] = []
    try:
        out, err = process.communicate(timeout=_KILLED_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        failures.append("it had to be killed")
    seconds = monotonic() - started
    failures += _complaints(case, process.returncode, seconds - slack, out, err)
    failures += _left(mark, root, before)
    return Tried(case.name, process.returncode, seconds, tuple(failures))


def _limit(case: Case) -> None:
    for name, value in case.limits.items():
        resource.setrlimit(getattr(resource, name), (value, value))


def _complaints(case: Case, code: int, seconds: float, out: bytes, err: bytes) -> Iterator[str]:
    said = err.decode("utf-8", "replace")
    if code not in (*_REFUSED, *case.verdicts) and not (case.limits and code < 0):  # the system may end it
        yield f"exit code {code}: {(said or out.decode('utf-8', 'replace'))[:300].strip()}"
    if seconds > _SECONDS + _OVER_SECONDS and "option: --timelimit" not in case.name:
        yield f"{seconds:.1f} s"
    if "Traceback" in said or "Traceback" in out.decode("utf-8", "replace"):
        yield f"a traceback: {said.strip().splitlines()[-1][:200] if said.strip() else ''}"
    if (len(said) > _CHARACTERS or len(said.splitlines()) > _LINES) and "-v" not in case.arguments:
        yield f"{len(said.splitlines())} lines, {len(said)} characters of messages"
    printed = out + err
    if any(byte < 32 and byte not in (9, 10) for byte in printed) or "\u202e" in printed.decode("utf-8", "replace"):
        yield "control characters in what it prints"
    if b"password" in printed:
        yield "the content of another file in what it prints"
    if code in (1, 2) and not said.strip() and "2>" not in case.shell and b"can't write" not in out:
        yield "no message"


def _left(mark: str, root: Path, before: set[Path]) -> Iterator[str]:
    deadline = monotonic() + _WAIT_SECONDS
    while (processes := list(_marked(mark))) and monotonic() < deadline:
        sleep(0.05)
    if processes:
        yield f"{len(processes)} processes are left"
        for process in processes:
            os.kill(process, signal.SIGKILL)
    new = {path for path in (root / "work").rglob("*") if path.is_file()} - before
    kept = [path for path in (root / "home").rglob("*") if path.is_file() and path.suffix not in (".journal", ".lock")]
    written = [path for path in (*new, *kept, *(root / "tmp").rglob("*")) if ".journal" not in path.name]
    asked_for = ("x/cleave/runs", "a/b/c")
    if left := [str(path.relative_to(root)) for path in written if not any(one in str(path) for one in asked_for)]:
        yield f"files are left: {', '.join(left[:3])}"


def _marked(mark: str) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{_MARK}={mark}".encode() in path.read_bytes():
                yield int(path.parent.name)
        except OSError:
            continue


def _write(folder: Path, case: Case) -> None:
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_one(path, content)


def _write_one(path: Path, content: Content) -> None:
    if content == FIFO:
        os.mkfifo(path)
    elif content == FOLDER:
        path.mkdir(exist_ok=True)
    elif isinstance(content, str) and content.startswith("-> "):
        path.symlink_to(content.removeprefix("-> "))
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
