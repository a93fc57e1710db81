"""`cleave serve` under load: many viewers of one live run while jobs are submitted, and the API under random requests.

    python -m bench web                        # 200 viewers, 20 jobs
    python -m bench web --fuzz 40              # and schemathesis, so many examples for each request (extra bench)

A run that splits its search is done again and again, in turn with viewers and jobs and without. What counts is CPU
time, which depends less on what else the machine does: of the run, and of the server as a share of one core.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_DEPTH, _MODULUS = 4, 100_003
SMALL = "procedure main() { var x: int; assume x > 0; assert x >= 1; }\n"

# Splits as often as it can: the program is small.
SPLITTING = """\
import sys
from pathlib import Path
from cleave import Options, verify
from cleave.engines.inline.options import InlineOptions
eager = InlineOptions(
    split_after=0, slice_cost=20_000, interval=0.05, slowdown=1.0, moving_cost=0, unsplit=False, patience=0.0
)
options = Options(engine="inline", engines=(eager,), workers=2, timelimit=120.0, journal=Path(sys.argv[2]))
print(verify(sys.argv[1], options).verdict.word)
"""


def branching_program(steps: int) -> str:
    """Its calls form a tree, with something to do for the solver at each leaf; it is safe."""
    entry = "procedure {:entrypoint} main() modifies x; { x := 1; call t(); }"
    return "\n".join(("var x: int;", *_branching("t", 0, steps), entry))


def _branching(name: str, depth: int, steps: int) -> Iterator[str]:
    if depth < _DEPTH:
        yield f"procedure {name}() modifies x; {{ if (*) {{ call {name}l(); }} else {{ call {name}r(); }} }}"
        yield from _branching(f"{name}l", depth + 1, steps)
        yield from _branching(f"{name}r", depth + 1, steps)
        return
    values = {1}
    for step in range(steps):
        key = sum(map(ord, name)) + step
        a, b = 3 + key % 17, 5 + key % 23
        one, other = (f"x := (x * {factor} + {step + 1}) mod {_MODULUS};" for factor in (a, b))
        yield f"procedure {name}_{step}() modifies x; {{ if (*) {{ {one} }} else {{ {other} }} }}"
        values = {(value * factor + step + 1) % _MODULUS for value in values for factor in (a, b)}
    never = next(value for value in range(2, _MODULUS) if value not in values)
    calls = " ".join(f"call {name}_{step}();" for step in range(steps))
    yield f"procedure {name}() modifies x; {{ {calls} assert x != {never}; }}"


class Measured(NamedTuple):
    seconds: float
    cpu: float  # of the run
    server_cpu: float
    server_mb: float
    errors: int
    megabytes: float  # that viewers got


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--viewers", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6, help="of each leaf of the program: how long the run takes")
    parser.add_argument("--fuzz", type=int, default=0, metavar="N", help="examples for each request; 0: none")


def main(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="cleave-web-") as folder:
        return _main(Path(folder), options)


def _main(folder: Path, options: argparse.Namespace) -> int:
    (folder / "tree.bpl").write_text(branching_program(options.steps))
    with _Server(folder) as server:
        rows: dict[int, list[Measured]] = {0: [], options.viewers: []}
        for _ in range(options.rounds):
            for viewers, own in rows.items():
                own.append(asyncio.run(_measure(server, folder, viewers, options.jobs if viewers else 0)))
                print(f"{viewers:4} viewers: {own[-1]}")
        failed = sum(row.errors for own in rows.values() for row in own)
        alone, seen = (median(row.cpu for row in own) for own in rows.values())
        slower = f"{seen / alone - 1:+.1%}"
        print(f"processor time of the run: {alone:.2f} s alone, {seen:.2f} s with viewers and jobs ({slower})")
        if options.fuzz:
            failed += _fuzz(server.address, options.fuzz)
    return 1 if failed else 0


class _Server:
    def __init__(self, folder: Path) -> None:
        words = ["serve", "--port=0", "--journal", str(folder / "runs"), "--jobs=2", "--timelimit=60"]
        command = [sys.executable, "-u", "-P", "-m", "cleave.cli.main", *words]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        found = re.search(r"http://[^/\s]+", self._process.stdout.readline())
        assert found is not None
        self.address = found[0]

    def __enter__(self) -> _Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.address}/api/v1{path}", data)) as answer:
            return json.load(answer)

    def submit(self, number: int) -> list[str]:
        files = {f"job{n}.bpl": SMALL for n in range(number)}
        found: list[str] = self.ask("/runs", {"files": files, "options": {"workers": 1}})["runs"]
        return found

    def wait(self, jobs: list[str]) -> int:
        """How many are not safe."""
        while any(job["state"] in ("waiting", "running") for job in self.ask("/jobs")["jobs"]):
            time.sleep(0.5)
        return sum(self.ask(f"/jobs/{id}")["result"]["verdict"] != "safe" for id in jobs)

    def used(self) -> tuple[float, float]:
        """Processor time, and memory in MB."""
        words = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        return (int(words[11]) + int(words[12])) / ticks, int(words[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _measure(server: _Server, folder: Path, viewers: int, jobs: int) -> Measured:
    """The jobs are submitted at once, while the run goes on."""
    known = {run["run"] for run in server.ask("/runs?limit=1000")["runs"]}
    used, began = server.used()[0], time.monotonic()
    command = ["-P", "-c", SPLITTING, "tree.bpl", "runs"]
    process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=folder, stdout=asyncio.subprocess.PIPE)
    before = os.times()
    id = None
    while id is None:
        await asyncio.sleep(0.1)
        runs = await asyncio.to_thread(server.ask, "/runs?limit=10")
        id = next((run["run"] for run in runs["runs"] if run["run"] not in known), None)
    submitted = await asyncio.to_thread(server.submit, jobs) if jobs else []
    watching = [asyncio.create_task(_view(server.address, id)) for _ in range(viewers)]
    printed, _ = await process.communicate()
    seconds, after = time.monotonic() - began, os.times()
    got = await asyncio.gather(*watching, return_exceptions=True)
    cpu, memory = server.used()
    wrong = await asyncio.to_thread(server.wait, submitted)
    errors = sum(not isinstance(one, int) for one in got) + (printed.strip() != b"safe") + wrong
    run = after.children_user + after.children_system - before.children_user - before.children_system
    sizes = sum(one for one in got if isinstance(one, int))
    server_cpu, megabytes = round(cpu - used, 2), round(sizes / 1e6, 1)
    return Measured(round(seconds, 1), round(run, 2), server_cpu, round(memory, 1), errors, megabytes)


async def _view(address: str, id: str) -> int:
    """Looks until the run is over; the bytes that came."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    writer.write(f"GET /runs/{id}/live HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
    got, last = 0, b""
    while chunk := await reader.read(1 << 16):
        got += len(chunk)
        last = (last + chunk)[-200:]
    writer.close()
    if b"event: end" not in last:
        raise RuntimeError("the news ended before the run did")
    return got


def _fuzz(address: str, examples: int) -> int:
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/api/v1/openapi.json"]
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    limits = ["--max-examples", str(examples), "--exclude-path", "/api/v1/runs/{id}/events", "--checks", checks]
    return int(subprocess.run([*command, *limits]).returncode != 0)
