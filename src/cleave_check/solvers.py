"""Solvers, asked in a process of their own: one that hangs, crashes or eats memory takes nothing with it.

    ask("cvc5", [script], seconds=60)         # ["unsat"]

`python -m cleave_check.solvers NAME` is the other side: it reads scripts and prints an answer for each.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from cleave_check.refusal import Undecided
from cleave_check.terms import Term, below

MEMORY_BYTES = 3_000_000_000
NAMES = ("bitwuzla", "cvc5", "z3")
SHOWN = {"bitwuzla": "Bitwuzla", "cvc5": "cvc5", "z3": "Z3"}


def order(assertions: Iterable[Term], found_by: Sequence[str]) -> list[str]:
    """Who is asked, the best one first: nobody who found the evidence."""
    words = {"forall", "exists", "apply", "int_to_bv", "ubv_to_int"}
    for_bits = all(n.op not in words and _is_of_bits(n.sort) for n in below(assertions))
    first = ("bitwuzla", "z3", "cvc5") if for_bits else ("cvc5", "z3")
    return [name for name in first if name not in found_by]


def _is_of_bits(sort: tuple[object, ...]) -> bool:
    if sort[0] == "Array":
        return all(isinstance(s, tuple) and s[0] in ("BitVec", "Bool", "Array") and _is_of_bits(s) for s in sort[1:])
    return sort[0] in ("BitVec", "Bool")


def ask(name: str, scripts: Sequence[str], seconds: float) -> list[str]:
    """``sat``, ``unsat`` or ``unknown`` for each script; ``seconds`` of processor time for all."""
    command = [sys.executable, "-m", "cleave_check.solvers", name, str(max(1, round(seconds)))]
    try:
        done = subprocess.run(
            command, input=json.dumps(list(scripts)), capture_output=True, text=True, timeout=4 * seconds + 20
        )
        answers = done.stdout.split()
    except subprocess.TimeoutExpired as late:
        printed = late.stdout or b""
        answers = (printed.decode() if isinstance(printed, bytes) else printed).split()
    if any(answer not in ("sat", "unsat", "unknown") for answer in answers):
        raise Undecided(f"{SHOWN[name]} answers something that is no answer")
    return [*answers, *["unknown"] * (len(scripts) - len(answers))][: len(scripts)]


# --- the other side --------------------------------------------------------------------------------------------------


def _by_z3(script: str) -> str:
    import z3

    solver: Any = z3.Solver()  # type: ignore[no-untyped-call]
    solver.from_string(script)
    return str(solver.check())


def _by_cvc5(script: str) -> str:
    import cvc5 as package

    cvc5: Any = package  # its compiled part has no types
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("arrays-exp", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "certificate")
    symbols = parser.getSymbolManager()
    answer = "unknown"
    while True:
        command = parser.nextCommand()
        if command.isNull():
            return answer
        said = str(command.invoke(solver, symbols)).strip()
        if said in ("sat", "unsat", "unknown"):
            answer = said


def _by_bitwuzla(script: str) -> str:
    import bitwuzla

    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    parser.parse(script, True, False)
    return str(parser.bitwuzla().check_sat())


_SOLVERS: dict[str, Callable[[str], str]] = {"z3": _by_z3, "cvc5": _by_cvc5, "bitwuzla": _by_bitwuzla}


def answer(name: str, scripts: Sequence[str]) -> None:
    for script in scripts:
        try:
            said = _SOLVERS[name](script)
        except Exception as error:  # a solver that can't read something does not decide it
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            said = "unknown"
        print(said if said in ("sat", "unsat") else "unknown", flush=True)


def main() -> None:
    import resource

    name, seconds = sys.argv[1], int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    scripts = json.load(sys.stdin)
    threading.stack_size(512 << 20)  # terms may be deep, and solvers walk them by recursion
    worker = threading.Thread(target=answer, args=(name, scripts), daemon=True)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
