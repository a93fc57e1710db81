"""The process that runs cvc5, started by `solver` with a memory limit in megabytes (0: none) as its argument.

    in     its length, and a `Question`: a formula as bytes and the seconds it may take; again and again until the end
    out    its length, and a `Reply`, for each question; and an empty reply first, when it is ready

What cvc5 itself prints goes nowhere. Questions are answered in a thread with a deep stack, because cvc5 recurses on
deep terms. Should it overflow all the same, or run out of memory, this process ends, and the one that asks continues.
It also ends with the thread that started it: cvc5 holds the interpreter's lock, so that nothing here could notice.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import resource
import signal
import sys
import threading
from typing import Any, BinaryIO

import msgspec

from cleave.errors import InputError
from cleave.logic.encoding import decode
from cleave.logic.terms import Op, Term
from cleave.logic.walk import free_variables, has_quantifier, postorder
from cleave.smt.cvc5.messages import LENGTH, Question, Reply
from cleave.smt.cvc5.terms import Translator, native, new_solver
from cleave.smt.deep_thread import STACK_BYTES

_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_SHOWN_VALUES = 12
_SHOWN_CHARACTERS = 60


def main() -> None:
    gc.disable()  # terms hold no cycles
    sys.set_int_max_str_digits(0)
    questions, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    megabytes = int(sys.argv[1])
    if megabytes:
        limit = megabytes * 1024 * 1024 + STACK_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=_answer_all, args=(questions, replies), daemon=True)
    thread.start()
    thread.join()
    os._exit(0)  # nothing of cvc5 is taken apart: freeing deep terms takes long


def _answer_all(questions: BinaryIO, replies: BinaryIO) -> None:
    _send(replies, Reply("ready"))
    while (header := questions.read(LENGTH.size)) and len(header) == LENGTH.size:
        body = questions.read(LENGTH.unpack(header)[0])
        try:
            reply = _reply(msgspec.msgpack.decode(body, type=Question))
        except (InputError, RuntimeError) as error:
            reply = Reply("unknown", " ".join(str(error).split()))
        except MemoryError:
            reply = Reply("unknown", "memory")
        _send(replies, reply)


def _send(replies: BinaryIO, reply: Reply) -> None:
    data = msgspec.msgpack.encode(reply)
    replies.write(LENGTH.pack(len(data)) + data)
    replies.flush()


def _reply(question: Question) -> Reply:
    (formula,) = decode(question.formula)
    terms = native.TermManager()
    translator = Translator(terms)
    result: Any = None
    for options in _turns(formula):
        solver = new_solver(terms, question.seconds)
        for option, value in options:
            solver.setOption(option, value)
        solver.assertFormula(translator.term(formula))
        result = solver.checkSat()
        if result.isUnsat():
            return Reply("unsat")
        if result.isSat():
            return Reply("sat", values=_values(solver, translator, sorted(free_variables(formula), key=str)))
        if "TIMEOUT" in str(result.getUnknownExplanation()):
            return Reply("unknown", "timeout")
    return Reply("unknown", str(result.getUnknownExplanation()).rpartition(".")[2].lower().replace("_", " "))


def _turns(formula: Term) -> list[list[tuple[str, str]]]:
    """Options to try until there is an answer: where triggers and conflicts give up, instances of all terms. Constant
    arrays are experimental in cvc5: a model of them is checked."""
    constants = any(node.op is Op.CONST_ARRAY for node in postorder((formula,)))
    always = [("arrays-exp", "true"), ("check-models", "true")] if constants else []
    return [always, [*always, ("enum-inst", "true")]] if has_quantifier(formula) else [always]


def _values(solver: Any, translator: Translator, variables: list[Any]) -> dict[str, str]:
    values = {}
    for variable in variables[:_SHOWN_VALUES]:
        with contextlib.suppress(RuntimeError):
            text = str(solver.getValue(translator.term(variable)))
            values[variable.name] = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
    return values
