"""The only table of engines.

    engine("inline").purpose
    names()                        # of those that come with Cleave
    engines()                      # also those of other packages

Engines of other packages are found by entry points (group ``cleave.engines``), each an `Engine` object. They are looked
for when a name is not known here, and for help: to look for them takes longer than a small task.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from cleave.engines.engine import Engine, load
from cleave.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "cleave.engines"
_BUILT_IN = ("inline", "pdr", "cegar", "threads", "bmc", "intervals", "executions")


def names() -> tuple[str, ...]:
    return _BUILT_IN


@cache
def engine(name: str) -> Engine:
    if name in _BUILT_IN:
        found: Engine = load(f"cleave.engines.{name}.plugin:ENGINE")
        return found
    others = _foreign()
    if name in others:
        foreign: Engine = others[name].load()
        return foreign
    raise UsageError(f"there is no engine {name!r}; there are {', '.join((*_BUILT_IN, *others))}")


def engines() -> Iterator[Engine]:
    """All of them."""
    for name in (*_BUILT_IN, *_foreign()):
        yield engine(name)


def _foreign() -> dict[str, EntryPoint]:
    """Engines of other packages, by name."""
    from importlib.metadata import entry_points  # with what it needs, a tenth of the start of a small task

    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {name: found[name] for name in sorted(found) if name not in _BUILT_IN}
