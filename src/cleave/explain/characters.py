"""Characters that must not reach a terminal or a page as they are: what comes from programs, file names and journals
can hold some that move a cursor, recolour a screen, or turn the order of what a reader sees.

>>> harmless("name\\x1b[2J\\u202e\\n")
'name\\\\x1b[2J\\\\u202e\\n'
"""

from __future__ import annotations

import re

_KEPT = "\n\t"
# Control characters, bidirectional marks and overrides, and what stands for bytes that are no UTF-8.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def harmless(text: str) -> str:
    return _HARMFUL.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    character = found[0]
    if character in _KEPT:
        return character
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
