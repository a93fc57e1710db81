"""``python -m cleave`` is the command."""

from __future__ import annotations

import subprocess
import sys

from cleave.version import __version__


def test_python_m_cleave() -> None:
    done = subprocess.run([sys.executable, "-m", "cleave", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"cleave {__version__}\n")
