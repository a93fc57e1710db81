"""Mappings, lists, words and numbers as YAML in block style.

[{"type": "target", "location": {"line": 3}}]          - type: "target"
                                                         location:
                                                           line: 3

Every word is quoted as JSON quotes it, which YAML reads as it is meant: none is taken for a number, a date or a flag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_PLAIN = re.compile(r"(?!false)[a-z]{5,}|[a-z]+(_[a-z]+)+|line|name|task|type|uuid")  # no flag, as on and null


def print_yaml(value: Any) -> str:
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> Iterator[str]:
    match value:
        case dict() if value:
            for key, inner in value.items():
                yield from _under(f"{key if _PLAIN.fullmatch(key) else _scalar(key)}:", inner)
        case list() if value:
            for inner in value:
                first, *rest = _lines(inner)
                yield f"- {first}"
                yield from (f"  {line}" for line in rest)
        case _:
            yield _scalar(value)


def _under(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        yield key
        yield from (f"  {line}" for line in _lines(value))
    else:
        yield f"{key} {_scalar(value)}"


def _scalar(value: Any) -> str:
    """As in JSON but for characters that it writes as two, which YAML does not put together."""
    if not isinstance(value, str):
        return json.dumps(value)
    return '"' + "".join(f"\\U{ord(c):08x}" if ord(c) > 0xFFFF else json.dumps(c)[1:-1] for c in value) + '"'
