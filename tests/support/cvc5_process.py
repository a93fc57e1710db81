"""cvc5's own parser, in a process of its own: a crash or an overflow of the stack there fails one test, not a worker.

ask_cvc5("(set-logic ALL) (assert false) (check-sat)")          # "unsat"
"""

from __future__ import annotations

import subprocess
import sys

_CHILD = """
import os, sys, cvc5
script = sys.stdin.read()
solver = cvc5.Solver(cvc5.TermManager())
for option, value in (("arrays-exp", "true"), ("tlimit-per", "500"), ("full-saturate-quant", "false")):
    solver.setOption(option, value)
parser = cvc5.InputParser(solver)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
output = ""
while not (command := parser.nextCommand()).isNull():
    output = command.invoke(solver, parser.getSymbolManager()).strip()
    assert "error" not in output, (output, script)
print(*output.split()[:1], flush=True)  # "unknown" comes with its reason
os._exit(0)
"""


def ask_cvc5(script: str) -> str:
    """The answer to the script's last command, empty if it has none; fails where cvc5 reads an error."""
    ran = subprocess.run([sys.executable, "-c", _CHILD], input=script, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()
