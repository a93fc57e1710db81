"""The schema of witnesses, formats 2.0 to 2.2, as data: what each object must and may have, and of which form it is.

    misshapen(yaml.safe_load(text))      # [] or ["content.0.segment: not a list", ...]

A text is a pattern that the whole value matches, a type is its type, a list holds the schema of all members, and a
dictionary those of the keys; a key with a question mark may be left out.
"""

from __future__ import annotations

import re
from typing import Any

_TEXT = r"(?s).+"
_LOCATION = {"file_name": _TEXT, "line": int, "column?": int, "function?": _TEXT}
_METADATA = {
    "format_version": r"2\.[0-2]",
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "creation_time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)",
    "producer": {
        "name": _TEXT,
        "version": _TEXT,
        "configuration?": _TEXT,
        "command_line?": _TEXT,
        "description?": _TEXT,
    },
    "task": {
        "input_files": [_TEXT],
        "input_file_hashes": dict,
        "specification": _TEXT,
        "data_model": "ILP32|LP64",
        "language": "C",
    },
}
_EXPRESSION = r"\\result (==|!=|<=?|>=?) .+"
_CONSTRAINTS: dict[str, Any] = {
    "assumption": {"value": _TEXT, "format": "c_expression|ext_c_expression"},
    "branching": {"value": r"true|false|-?\d+|default"},
    "function_return": {"value": _EXPRESSION, "format": "acsl_expression|ext_c_expression"},
}
_KINDS = "assumption|branching|function_enter|function_return|target"
_INVARIANT = {
    "type": "loop_invariant|location_invariant",
    "value": _TEXT,
    "format": "c_expression|ext_c_expression",
    "location": _LOCATION,
}


def misshapen(witness: object) -> list[str]:
    """Where a witness is not as the schema wants it."""
    found = _wrong(
        witness, [{"entry_type": "violation_sequence|invariant_set", "metadata": _METADATA, "content": list}]
    )
    if found or not isinstance(witness, list):
        return found
    for entry in witness:
        members = {"violation_sequence": {"segment": list}, "invariant_set": {"invariant": _INVARIANT}}
        found += [] if not entry["content"] else _wrong(entry["content"], [members[entry["entry_type"]]], "content")
        if entry["entry_type"] == "violation_sequence" and not found:
            found += _wrong_segments(entry["content"], threads=entry["metadata"]["format_version"] == "2.2")
    return found


def _wrong_segments(content: list[dict[str, list[Any]]], *, threads: bool) -> list[str]:
    found = [] if content else ["content: no segment, and so no target"]
    for number, item in enumerate(content):
        place = f"content.{number}.segment"
        for waypoint in item["segment"]:
            kind = waypoint.get("waypoint", {}).get("type")
            shape: dict[str, Any] = {"type": _KINDS, "action": "follow|avoid", "location": _LOCATION}
            shape |= {"constraint": _CONSTRAINTS[kind]} if kind in _CONSTRAINTS else {}
            shape |= {"thread_id": int} if threads else {}
            found += _wrong(waypoint, {"waypoint": shape}, place)
        kinds = {one["waypoint"]["type"] for one in item["segment"]} if not found else set()
        if not found and ("target" in kinds) != (number == len(content) - 1):
            found.append(f"{place}: the target belongs into the last segment, and nowhere else")
    return found


def _wrong(value: object, shape: Any, place: str = "") -> list[str]:
    """
    >>> _wrong({"line": "7"}, {"line": int, "column?": int}, "location")
    ['location.line: not int: 7']
    """
    if isinstance(shape, str):
        return [] if isinstance(value, str) and re.fullmatch(shape, value) else [f"{place}: not {shape}: {value}"]
    if isinstance(shape, type):
        return [] if type(value) is shape else [f"{place}: not {shape.__name__}: {value}"]
    if isinstance(shape, list):
        if not isinstance(value, list) or not value:
            return [f"{place}: no list with members"]
        return [one for at, member in enumerate(value) for one in _wrong(member, shape[0], f"{place}.{at}")]
    if not isinstance(value, dict):
        return [f"{place}: no object"]
    keys = {key.removesuffix("?"): own for key, own in shape.items()}
    missing = [f"{place}: no {key}" for key in shape if not key.endswith("?") and key not in value]
    strange = [f"{place}: {key} is not known" for key in value if key not in keys]
    inner = [_wrong(value[key], own, f"{place}.{key}".lstrip(".")) for key, own in keys.items() if key in value]
    return [*missing, *strange, *(one for each in inner for one in each)]
