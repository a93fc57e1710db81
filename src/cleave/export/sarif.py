"""SARIF 2.1.0 logs, which editors and services for code review show: one run, with one result if it is `unsafe`.

    {"version": "2.1.0", "runs": [{"tool": …, "results": [{"ruleId": "assertions", "codeFlows": […]}], …}]}

The properties of C are its rules, with their help, and what can be violated in other languages.
The execution is a code flow with a thread flow for each thread; ``executionOrder`` says how they interleave. What a
compact trace shows is ``essential`` in it. The verdict, and what else ``--json`` says of the run, is in the run's
properties.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from cleave.export.exports import About
from cleave.export.inputs import Inputs
from cleave.export.objects import result_object
from cleave.frontends.c.properties.built_in import ASSERTIONS
from cleave.frontends.c.properties.property import Property
from cleave.frontends.c.properties.registry import properties
from cleave.ir.program import Location
from cleave.records import dataclass
from cleave.verdict import Result, Trace, TraceStep, Unknown, Unsafe
from cleave.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_TOLD = (
    *("verdict", "reason", "engine", "bounds", "seconds", "workers"),
    *("checked", "assumptions", "validation", "statistics"),
)
_LANGUAGES = {".c": "c", ".i": "c", ".bpl": "boogie"}
_MOST_STEPS = 1000  # of an execution, before what is not essential is left out

# What is no property of C, by how a trace begins to say that it is violated.
_OTHERS = {
    "the end of ": Property(
        name="end-reachable",
        summary="The end of the entry procedure can be reached.",
        help="The program asks for executions that reach the end, by how it was compiled or by --property.",
    ),
    "false is derived ": Property(
        name="derivation",
        summary="The clauses have no solution: false can be derived.",
        help="The trace is a derivation of false, a clause for each step.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SarifTask:
    """What a log is about. ``command`` is the command line that led to it."""

    inputs: Inputs
    command: str


def sarif_text(about: About, result: Result) -> str:
    log = sarif(SarifTask(inputs=about.files, command=about.command), result)
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def sarif(task: SarifTask, result: Result) -> dict[str, Any]:
    """A log, as an object that JSON can hold."""
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_Run(task, result).run()]}


class _Run:
    def __init__(self, task: SarifTask, result: Result) -> None:
        self._task = task
        self._result = result
        self._files = list(task.inputs.contents)

    def run(self) -> dict[str, Any]:
        verdict = self._result.verdict
        results = [self._violation(verdict.trace)] if isinstance(verdict, Unsafe) else []
        told = result_object(self._task.inputs.main, self._result, trace="none")
        return {
            "tool": {"driver": {"name": "Cleave", "version": __version__, "rules": _rules()}},
            "invocations": [self._invocation(told)],
            "artifacts": self._artifacts(),
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {key: told[key] for key in _TOLD if told.get(key) is not None},
        }

    def _invocation(self, told: dict[str, Any]) -> dict[str, Any]:
        invocation = {
            "commandLine": self._task.command,
            "exitCode": self._result.verdict.exit_code,
            "executionSuccessful": True,
        }
        if isinstance(self._result.verdict, Unknown):
            told = {"level": "warning", "message": {"text": f"no verdict: {told['reason']}"}}
            invocation["toolExecutionNotifications"] = [told]
        return invocation

    def _artifacts(self) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        digests = self._task.inputs.digests()
        for file in self._files:
            artifact = {
                "location": {"uri": _uri(file)},
                "roles": ["analysisTarget"],
                "hashes": {"sha-256": digests[file]},
            }
            language = _LANGUAGES.get(PurePath(file).suffix.lower())
            made.append({**artifact, "sourceLanguage": language} if language else artifact)
        return made

    # --- a violation ------------------------------------------------------------------------------------------------

    def _violation(self, trace: Trace) -> dict[str, Any]:
        rule = _rule(trace)
        procedure = trace.steps[-1].procedure if trace.steps else ""
        found = {
            "ruleId": rule,
            "ruleIndex": [one.name for one in _all_rules()].index(rule),
            "kind": "fail",
            "level": "error",
            "message": {"text": ". ".join((trace.violated, *trace.reasons))},
            "locations": [self._location(trace.location, procedure)],
            "partialFingerprints": {"violation/v1": self._fingerprint(rule, trace, procedure)},
        }
        flows = self._thread_flows(trace)
        return {**found, "codeFlows": [{"threadFlows": flows}]} if flows else found

    def _fingerprint(self, rule: str, trace: Trace, procedure: str) -> str:
        """The same as long as the violated line is: whatever its number is, and the values that violate it."""
        where = trace.location or Location(self._task.inputs.main, 0)
        line = " ".join(self._task.inputs.line(where.file, where.line).split())
        told = re.sub(r"-?\d+", "", trace.violated)
        text = "\n".join((rule, PurePath(where.file).name, procedure, line, told))
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _thread_flows(self, trace: Trace) -> list[dict[str, Any]]:
        flows: dict[int, list[dict[str, Any]]] = {}
        for order, step in enumerate(self._shown(trace.lines or trace.steps), 1):
            flows.setdefault(step.thread, []).append(self._step(order, step))
        inputs = {} if trace.lines else trace.inputs
        initial = {"initialState": {name: {"text": value} for name, value in inputs.items()}}
        return [
            {"id": f"thread {thread}", **(initial if inputs and not thread else {}), "locations": locations}
            for thread, locations in sorted(flows.items())
        ]

    def _shown(self, steps: Sequence[TraceStep]) -> Sequence[TraceStep]:
        """Without what is no step of the user's program."""
        ours = [step for step in steps if step.kind not in ("block", "context") and self._is_the_users(step)]
        return ours if len(ours) <= _MOST_STEPS else [step for step in ours if step.relevant]

    def _is_the_users(self, step: TraceStep) -> bool:
        return step.location is None or not step.location.file.startswith("<")

    def _step(self, order: int, step: TraceStep) -> dict[str, Any]:
        made = {
            "location": {**self._location(step.location, step.procedure), "message": {"text": _said(step)}},
            "kinds": [step.kind],
            "nestingLevel": step.depth,
            "executionOrder": order,
            "importance": "essential" if step.relevant else "unimportant",
        }
        state = {name: {"text": value} for name, value in step.values.items()}
        return {**made, "state": state} if state else made

    def _location(self, location: Location | None, procedure: str) -> dict[str, Any]:
        file = location.file if location is not None else self._task.inputs.main
        artifact: dict[str, Any] = {"uri": _uri(file)}
        artifact |= {"index": self._files.index(file)} if file in self._files else {}
        physical: dict[str, Any] = {"artifactLocation": artifact}
        if location is not None and location.line:
            column = {"startColumn": location.column} if location.column else {}
            physical["region"] = {"startLine": location.line, **column}
        logical = {"logicalLocations": [{"name": procedure, "kind": "function"}]} if procedure else {}
        return {"physicalLocation": physical, **logical}


def _said(step: TraceStep) -> str:
    return f"{step.text} ({step.note})" if step.note else step.text


def _rule(trace: Trace) -> str:
    if trace.check is not None:
        return trace.check.property
    return next((one.name for start, one in _OTHERS.items() if trace.violated.startswith(start)), ASSERTIONS)


def _all_rules() -> list[Property]:
    return [*properties().values(), *_OTHERS.values()]


def _rules() -> list[dict[str, Any]]:
    return [_described(rule) for rule in _all_rules()]


def _described(rule: Property) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": rule.name,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary} {rule.help}"},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": "error"},
    }
    return {**made, "properties": {"tags": list(rule.competition)}} if rule.competition else made


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
