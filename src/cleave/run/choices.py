"""One option of an engine as data: how its values are read from text, checked, and said.

>>> from cleave.engines.threads.options import ThreadsOptions
>>> rounds = next(one for one in choices_of(ThreadsOptions) if one.name == "rounds")
>>> rounds.read("3"), rounds.range_text()
(3, 'a whole number from 0 to 999999')
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from enum import Enum
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from cleave.engines.options import Option
from cleave.records import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One option of an engine: its name in Python, its type but for None, and what is said of it."""

    name: str
    type: Any
    default: Any
    may_be_none: bool
    about: Option

    @property
    def said(self) -> str:
        """How people call it."""
        return self.about.flag or self.name

    @property
    def is_switch(self) -> bool:
        """Whether it has two flags, ``--name`` and ``--no-name``: what is on, or may be, can be turned off."""
        return self.type is bool and (self.may_be_none or bool(self.default))

    @property
    def flags(self) -> tuple[str, ...]:
        flag = self.about.flag
        return (flag, f"--no-{flag.removeprefix('--')}") if flag and self.is_switch else (flag,)

    @property
    def words(self) -> tuple[Any, ...]:
        """All values, where there are few."""
        if self.about.choices is not None:
            return self.about.choices
        return tuple(one.value for one in self.type) if _is_enum(self.type) else ()

    def read(self, text: str) -> Any:
        """The value that a text means. Raises `ValueError` with a sentence."""
        value = self._value(text)
        self.check_range(value, repr(text))
        return value

    def _value(self, text: str) -> Any:
        if self.about.read is not None:
            return self.about.read(text)
        if self.words:
            if text not in self.words:
                raise ValueError(f"{text!r} is not one of {', '.join(self.words)}")
            return self.type(text)
        pattern = r"-?[0-9]{1,18}" if self.type is int else r"-?[0-9]{1,9}(\.[0-9]+)?"
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{text!r} is not {self.range_text()}")
        return self.type(text)

    def check(self, value: Any) -> None:
        """Raises `ValueError` with a sentence if the value is none that this option may have."""
        if value is None and self.may_be_none:
            return
        if not _is_of(value, self.type):
            raise ValueError(f"{value!r} is not {self.range_text()}")
        if self.about.choices is not None and value not in self.about.choices:
            raise ValueError(f"{value!r} is not one of {', '.join(map(str, self.about.choices))}")
        self.check_range(value, repr(value))
        if self.about.valid is not None:
            self.about.valid(value)

    def check_range(self, value: Any, text: str) -> None:
        numbers = value if isinstance(value, tuple) else (value,)
        low, high = self.about.low, self.about.high
        for number in numbers:
            if isinstance(number, int | float) and (
                (low is not None and number < low) or (high is not None and number > high)
            ):
                raise ValueError(f"{text} is not {self.range_text()}")

    def range_text(self) -> str:
        """What the value must be, in words."""
        if self.words:
            return f"one of {', '.join(map(str, self.words))}"
        if get_origin(self.type) is tuple:
            return f"a tuple of numbers{self._span()}" if int in get_args(self.type) else "a tuple of texts"
        if get_origin(self.type) in (Union, UnionType):
            return " or ".join(replace(self, type=one).range_text() for one in get_args(self.type))
        kind = {bool: "True or False", str: "a text", int: "a whole number"}.get(self.type, "a number")
        return kind + self._span()

    def _span(self) -> str:
        low, high = self.about.low, self.about.high
        if low is None:
            return ""
        return f" from {low} to {high}" if high is not None else f" of {low} or more"

    def default_text(self) -> str:
        if self.default is None:
            return self.about.rule
        if isinstance(self.default, Enum):
            return str(self.default.value)
        if self.is_switch:
            return "yes"
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)


def choices_of(options: type[Any]) -> tuple[Choice, ...]:
    """The options of a class of options, in its order."""
    hints = get_type_hints(options)
    found = []
    for one in fields(options):
        kinds = get_args(hints[one.name]) if NoneType in get_args(hints[one.name]) else ()
        kind = reduce(or_, (kind for kind in kinds if kind is not NoneType)) if kinds else hints[one.name]
        found.append(Choice(one.name, kind, one.default, bool(kinds), one.metadata["option"]))
    return tuple(found)


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _is_of(value: Any, kind: Any) -> bool:
    if get_origin(kind) in (Union, UnionType):
        return any(_is_of(value, one) for one in get_args(kind))
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_is_of(one, get_args(kind)[0]) for one in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
