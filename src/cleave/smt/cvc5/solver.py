"""cvc5 as a decision procedure, in a process of its own: one formula, one answer.

    with Cvc5() as solver:
        solver.decide(conj(lt(x, y), lt(y, x)), seconds=5).answer       # Answer.UNSAT

It is the second opinion of `validate`: it shares no code with the solvers that search. It is not incremental and
has no `Solver` protocol, as each clause of a certificate is a question of its own.

**Why a process.** cvc5's Python module holds the interpreter's lock while it works, has no interrupt, and does not
always keep to its own time limit: one of 10 s was passed by more than 20 s in preprocessing. Here the limit is kept
by ending the process, and the next question starts another one, which takes some tenths of a second. So Ctrl-C,
`interrupt` from any thread, memory limits and overflows of the stack are all harmless.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from time import monotonic
from types import TracebackType

import msgspec

from cleave.logic.encoding import encode
from cleave.logic.terms import Term
from cleave.records import dataclass
from cleave.smt.cvc5.messages import LENGTH, Question, Reply
from cleave.smt.solver import Answer

_log = logging.getLogger(__name__)

_START = "from cleave.smt.cvc5.child import main; main()"  # with -m the module would be there twice
_START_SECONDS = 60.0
_GRACE_SECONDS = 0.5  # after the time limit that cvc5 is told, before its process is ended


@dataclass(frozen=True, slots=True)
class Decision:
    """``reason`` says why the answer is unknown: ``timeout``, ``interrupted``, ``ended ...`` or cvc5's own word.
    ``values`` are some of a model's, as text for people."""

    answer: Answer
    reason: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


class Cvc5:
    """Belongs to one thread; only `interrupt` may be called from another one. `close` ends its process."""

    def __init__(self, *, memory_mb: int = 4000) -> None:
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False  # the process has said so
        self._interrupted = False
        self._lock = threading.RLock()  # guards what is above

    def __enter__(self) -> Cvc5:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def start(self) -> None:
        """Starts the process, if there is none, and does not wait for it: a question will find it ready sooner."""
        with self._lock:
            if self._process is None and not self._interrupted:
                self._process, self._is_ready = _spawn(self._memory_mb), False
                _log.debug("process %d of cvc5 is started", self._process.pid)

    def decide(self, formula: Term, *, seconds: float = 0.0) -> Decision:
        """Whether ``formula`` has a model. 0 seconds: no limit."""
        if formula.is_value:
            return Decision(Answer.SAT if formula.is_true else Answer.UNSAT)
        try:
            return self._ask(msgspec.msgpack.encode(Question(encode([formula]), seconds)), seconds)
        except BaseException:
            self.close()  # whatever it was (Ctrl-C, a signal's handler): no answer may be left for the next question
            raise

    def interrupt(self) -> None:
        """Makes a question that is being decided, or else the next one, end with UNKNOWN at once."""
        with self._lock:
            self._interrupted = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what it did not read any more is not written
                    assert pipe is not None
                    pipe.close()
            process.wait()

    def __del__(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            process.kill()

    def _ask(self, question: bytes, seconds: float) -> Decision:
        process = self._started()
        reply: Reply | str = "interrupted"
        if process is not None:
            deadline = monotonic() + seconds + _GRACE_SECONDS if seconds > 0 else None
            reply = "ended" if not _write(process, question) else _read(process, deadline)
        with self._lock:
            interrupted, self._interrupted = self._interrupted, False
        if isinstance(reply, Reply):
            return Decision(Answer(reply.answer), reply.reason, reply.values)
        self.close()
        code = process.returncode if process is not None and reply == "ended" else None
        word = "interrupted" if interrupted else reply if code is None else f"ended with code {code}"
        return Decision(Answer.UNKNOWN, word)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """The process, ready for a question; None if an interrupt came before."""
        self.start()
        with self._lock:
            process = None if self._interrupted else self._process
        if process is not None and not self._is_ready:
            _read(process, monotonic() + _START_SECONDS)  # should it have ended, the question finds out
            self._is_ready = True
        return process


def _spawn(memory_mb: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _START, str(memory_mb)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        start_new_session=True,  # Ctrl-C is for the process that asks
    )


def _write(process: subprocess.Popen[bytes], question: bytes) -> bool:
    assert process.stdin is not None
    try:
        process.stdin.write(LENGTH.pack(len(question)) + question)
        process.stdin.flush()
    except (BrokenPipeError, ValueError):
        return False
    return True


def _read(process: subprocess.Popen[bytes], deadline: float | None) -> Reply | str:
    """The next reply, or why there is none: ``timeout`` or ``ended``."""
    assert process.stdout is not None
    found = bytearray()
    needed = LENGTH.size
    while len(found) < needed:
        left = None if deadline is None else max(0.0, deadline - monotonic())
        if not select.select([process.stdout], [], [], left)[0]:
            return "timeout"
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            process.wait()
            return "ended"
        found += piece
        if needed == LENGTH.size and len(found) >= needed:
            needed += LENGTH.unpack_from(found)[0]
    return msgspec.msgpack.decode(bytes(found[LENGTH.size :]), type=Reply)
