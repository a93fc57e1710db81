"""Task definitions as SV-COMP and CHC-COMP write them: which file, which properties, and what is expected.

    format_version: '2.0'
    input_files: 'loop.c'
    properties:
      - property_file: ../properties/unreach-call.prp
        expected_verdict: true
    options:
      language: C
      data_model: ILP32

These files are YAML, of which they use little: nested mappings and lists by indentation, plain and quoted words,
comments, and lists in brackets. That much is read here; anything else is refused with its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from cleave.errors import InputError, UnsupportedError
from cleave.logic.sexpr import decode_text

_KEY = re.compile(r"""([A-Za-z_][\w.\-]*|'[^']*'|"[^"\\]*")\s*:(?:\s+|$)""")
_SPECIAL = "&*!|>%@`{"  # what starts YAML's richer forms
_MAX_DEPTH = 20


@dataclass(frozen=True, slots=True)
class ExpectedProperty:
    """A property file, as it is written in the task, and whether the property holds, where the task says so."""

    file: str
    holds: bool | None
    subproperty: str | None = None

    @property
    def name(self) -> str:
        """``unreach-call`` of ``../properties/unreach-call.prp``."""
        return PurePath(self.file).stem

    @property
    def verdict(self) -> str | None:
        """``safe``, ``unsafe`` or nothing."""
        return None if self.holds is None else "safe" if self.holds else "unsafe"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDefinition:
    """Paths are as they are written, relative to the task's own place."""

    input_files: tuple[str, ...]
    properties: tuple[ExpectedProperty, ...]
    language: str | None = None
    data_model: str | None = None

    def expected(self, name: str) -> ExpectedProperty | None:
        """What is said about a property, by its `ExpectedProperty.name`."""
        return next((p for p in self.properties if p.name == name), None)


def read_task_definition(file: str, content: bytes) -> TaskDefinition:
    """The task in a file; ``file`` is its name in messages. Raises `InputError` with the place."""
    reader = _Yaml(decode_text(content, file), file)
    task = reader.document()
    options = _mapping(reader, task.get("options") or {}, "options")
    data_model = _optional_word(reader, options.get("data_model"), "data_model")
    if data_model not in (None, "ILP32", "LP64"):
        raise InputError(f"the data model {data_model} is not known; known are ILP32 and LP64", file=file)
    return TaskDefinition(
        input_files=_words(reader, task.get("input_files"), "input_files"),
        properties=tuple(_property(reader, entry) for entry in _list(reader, task.get("properties"), "properties")),
        language=_optional_word(reader, options.get("language"), "language"),
        data_model=data_model,
    )


def _property(reader: _Yaml, entry: Any) -> ExpectedProperty:
    found = _mapping(reader, entry, "an entry of properties")
    verdict = _optional_word(reader, found.get("expected_verdict"), "expected_verdict")
    holds = {"true": True, "false": False}.get((verdict or "").lower())  # another word, as "unknown", says nothing
    name = _optional_word(reader, found.get("property_file"), "property_file")
    if name is None:
        raise InputError("a property without property_file", file=reader.file)
    return ExpectedProperty(name, holds, _optional_word(reader, found.get("subproperty"), "subproperty"))


def _mapping(reader: _Yaml, value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what}: keys with values expected", file=reader.file)
    return value


def _list(reader: _Yaml, value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{what}: a list expected", file=reader.file)
    return value


def _words(reader: _Yaml, value: Any, what: str) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else _list(reader, value, what)
    if not words or not all(isinstance(word, str) for word in words):
        raise InputError(f"{what}: the name of a file, or a list of them, expected", file=reader.file)
    return tuple(words)


def _optional_word(reader: _Yaml, value: Any, what: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(f"{what}: one word expected", file=reader.file)
    return value


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    indent: int
    text: str


class _Yaml:
    """The part of YAML that tasks use: values are words, lists and mappings; an empty one is None."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self._source = text.splitlines()
        self._lines = [line for number, raw in enumerate(self._source, 1) if (line := self._line(number, raw))]
        self._at = 0

    def document(self) -> dict[str, Any]:
        if not self._lines:
            raise InputError("the task definition is empty", file=self.file)
        found = self._block(self._lines[0].indent, 0)
        if self._at < len(self._lines):
            raise self._error(self._lines[self._at], "unexpected indentation")
        return _mapping(self, found, "the task definition")

    def _line(self, number: int, raw: str) -> _Line | None:
        text = _without_comment(raw).rstrip()
        stripped = text.lstrip(" ")
        if not stripped or (number == 1 and stripped == "---"):
            return None
        line = _Line(number, len(text) - len(stripped), stripped)
        if stripped[0] == "\t":
            raise self._error(line, "YAML is not indented with tabs")
        if stripped in ("---", "..."):
            raise self._error(line, "several documents in a task definition are not supported")
        return line

    def _error(self, line: _Line, message: str) -> UnsupportedError:
        return UnsupportedError(
            message, file=self.file, line=line.number, column=line.indent + 1, source_line=self._source[line.number - 1]
        )

    def _block(self, indent: int, depth: int) -> Any:
        """All lines from here on that are indented by ``indent``, with those that belong to them."""
        if depth > _MAX_DEPTH:
            raise self._error(self._lines[self._at], f"nested deeper than {_MAX_DEPTH}")
        if self._lines[self._at].text.startswith(("- ", "-\t")) or self._lines[self._at].text == "-":
            return self._sequence(indent, depth)
        found: dict[str, Any] = {}
        while self._at < len(self._lines) and self._lines[self._at].indent == indent:
            line = self._lines[self._at]
            match = _KEY.match(line.text)
            if match is None:
                raise self._error(line, "a key with a value expected, as in language: C")
            key = match.group(1).strip("'\"")
            if key in found:
                raise self._error(line, f"{key} is given twice")
            self._at += 1
            found[key] = self._value(line, line.text[match.end() :], indent, depth, in_mapping=True)
        return found

    def _sequence(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        while self._at < len(self._lines) and self._lines[self._at].indent == indent:
            line = self._lines[self._at]
            if line.text[:1] != "-":
                break
            rest = line.text[1:].lstrip(" ")
            if rest and _KEY.match(rest):  # a mapping that starts on the line of its dash
                inner = indent + len(line.text) - len(rest)
                self._lines[self._at] = _Line(line.number, inner, rest)
                found.append(self._block(inner, depth + 1))
            else:
                self._at += 1
                found.append(self._value(line, rest, indent, depth, in_mapping=False))
        return found

    def _value(self, line: _Line, text: str, indent: int, depth: int, *, in_mapping: bool) -> Any:
        if text:
            return self._scalar(line, text)
        if self._at == len(self._lines):
            return None
        follows = self._lines[self._at]
        listed = in_mapping and follows.indent == indent and follows.text[:1] == "-"  # needs no further indentation
        return self._block(follows.indent, depth + 1) if follows.indent > indent or listed else None

    def _scalar(self, line: _Line, text: str) -> Any:
        first = text[0]
        if first in _SPECIAL:
            raise self._error(line, f"this form of YAML is not supported in task definitions: {text[:40]}")
        if first == "[":
            if text[-1] != "]":
                raise self._error(line, "the list is not closed on its line")
            return [self._scalar(line, part.strip()) for part in text[1:-1].split(",") if part.strip()]
        if first in "'\"":
            if len(text) < 2 or text[-1] != first or first in text[1:-1] or "\\" in text:
                raise self._error(line, "the quotes are not closed, or hold escapes")
            return text[1:-1]
        return None if text in ("~", "null") else text


def _without_comment(raw: str) -> str:
    quote = ""
    for at, character in enumerate(raw):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"" and (at == 0 or raw[at - 1] in " [,"):
            quote = character
        elif character == "#" and (at == 0 or raw[at - 1] in " \t"):
            return raw[:at]
    return raw
