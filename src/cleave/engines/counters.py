"""What an engine counts while it works, and how that is said: typed, one class for each engine.

>>> class ToyCounters(Counters, frozen=True, kw_only=True):
...     rounds: int | None = None
...
...     def line(self) -> str:
...         return count(self.rounds, "round") if self.rounds is not None else super().line()
>>> told = ToyCounters.of({"rounds": 3, "read_seconds": 0.25})
>>> told.line(), told.progress(), told.as_object()
('3 rounds', '3 rounds', {'read_seconds': 0.25, 'rounds': 3})
>>> ToyCounters().progress()
'reading'

Engines send news as mappings. The run keeps the news together and asks this class for the words. None means
that nothing was counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import msgspec

from cleave.engines.text import amount, count
from cleave.errors import InternalError

Own = TypeVar("Own", bound="Counters")


class Counters(msgspec.Struct, frozen=True, kw_only=True):
    """What every engine may count, or stages before it: ``probe_steps`` are those of executions that were tried,
    ``invariants`` those that another engine found for this one, about so many procedures."""

    steady: ClassVar[tuple[str, ...]] = ()
    """What is the same in every run, for any number of workers."""

    read_seconds: float | None = None
    validate_seconds: float | None = None
    probe_steps: int | None = None
    invariants: int | None = None
    invariants_of: int | None = None
    invariants_seconds: float | None = None

    @classmethod
    def of(cls: type[Own], told: Mapping[str, Any]) -> Own:
        """From what was noted, or from an object that `as_object` made."""
        return cls().updated(told)

    def updated(self: Own, news: Mapping[str, Any]) -> Own:
        try:
            return msgspec.structs.replace(self, **news)
        except TypeError:
            unknown = ", ".join(sorted(news.keys() - set(self.__struct_fields__)))
            raise InternalError(f"{type(self).__name__} does not count {unknown}") from None

    def as_object(self) -> dict[str, Any]:
        """What was counted, as JSON has it."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}

    def line(self) -> str:
        """What was done, in a line; empty if nothing was counted."""
        return f"{amount(self.probe_steps)} steps of executions tried" if self.probe_steps is not None else ""

    def progress(self, rate: float = 0.0) -> str:
        """What is being done; ``rate`` is the number of splits per second."""
        return self.line() or "reading"

    def rows(self) -> list[tuple[str, str]]:
        """All of it, for a table."""
        return [(name.replace("_", " "), _cell(value)) for name, value in self.as_object().items()]


def _cell(value: float | str) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def workers_line(workers: int | None, lost: int | None) -> str:
    """
    >>> workers_line(4, 0), workers_line(1, 2)
    ('4 workers', '1 worker (2 lost)')
    """
    return f"{count(workers or 0, 'worker')}{f' ({lost} lost)' if lost else ''}"
