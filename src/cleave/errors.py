"""The errors that Cleave raises on purpose. Foreign exceptions are mapped to these at the edge where they appear.

    CleaveError
    ├── UsageError            a flag or option makes no sense                      exit code 1
    │   └── MissingExtraError what it asks for needs a package that is not there   exit code 1
    ├── InputError            the input can't be read or parsed                    exit code 2
    │   └── UnsupportedError  it can be read, but uses what Cleave does not handle exit code 2
    └── InternalError         a promise of Cleave's own code is broken: a bug      exit code 6

A run that ends without an answer is no error: see `verdict.Unknown`.
"""

from __future__ import annotations

from typing import ClassVar

_NAME_CHARACTERS = 300  # of a file, in messages


class CleaveError(Exception):
    """The base of all of Cleave's own errors."""

    exit_code: ClassVar[int] = 6


class UsageError(CleaveError):
    """The options contradict each other or the input."""

    exit_code = 1


class MissingExtraError(UsageError):
    """An optional package is not installed. The sentence is right for a checkout and for an installed distribution.

    >>> print(MissingExtraError("reading C needs Clang", "c"))
    reading C needs Clang: pip install 'cleave-verifier[c]', or in a checkout pip install '.[c]'
    """

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(f"{need}: pip install 'cleave-verifier[{extra}]', or in a checkout pip install '.[{extra}]'")


class InputError(CleaveError):
    """The input can't be read or parsed. Points at the place where that is known."""

    exit_code = 2

    def __init__(
        self, message: str, *, file: str = "", line: int = 0, column: int = 0, source_line: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.source_line = source_line

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (_cut(self.file), self.line, self.column) if part)
        head = f"{place}: {self.message}" if place else self.message
        if self.source_line is None:
            return head
        shown, caret = _window(self.source_line, self.column)
        return f"{head}\n    {shown}\n    {' ' * caret}^"


class UnsupportedError(InputError):
    """The input is well-formed but uses something outside what Cleave handles."""


class InternalError(CleaveError):
    """An invariant of Cleave's own code does not hold."""


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_CHARACTERS else f"{name[:_NAME_CHARACTERS]}..."


def _window(line: str, column: int, width: int = 100) -> tuple[str, int]:
    """At most ``width`` printable characters of ``line`` around ``column``, and where the caret goes."""
    text = "".join(c if c.isprintable() else " " for c in line.rstrip("\n"))
    caret = max(0, min(column - 1, len(text)))
    start = max(0, caret - width * 2 // 3) if len(text) > width else 0
    return text[start : start + width], caret - start
