"""A process that ends does not wait for threads that the interpreter has frozen."""

from __future__ import annotations

import subprocess
import sys

HOLDS_THE_LOCK = """
import threading
from cleave.logic import terms
from cleave.logic.sorts import INT

held = threading.Event()

def hold():
    with terms._removing:
        held.set()
        threading.Event().wait()

threading.Thread(target=hold, daemon=True).start()
held.wait()
cycle = [terms.var("dies at the end", INT)]
cycle.append(cycle)
"""


def test_terms_that_die_when_the_interpreter_ends_need_no_lock() -> None:
    done = subprocess.run([sys.executable, "-c", HOLDS_THE_LOCK], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
