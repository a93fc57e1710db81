"""A temporary folder that is gone when this process is, however that ends.

    with passing_folder() as folder:
        ...

A process that is killed removes nothing. So a shell waits for the end of a pipe whose other end only this process has.
It is nobody's child, in a session of its own: what ends the processes of a run does not end the shell.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_REMOVE = 'exec 3<&0; (read -r nothing <&3; rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }) &'
"""Twice: a compiler that ends with us may have written once more."""


@contextmanager
def passing_folder() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="cleave-", ignore_cleanup_errors=True) as folder:
        reader, writer = os.pipe()  # not inherited
        try:
            try:
                _wait_for_the_end(reader, folder)
            finally:
                os.close(reader)
            yield folder
        finally:
            os.close(writer)


def _wait_for_the_end(pipe: int, folder: str) -> None:
    with suppress(OSError):  # then there is none
        subprocess.run(
            ["/bin/sh", "-c", _REMOVE, "sh", folder],
            stdin=pipe,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            start_new_session=True,
            check=False,
        )
