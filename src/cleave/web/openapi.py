"""The OpenAPI document of the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleave.version import __version__
from cleave.web.fields import fields

_ID = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "the id of a run",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,120}$"},
}
_OBJECT = {"type": "object"}
_VERDICTS = ["safe", "bounded-safe", "unsafe", "unknown", None]


def document(exports: Sequence[str]) -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cleave",
            "version": __version__,
            "description": "Runs of Cleave: submit programs, watch them, get what they found.",
        },
        "servers": [{"url": "/"}],
        "paths": _paths(exports),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _paths(exports: Sequence[str]) -> dict[str, Any]:
    number = {"type": "integer", "minimum": 0}
    queries = [_query(name, {"type": "string", "maxLength": 200}) for name in ("verdict", "engine", "text")]
    queries += [
        _query("limit", {"type": "integer", "minimum": 1, "maximum": 1000}),
        _query("skip", number | {"maximum": 10**9}),
    ]
    name = {
        "name": "name",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "enum": ["journal", "result", *exports]},
    }
    submission = {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Submission"}}},
    }
    return {
        "/api/v1/openapi.json": {"get": _operation("This document", _json(_OBJECT))},
        "/api/v1/options": {"get": _operation("The options that a submission may have", _json(_OBJECT))},
        "/api/v1/runs": {
            "get": _operation("Runs, newest first", _json(_ref("Runs")), parameters=queries),
            "post": _operation("Submit programs", _json(_ref("Submitted")), code="202", body=submission),
        },
        "/api/v1/runs/{id}": {
            "get": _operation("A run, as cleave show --json prints it", _json(_OBJECT), parameters=[_ID])
        },
        "/api/v1/runs/{id}/events": {
            "get": _operation(
                "How far a run is, as server-sent events: run, each time that it changes; end",
                {"text/event-stream": {"schema": {"type": "string"}}},
                parameters=[_ID],
            )
        },
        "/api/v1/runs/{id}/stop": {
            "post": _operation("End a run with what it has", _json(_OBJECT), code="202", parameters=[_ID])
        },
        "/api/v1/runs/{id}/resume": {
            "post": _operation("Continue a run that was stopped", _json(_OBJECT), code="202", parameters=[_ID])
        },
        "/api/v1/runs/{id}/files/{name}": {
            "get": _operation("A file about a run", {"*/*": {}}, parameters=[_ID, name])
        },
        "/api/v1/jobs": {
            "get": _operation("Submitted jobs", _json(_OBJECT), parameters=[_query("batch", {"type": "string"})])
        },
        "/api/v1/jobs/{id}": {"get": _operation("A submitted job", _json(_OBJECT), parameters=[_ID])},
    }


def _operation(
    summary: str,
    content: dict[str, Any],
    *,
    code: str = "200",
    parameters: Sequence[dict[str, Any]] = (),
    body: dict[str, Any] | None = None,
) -> dict[str, Any]:
    problem = _json(_ref("Problem"))
    told = {
        "400": "one sentence says what is wrong",
        "401": "the token is missing",
        "403": "another origin",
        "404": "there is none",
        "413": "too large",
        "421": "another host's name",
        "429": "the queue is full",
        "503": "too many viewers",
    }
    responses: dict[str, Any] = {code: {"description": "fine", "content": content}}
    responses |= {number: {"description": why, "content": problem} for number, why in told.items()}
    found: dict[str, Any] = {"summary": summary, "responses": responses}
    found |= {"parameters": list(parameters)} if parameters else {}
    return found | ({"requestBody": body} if body is not None else {})


def _query(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas() -> dict[str, Any]:
    text, number = {"type": "string"}, {"type": "number"}
    return {
        "Problem": {"type": "object", "properties": {"error": text}, "required": ["error"]},
        "Runs": {
            "type": "object",
            "properties": {
                "runs": {"type": "array", "items": _ref("Run")},
                "all": {"type": "integer"},
                "unreadable": {"type": "integer"},
            },
            "required": ["runs", "all", "unreadable"],
        },
        "Run": {
            "type": "object",
            "properties": {
                "run": text,
                "file": text,
                "state": {"enum": ["running", "stopped", "finished"]},
                "verdict": {"enum": _VERDICTS},
                "seconds": number,
                "started": text,
            },
            "required": ["run", "file", "state", "verdict", "seconds", "started"],
        },
        "Submission": {
            "type": "object",
            "properties": {
                "files": {"type": "object", "additionalProperties": text, "minProperties": 1},
                "options": {"type": "object", "properties": {name: _option(name) for name in fields()}},
                "together": {"type": "boolean"},
            },
            "required": ["files"],
            "additionalProperties": False,
        },
        "Submitted": {
            "type": "object",
            "properties": {"runs": {"type": "array", "items": text}, "batch": text},
            "required": ["runs", "batch"],
        },
    }


def _option(name: str) -> dict[str, Any]:
    field = fields()[name]
    if field.is_flag:
        return {"type": "boolean", "description": field.help}
    if field.many:
        items = {"type": "string", "enum": list(field.values)}
        return {"type": "array", "items": items, "description": field.help}
    if field.values:
        return {"type": "string", "enum": list(field.values), "description": field.help}
    return {"type": ["string", "number"], "description": field.help}
