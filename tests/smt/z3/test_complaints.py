"""What native code writes to the standard error stream is hidden, what Python does is not."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import os, sys
from cleave.smt.z3.complaints import hidden_complaints
with hidden_complaints():
    os.write(2, b"native\\n")
    with hidden_complaints():
        print("python", file=sys.stderr)
    os.write(2, b"native\\n")
os.write(2, b"after\\n")
print("the end", file=sys.stderr)
"""


def test_native_words_are_hidden_and_others_are_not() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["python", "after", "the end"]


def test_without_a_stream_nothing_happens() -> None:
    script = "import os; os.close(2)\nfrom cleave.smt.z3.complaints import hidden_complaints\n"
    script += "with hidden_complaints():\n    print('done')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "done\n"
