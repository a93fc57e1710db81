"""The process of one local worker: ``python -m cleave.runtime.child FD``, started by `local`.

FD is a socket to the coordinator's process. First comes a `Briefing`; once the worker is built, an empty message goes
back; from then on each message is one of the engine's, or an empty one every second: a sign of life (see `life`).

    main thread      reads the socket, whatever the worker is doing; the coordinator's end closed: exits at once
    worker's thread  drives the generator; has a deep stack, because solvers recurse on deep terms
    memory's thread  exits with a code of its own when the limit is hit
    life's thread    sends the signs

Nothing is cleaned up on the way out: a solver that is deep in its search can't be asked to, and all that a worker holds
is in this process.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from queue import SimpleQueue
from typing import NoReturn, TypeAlias, cast

import msgspec

from cleave.engines.coordination import Worker
from cleave.runtime.life import BEAT_SECONDS
from cleave.runtime.stream import CHUNK_BYTES, Unframing, framed
from cleave.smt.deep_thread import STACK_BYTES
from cleave.watch import resident_bytes

EXIT_RAISED = 1
EXIT_MEMORY = 77
READY = b""

_MEMORY_POLL_SECONDS = 0.05


class Briefing(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """What a worker's process has to know; the tag is the version."""

    worker: str
    task: bytes
    number: int
    memlimit_mb: int


Part: TypeAlias = Callable[[socket.socket, SimpleQueue[bytes]], None]
"""What a process does with its connection, and with the messages that come in."""


def main() -> NoReturn:
    serve(_work)


def serve(work: Part) -> NoReturn:
    """Runs ``work`` in a thread with a deep stack until it returns, or the other end of the connection is closed."""
    # As for the command line: terms hold no cycles worth collecting, and numerals may be long.
    gc.set_threshold(200_000, 50, 50)
    sys.set_int_max_str_digits(0)
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)  # should a solver start a process, that one must not keep the connection open
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.stack_size(STACK_BYTES)
    threading.Thread(target=_until_exit, args=(work, connection, inbox), name="cleave-worker", daemon=True).start()
    _until_exit(_read, connection, inbox)


def _until_exit(part: Part, connection: socket.socket, inbox: SimpleQueue[bytes]) -> NoReturn:
    """However this part of the process ends, the rest goes with it."""
    code = 0
    try:
        part(connection, inbox)
    except MemoryError:
        code = EXIT_MEMORY
    except BaseException:
        code = EXIT_RAISED
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _read(connection: socket.socket, inbox: SimpleQueue[bytes]) -> None:
    """Returns when the coordinator's end is closed."""
    stream = Unframing()
    while data := connection.recv(CHUNK_BYTES):
        for message in stream.feed(data):
            inbox.put(message)


def _work(connection: socket.socket, inbox: SimpleQueue[bytes]) -> None:
    briefing = msgspec.msgpack.decode(inbox.get(), type=Briefing)
    if briefing.memlimit_mb:
        threading.stack_size(0)
        threading.Thread(target=_watch_memory, args=(briefing.memlimit_mb,), name="cleave-memory", daemon=True).start()
    work = find_worker(briefing.worker)(briefing.task, briefing.number, None)
    turn = next(work)
    sending = threading.Lock()
    connection.sendall(framed(READY))
    threading.stack_size(0)
    threading.Thread(target=_beat, args=(connection, sending), name="cleave-life", daemon=True).start()
    while True:
        for message in turn.messages:
            with sending:
                connection.sendall(framed(message))
        incoming = [inbox.get()] if turn.idle else []
        while not inbox.empty():
            incoming.append(inbox.get())
        turn = work.send(incoming)


def find_worker(name: str) -> Worker:
    """The function that ``module:function`` names."""
    module, _, function = name.partition(":")
    return cast(Worker, getattr(import_module(module), function))


def _beat(connection: socket.socket, sending: threading.Lock) -> None:
    while True:
        time.sleep(BEAT_SECONDS)
        try:
            with sending:
                connection.sendall(framed(READY))
        except OSError:
            return  # the coordinator is gone, as reading from it tells


def _watch_memory(memlimit_mb: int) -> NoReturn:
    while resident_bytes() <= memlimit_mb * 1024 * 1024:
        time.sleep(_MEMORY_POLL_SECONDS)
    os._exit(EXIT_MEMORY)


if __name__ == "__main__":
    main()
