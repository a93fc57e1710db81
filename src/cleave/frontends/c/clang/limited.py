"""Becomes another program with limits: run as a script, by `machine_code`, with the standard library alone.

python -I -S limited.py 4711 2000000000 10 0 -- ./program        parent, bytes of memory, seconds, bytes of a file
"""

import contextlib
import ctypes
import os
import resource
import signal
import sys

_SET_DEATH_SIGNAL = 1  # of prctl


def main() -> None:
    parent, memory, seconds, file = map(int, sys.argv[1:5])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it died before this process could ask to die with it
        os._exit(1)
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))
    os.execv(sys.argv[6], sys.argv[6:])


if __name__ == "__main__":
    main()
