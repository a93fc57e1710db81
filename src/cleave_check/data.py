"""What is read from a certificate's JSON, each with the type that it must have."""

from __future__ import annotations

from typing import Any

from cleave_check.refusal import Unreadable


def mapped(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise Unreadable("an object expected in the certificate")
    return data


def listed(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise Unreadable("a list expected in the certificate")
    return data


def text(data: Any) -> str:
    if not isinstance(data, str):
        raise Unreadable("a text expected in the certificate")
    return data


def number(data: Any) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or not 0 <= data < 1 << 53:
        raise Unreadable("a number expected in the certificate")
    return data


def only(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The object, which has just these keys: nobody may believe that another one was looked at."""
    if data.keys() != set(keys):
        raise Unreadable(f"an object of the certificate has other entries than {', '.join(keys)}")
    return data
