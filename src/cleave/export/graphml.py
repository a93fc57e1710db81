"""Violation witnesses in the older format of SV-COMP, GraphML 1.0, which validators for threads still read.

    n0 --line 17, thread 0, creates thread 1--> n1 --line 7, thread 2--> ... --> violation

The edges are the waypoints of the newer format, in their order: see `waypoints`. A value that a function returned is
an assumption about the variable that it is assigned to, where the line says so; else, without threads, about the
result of the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from cleave.export.exports import About
from cleave.export.waypoints import violation_of
from cleave.export.witness import refusal as witness_refusal
from cleave.export.witness import specification, task_of
from cleave.frontends.input import Input
from cleave.verdict import Result, Unsafe
from cleave.version import __version__

_SPACE = "http://graphml.graphdrawing.org/xmlns"
_ARCHITECTURES = {32: "32bit", 64: "64bit"}
_NODE_KEYS = ("entry", "violation")
_RESULT_OF = "assumption.resultfunction"
_EDGE_KEYS = ("startline", "endline", "threadId", "createThread", "enterFunction", "assumption", _RESULT_OF, "control")
_GRAPH_KEYS = (
    "witness-type",
    "sourcecodelang",
    "producer",
    "specification",
    "programfile",
    "programhash",
    "architecture",
    "creationtime",
)
_RESULT = re.compile(r"\\result ([=!]= .+)")
_CALLED = re.compile(r"(__VERIFIER_nondet_\w+)\s*\(")
_ASSIGNED = re.compile(r"([\w$]+)\s*=\s*(?:\([^()]*\)\s*)?__VERIFIER_nondet_\w+\s*\(")


def refusal(input: Input) -> str | None:
    """Why no such witness can be about this input."""
    why = witness_refusal(input)
    return why.replace("--witness", "--graphml") if why is not None else None


def graphml_text(about: About, result: Result) -> str | None:
    """None: there is no violation."""
    if not isinstance(result.verdict, Unsafe):
        return None
    task = task_of(about)
    (file, content), *_ = task.inputs.contents.items()
    lines = content.decode("utf-8", "replace").splitlines()
    waypoints = [segment[-1]["waypoint"] for segment in violation_of(result.verdict.trace, task.inputs).segments]
    top = Element("graphml", xmlns=_SPACE)
    for kind, names in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS), ("graph", _GRAPH_KEYS)):
        for name in names:
            typed = "boolean" if kind == "node" else "string"
            SubElement(top, "key", {"id": name, "for": kind, "attr.name": name, "attr.type": typed})
    graph = SubElement(top, "graph", edgedefault="directed")
    digest = next(iter(task.inputs.digests().values()))
    stated = f"CHECK( init(main()), LTL({specification(task, result)}) )"
    about_graph = ("violation_witness", "C", f"Cleave {__version__}", stated)
    values = (*about_graph, file, digest, _ARCHITECTURES[task.bits], datetime.now(UTC).isoformat(timespec="seconds"))
    _add_data(graph, dict(zip(_GRAPH_KEYS, values, strict=True)))
    _add_path(graph, list(_edges(waypoints, lines)))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(top, encoding="unicode")}\n'


def _edges(waypoints: Sequence[dict[str, Any]], lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """What each edge says; the first one begins main."""
    yield {"threadId": "0", "createThread": "0", "enterFunction": "main"}
    created = 0
    for waypoint in waypoints:
        line = waypoint["location"]["line"]
        edge = {"startline": str(line), "endline": str(line), "threadId": str(waypoint.get("thread_id", 0))}
        value = str(waypoint.get("constraint", {}).get("value", ""))
        if waypoint["type"] == "function_enter" and "thread_id" in waypoint:
            created += 1
            edge["createThread"] = str(created)
        elif waypoint["type"] == "branching":
            edge["control"] = f"condition-{value}"
        elif returned := _RESULT.fullmatch(value):
            edge |= _about_value(lines, line, returned[1], alone="thread_id" not in waypoint)
        yield edge


def _about_value(lines: Sequence[str], line: int, value: str, *, alone: bool) -> dict[str, str]:
    """What an edge assumes of a value that a function returned; nothing, where the line does not say which one."""
    if target := _assigned(lines, line):
        return {"assumption": f"{target} {value};"}
    called = _CALLED.findall(lines[line - 1]) if line <= len(lines) else []
    is_clear = alone and len(called) == 1
    return {"assumption": f"\\result {value};", _RESULT_OF: called[0]} if is_clear else {}


def _assigned(lines: Sequence[str], line: int) -> str | None:
    """The variable that a line assigns an unknown value to."""
    found = _ASSIGNED.findall(lines[line - 1]) if line <= len(lines) else []
    return str(found[0]) if len(found) == 1 else None


def _add_path(graph: Element, edges: Sequence[dict[str, str]]) -> None:
    for number in range(len(edges) + 1):
        node = SubElement(graph, "node", id=f"n{number}")
        if number == 0:
            _add_data(node, {"entry": "true"})
        elif number == len(edges):
            _add_data(node, {"violation": "true"})
    for number, told in enumerate(edges):
        edge = SubElement(graph, "edge", source=f"n{number}", target=f"n{number + 1}")
        _add_data(edge, told)


def _add_data(element: Element, told: dict[str, str]) -> None:
    for key, value in told.items():
        SubElement(element, "data", key=key).text = value
