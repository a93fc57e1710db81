"""Runs the compiler on a text: a process of its own, which gets the text, gives back another, and can do nothing else.

    ran = run_compiler([zig, "clang", ..., "-o", "-", "-"], b"int x;", folders=["/home/me/src"], limits=limits)
    ran.code, ran.output, ran.said

It leaves nothing behind: it has no files of its own, and it ends with this call, or with this process. See `confined`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from typing import IO, NamedTuple

from cleave.errors import UsageError
from cleave.frontends.limits import ReadingLimits

MEMORY_MB = 4000
CPU_SECONDS = 120
OUTPUT_BYTES = 1_000_000_000
_SAID_BYTES = 1_000_000  # of messages; the first one matters
_CHUNK_BYTES = 1 << 18
_POLL_SECONDS = 0.05
_CONFINED = Path(__file__).with_name("confined.py")


class Ran(NamedTuple):
    """``code`` is negative where a signal ended it; ``is_too_long``: its output was, and it was ended."""

    code: int
    output: bytes
    said: str
    is_too_long: bool = False


def run_compiler(command: Sequence[str], text: bytes, folders: Sequence[str], limits: ReadingLimits) -> Ran:
    """Raises `StoppedError` if a limit is hit first."""
    limits.check()
    memory = (limits.memory_mb or MEMORY_MB) * 1024 * 1024
    about = [str(os.getpid()), str(memory), str(CPU_SECONDS), *folders, "--"]  # folders are absolute paths
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_CONFINED), *about, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=_CONFINED.parent,  # a quoted header is looked for here first, and there is none
            env={},  # what else is in there may name folders of headers
            process_group=0,  # Ctrl-C is for our process, which ends this one
        )
    except OSError as error:
        raise UsageError(f"the C compiler can't be started: {error}") from error
    try:
        return _talk(process, text, limits)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                assert stream is not None
                stream.close()


def _talk(process: subprocess.Popen[bytes], text: bytes, limits: ReadingLimits) -> Ran:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    received: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    left = memoryview(text)
    with DefaultSelector() as selector:
        for stream in received:
            selector.register(stream, EVENT_READ)
        os.set_blocking(process.stdin.fileno(), False)
        selector.register(process.stdin, EVENT_WRITE)
        while selector.get_map():
            for key, _ in selector.select(_POLL_SECONDS):
                if key.fileobj is process.stdin:
                    left = _write(process.stdin, left)
                    if not left:
                        selector.unregister(process.stdin)
                        with contextlib.suppress(OSError):
                            process.stdin.close()
                elif data := os.read(key.fd, _CHUNK_BYTES):
                    received[key.fileobj] += data  # type: ignore[index]
                else:
                    selector.unregister(key.fileobj)
            limits.check()
            output, said = received.values()
            del said[_SAID_BYTES:]
            if len(output) > OUTPUT_BYTES:
                return Ran(0, b"", "", is_too_long=True)
    return Ran(process.wait(), bytes(output), said.decode("utf-8", "replace"))


def _write(stream: IO[bytes], text: memoryview) -> memoryview:
    """What is left of it; nothing, if nobody reads it."""
    try:
        return text[os.write(stream.fileno(), text[:_CHUNK_BYTES]) :]
    except BlockingIOError:
        return text
    except OSError:
        return text[:0]
