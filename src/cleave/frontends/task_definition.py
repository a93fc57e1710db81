"""Task definitions as SV-COMP and CHC-COMP write them: which file, which properties, and what is expected.

    format_version: '2.0'
    input_files: 'loop.c'
    properties:
      - property_file: ../properties/unreach-call.prp
        expected_verdict: true
    options:
      language: C
      data_model: ILP32

These files are YAML. Every scalar is taken as the word that is written: ``2.0`` and ``true`` are no numbers or flags. A
file that is larger or deeper than any task, that names a key twice or refers from one place to another, is refused.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from cleave.errors import InputError
from cleave.logic.sexpr import decode_text
from cleave.records import dataclass

_MAX_BYTES = 200_000
_MAX_DEPTH = 20
_NOTHING = ("", "~", "null", None)


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
    task = _mapping(file, _yaml(file, content), "the task definition")
    options = _mapping(file, task.get("options") or {}, "options")
    data_model = _optional_word(file, options.get("data_model"), "data_model")
    if data_model not in (None, "ILP32", "LP64"):
        raise InputError(f"the data model {data_model} is not known; known are ILP32 and LP64", file=file)
    return TaskDefinition(
        input_files=_words(file, task.get("input_files"), "input_files"),
        properties=tuple(_property(file, entry) for entry in _list(file, task.get("properties"), "properties")),
        language=_optional_word(file, options.get("language"), "language"),
        data_model=data_model,
    )


def _property(file: str, entry: Any) -> ExpectedProperty:
    found = _mapping(file, entry, "an entry of properties")
    verdict = _optional_word(file, found.get("expected_verdict"), "expected_verdict")
    holds = {"true": True, "false": False}.get((verdict or "").lower())  # another word, as "unknown", says nothing
    name = _optional_word(file, found.get("property_file"), "property_file")
    if name is None:
        raise InputError("a property without property_file", file=file)
    return ExpectedProperty(name, holds, _optional_word(file, found.get("subproperty"), "subproperty"))


def _mapping(file: str, value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what}: keys with values expected", file=file)
    return value


def _list(file: str, value: Any, what: str) -> list[Any]:
    if value in _NOTHING:
        return []
    if not isinstance(value, list):
        raise InputError(f"{what}: a list expected", file=file)
    return value


def _words(file: str, value: Any, what: str) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) and value else _list(file, value, what)
    if not words or not all(isinstance(word, str) for word in words):
        raise InputError(f"{what}: the name of a file, or a list of them, expected", file=file)
    return tuple(words)


def _optional_word(file: str, value: Any, what: str) -> str | None:
    if value in _NOTHING:
        return None
    if not isinstance(value, str):
        raise InputError(f"{what}: one word expected", file=file)
    return value


def _yaml(file: str, content: bytes) -> Any:
    """Words, lists and mappings, as they are written."""
    import yaml

    if len(content) > _MAX_BYTES:
        raise InputError(f"a task definition of more than {_MAX_BYTES:,} bytes", file=file)
    text = decode_text(content, file)
    try:
        _check_shape(yaml, text)
        return _value(yaml, yaml.compose(text, yaml.BaseLoader))
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None) or str(error)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
        lines = text.splitlines()
        source_line = lines[line - 1] if 0 < line <= len(lines) else ""
        raise InputError(problem, file=file, line=line, column=column, source_line=source_line) from None


def _value(yaml: Any, node: Any) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_value(yaml, part) for part in node.value]
    if not isinstance(node, yaml.MappingNode):
        return None if node is None else node.value
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key is no word", problem_mark=key.start_mark)
        if key.value in found:
            raise yaml.MarkedYAMLError(problem=f"{key.value} is given twice", problem_mark=key.start_mark)
        found[key.value] = _value(yaml, value)
    return found


def _check_shape(yaml: Any, text: str) -> None:
    """Before anything is built: a reference to a list of references is short, and what it stands for need not be."""
    depth = 0
    for event in yaml.parse(text, yaml.BaseLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            problem = "references (*) are not supported in task definitions"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        if depth > _MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=f"nested deeper than {_MAX_DEPTH}", problem_mark=event.start_mark)
