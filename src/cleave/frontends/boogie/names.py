"""New names that no name of the file can be.

>>> names = Names({"x", "x?1"})
>>> names.fresh("x", "?"), names.fresh("x", "?")
('x?2', 'x?3')
"""

from __future__ import annotations

from collections.abc import Set


class Names:
    def __init__(self, taken: Set[str]) -> None:
        self._taken = taken
        self._count = 0

    def fresh(self, hint: str, separator: str = "#") -> str:
        """A name that starts with ``hint``, different from every token of the file and every earlier one."""
        while True:
            self._count += 1
            name = f"{hint}{separator}{self._count}"
            if name not in self._taken:
                return name
