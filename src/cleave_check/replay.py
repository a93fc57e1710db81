"""A trace: the execution that a certificate describes is carried out, and must end in a violation.

    {"entry": "main", "schedule": [[0, 4], [1, 2], [0, 1]], "values": {"0": [["x", "5"]]}, "successors": {"0": ["b1"]},
     "functions": {"f": {"default": "0", "entries": [[["1"], "7"]]}}}

``schedule`` says which thread takes how many steps, ``values`` and ``successors`` are what each thread needs, in order.
Nothing may be missing, and nothing may be left over.
"""

from __future__ import annotations

from typing import Any

from cleave_check.data import listed, mapped, number, text
from cleave_check.machine import Blocked, Finished, Machine, Violated
from cleave_check.program import Block, Program
from cleave_check.refusal import Refusal, Unreadable
from cleave_check.terms import Term
from cleave_check.values import Value, decoded

MOST_STEPS = 20_000_000


class Script:
    """The choices of a certificate, in their order."""

    def __init__(self, program: Program, evidence: dict[str, Any]) -> None:
        self._values = {_thread(k): listed(v) for k, v in mapped(evidence.get("values", {})).items()}
        self._successors = {_thread(k): listed(v) for k, v in mapped(evidence.get("successors", {})).items()}
        self._given: dict[int, int] = {}
        self._taken: dict[int, int] = {}
        self._tables = {name: _Table(program, name, table) for name, table in mapped(evidence["functions"]).items()}

    def initial(self, thread: int, variable: Term) -> Value:
        return self.value(thread, variable)

    def value(self, thread: int, variable: Term) -> Value:
        at = self._given.get(thread, 0)
        values = self._values.get(thread, [])
        if at == len(values):
            raise Refusal(f"no value is left for {variable.data!r}")
        pair = listed(values[at])
        if len(pair) != 2 or pair[0] != variable.data:
            raise Refusal(f"the next value of thread {thread} is not for {variable.data!r}")
        self._given[thread] = at + 1
        return decoded(pair[1], variable.sort)

    def successor(self, thread: int, block: Block) -> str:
        if len(block.successors) == 1:
            return block.successors[0]
        at = self._taken.get(thread, 0)
        successors = self._successors.get(thread, [])
        if at == len(successors):
            raise Refusal(f"no successor is left for the block {block.label!r}")
        self._taken[thread] = at + 1
        return text(successors[at])

    def apply(self, term: Term, arguments: list[Value]) -> Value:
        table = self._tables.get(term.data.name)
        if table is None:
            raise Refusal(f"the function {term.data.name!r} has no table")
        return table(tuple(arguments))

    def nothing_left(self) -> bool:
        values = all(self._given.get(thread, 0) == len(given) for thread, given in self._values.items())
        return values and all(self._taken.get(t, 0) == len(taken) for t, taken in self._successors.items())


class _Table:
    def __init__(self, program: Program, name: str, data: Any) -> None:
        table = mapped(data)
        function = program.functions.get(name)
        if function is None or table.keys() != {"default", "entries"}:
            raise Unreadable("a table is of a function that is not there, or has no default")
        self._default = decoded(table["default"], function.result)
        self._entries: dict[tuple[Value, ...], Value] = {}
        for entry in map(listed, listed(table["entries"])):
            if len(entry) != 2 or len(listed(entry[0])) != len(function.arguments):
                raise Unreadable("an entry of a function's table has other arguments than the function")
            key = tuple(decoded(a, sort) for a, sort in zip(entry[0], function.arguments, strict=True))
            self._entries[key] = decoded(entry[1], function.result)

    def __call__(self, arguments: tuple[Value, ...]) -> Value:
        return self._entries.get(arguments, self._default)


def replay(program: Program, entry: str, evidence: dict[str, Any]) -> str:
    """What was checked, in a sentence."""
    script = Script(program, evidence)
    steps = 0
    try:
        machine = Machine(program, entry, script)
        for context in map(listed, listed(evidence["schedule"])):
            if len(context) != 2:
                raise Unreadable("a context has a thread and a number of steps")
            thread, count = number(context[0]), number(context[1])
            if not count:
                raise Unreadable("a context has no steps")
            for _ in range(count):
                steps += 1
                if steps > MOST_STEPS:
                    raise Refusal(f"the execution has more than {MOST_STEPS} steps")
                machine.step(thread)
            if machine.threads[thread].atomic:
                raise Refusal(f"thread {thread} is interrupted in an atomic block")
    except Violated:
        if not script.nothing_left():
            raise Refusal("the violation comes before the described execution ends") from None
        threads = len(machine.threads)
        return f"the execution was carried out in {steps} steps of {threads} thread{'s' if threads > 1 else ''}"
    except Blocked:
        raise Refusal(f"an assumption is false after {steps} steps: the execution does not exist") from None
    except Finished:
        raise Refusal("the program ends without a violation") from None
    raise Refusal("nothing is violated when the described execution ends")


def _thread(key: str) -> int:
    if not key.isascii() or not key.isdigit() or len(key) > 9:
        raise Unreadable("a thread has a number")
    return int(key)
