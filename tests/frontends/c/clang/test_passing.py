"""Temporary folders go with the process that made them, also if it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

from cleave.frontends.c.clang.passing import passing_folder

PROGRAM = """
import os, signal
from cleave.frontends.c.clang.passing import passing_folder
with passing_folder() as folder:
    os.makedirs(folder + "/a/b")
    print(folder, flush=True)
    input()
"""


def test_it_is_there_and_gone() -> None:
    with passing_folder() as folder:
        (Path(folder) / "file").write_text("")
    assert not os.path.exists(folder)


def test_it_goes_with_a_process_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, process_group=0
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert (folder / "a" / "b").is_dir()
        os.killpg(process.pid, signal.SIGKILL)
        end = monotonic() + 20
        while folder.exists() and monotonic() < end:
            sleep(0.01)
    assert not list(tmp_path.iterdir())
