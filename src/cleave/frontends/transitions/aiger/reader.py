"""Reads both forms of AIGER."""

from __future__ import annotations

import re

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.transitions.aiger.circuit import Circuit, Latch
from cleave.ir.program import Location

_NUMBERS = re.compile(r"[0-9]{1,12}(?: [0-9]{1,12})*")
_SYMBOL = re.compile(r"([ilobcjf])([0-9]{1,12}) (.*)")
_MAX_INPUTS = 1_000_000  # of a binary file, which has not a single byte for them


def read_circuit(file: str, content: bytes) -> Circuit:
    """Raises `InputError` with the place."""
    return _Reader(_Cursor(file, content)).circuit()


class _Cursor:
    """Reads a file line by line, or byte by byte where it is binary."""

    def __init__(self, file: str, content: bytes) -> None:
        self.file = file
        self._content = content
        self._at = 0
        self._line = 0
        self._shown = ""

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._content)

    @property
    def location(self) -> Location:
        return Location(self.file, self._line, 1)

    def text(self) -> str:
        """The next line."""
        if self.at_end:
            raise InputError("the file ends too early", file=self.file, line=max(self._line, 1), column=1)
        end = self._content.find(b"\n", self._at)
        end = len(self._content) if end < 0 else end
        self._shown = self._content[self._at : end].decode("utf-8", "replace").rstrip("\r")
        self._at = end + 1
        self._line += 1
        return self._shown

    def numbers(self, least: int, most: int, what: str) -> list[int]:
        """The numbers of the next line."""
        text = self.text().rstrip()
        found = [int(word) for word in text.split(" ")] if _NUMBERS.fullmatch(text) else []
        if not least <= len(found) <= most:
            raise self.error(f"{what} expected")
        return found

    def delta(self) -> int:
        """A number of the binary part: seven bits to a byte, the low ones first."""
        value = 0
        for shift in range(0, 63, 7):
            if self.at_end:
                raise InputError("the file ends within the gates", file=self.file)
            byte = self._content[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise InputError("a number in the binary part is too large", file=self.file)

    def error(self, message: str) -> InputError:
        return InputError(message, file=self.file, line=self._line, column=1, source_line=self._shown)


class _Reader:
    def __init__(self, cursor: _Cursor) -> None:
        self._cursor = cursor
        self._circuit = Circuit(cursor.file)
        self._largest = 0
        self._defined: set[int] = set()

    def circuit(self) -> Circuit:
        words = self._cursor.text().split()
        if not words or words[0] not in ("aag", "aig") or not _NUMBERS.fullmatch(" ".join(words[1:])):
            raise self._cursor.error("a header expected, as in aag 3 1 1 1 1")
        counts = [int(word) for word in words[1:]]
        if not 5 <= len(counts) <= 9:
            raise self._cursor.error("five to nine numbers expected after the first word")
        self._largest, inputs, latches, outputs, gates, bad, constraints, *infinite = [*counts, 0, 0, 0, 0][:9]
        if inputs + latches + gates > self._largest:
            raise self._cursor.error("more inputs, latches and gates than variables")
        if any(infinite):
            message = "justice and fairness are about infinite runs, which are not supported"
            raise UnsupportedError(message, file=self._cursor.file, line=1, column=1)
        if words[0] == "aag":
            self._read_text(inputs, latches, (outputs, bad, constraints), gates)
        else:
            self._read_binary(inputs, latches, (outputs, bad, constraints), gates)
        self._read_names()
        return self._circuit

    def _read_text(self, inputs: int, latches: int, properties: tuple[int, int, int], gates: int) -> None:
        cursor, circuit = self._cursor, self._circuit
        for place in range(inputs):
            (number,) = cursor.numbers(1, 1, "the number of an input")
            circuit.inputs[self._new(number)] = place
        for _ in range(latches):
            number, following, *first = cursor.numbers(2, 3, "a latch and its next value")
            self._add_latch(self._new(number), following, first)
        self._read_properties(*properties)
        for _ in range(gates):
            number, left, right = cursor.numbers(3, 3, "a gate and its two inputs")
            circuit.gates[self._new(number)] = self._literal(left), self._literal(right)

    def _read_binary(self, inputs: int, latches: int, properties: tuple[int, int, int], gates: int) -> None:
        """Here variables are numbered in order, and gates come after what they depend on."""
        cursor, circuit = self._cursor, self._circuit
        if inputs > _MAX_INPUTS:
            raise cursor.error(f"more than {_MAX_INPUTS:,} inputs")
        circuit.inputs = {place + 1: place for place in range(inputs)}
        for place in range(latches):
            following, *first = cursor.numbers(1, 2, "the next value of a latch")
            self._add_latch(inputs + place + 1, following, first)
        self._read_properties(*properties)
        for variable in range(inputs + latches + 1, inputs + latches + gates + 1):
            left = 2 * variable - cursor.delta()
            right = left - cursor.delta()
            if right < 0 or left >= 2 * variable:
                raise InputError(f"gate {2 * variable} depends on what does not come before it", file=cursor.file)
            circuit.gates[variable] = left, right

    def _add_latch(self, variable: int, following: int, first: list[int]) -> None:
        start = first[0] if first else 0
        if start not in (0, 1, 2 * variable):
            raise self._cursor.error("a latch starts with 0, with 1 or, at any value, with itself")
        self._circuit.latches.append(Latch(variable, start, self._literal(following)))

    def _read_properties(self, outputs: int, bad: int, constraints: int) -> None:
        told = [self._property() for _ in range(outputs)]
        named = [self._property() for _ in range(bad)]
        self._circuit.bad = named or told
        self._circuit.constraints = [self._property()[0] for _ in range(constraints)]
        if not self._circuit.bad:
            message = "the circuit has no bad state and no output, so there is nothing to check"
            raise UnsupportedError(message, file=self._cursor.file)

    def _property(self) -> tuple[int, Location]:
        (number,) = self._cursor.numbers(1, 1, "a number of a variable")
        return self._literal(number), self._cursor.location

    def _read_names(self) -> None:
        while not self._cursor.at_end:
            text = self._cursor.text()
            if text.rstrip() == "c":  # comments to the end
                return
            found = _SYMBOL.fullmatch(text)
            if not found:
                raise self._cursor.error("the name of an input, a latch or an output expected, as in i0 x")
            if found.group(3):
                self._circuit.names[found.group(1), int(found.group(2))] = found.group(3)

    def _new(self, number: int) -> int:
        variable = self._literal(number) // 2
        if number % 2 or not variable:
            raise self._cursor.error(f"{number} can't be defined: an even number from 2 on expected")
        if variable in self._defined:
            raise self._cursor.error(f"{number} is defined twice")
        self._defined.add(variable)
        return variable

    def _literal(self, number: int) -> int:
        if number > 2 * self._largest + 1:
            raise self._cursor.error(f"{number} is larger than the header allows")
        return number
