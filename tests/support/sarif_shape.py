"""What SARIF 2.1.0 allows and demands of the objects that Cleave writes: keys by kind of object, those demanded first.

A dash marks a value that is no object; a name of a kind is checked further, in brackets as a list, in braces by key.
"""

from __future__ import annotations

from typing import Any

_KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "log": ("version runs", {"$schema": "-", "version": "-", "runs": "[run]"}),
    "run": (
        "tool",
        {
            "tool": "tool",
            "invocations": "[invocation]",
            "artifacts": "[artifact]",
            "columnKind": "-",
            "results": "[result]",
            "properties": "-",
        },
    ),
    "tool": ("driver", {"driver": "component"}),
    "component": ("name", {"name": "-", "version": "-", "rules": "[rule]"}),
    "rule": (
        "id",
        {
            "id": "-",
            "name": "-",
            "shortDescription": "message",
            "fullDescription": "message",
            "help": "message",
            "defaultConfiguration": "configuration",
            "properties": "-",
        },
    ),
    "configuration": ("", {"level": "-"}),
    "invocation": (
        "executionSuccessful",
        {
            "executionSuccessful": "-",
            "commandLine": "-",
            "exitCode": "-",
            "toolExecutionNotifications": "[notification]",
        },
    ),
    "notification": ("message", {"message": "message", "level": "-"}),
    "message": ("text", {"text": "-"}),
    "artifact": ("", {"location": "place", "roles": "-", "hashes": "-", "sourceLanguage": "-"}),
    "place": ("", {"uri": "-", "index": "-"}),
    "result": (
        "message",
        {
            "ruleId": "-",
            "ruleIndex": "-",
            "kind": "-",
            "level": "-",
            "message": "message",
            "locations": "[location]",
            "partialFingerprints": "-",
            "codeFlows": "[flow]",
        },
    ),
    "location": ("", {"physicalLocation": "physical", "logicalLocations": "[logical]", "message": "message"}),
    "physical": ("", {"artifactLocation": "place", "region": "region"}),
    "region": ("", {"startLine": "-", "startColumn": "-"}),
    "logical": ("", {"name": "-", "kind": "-"}),
    "flow": ("threadFlows", {"threadFlows": "[threadFlow]"}),
    "threadFlow": ("locations", {"id": "-", "initialState": "{message}", "locations": "[step]"}),
    "step": (
        "",
        {
            "location": "location",
            "kinds": "-",
            "nestingLevel": "-",
            "executionOrder": "-",
            "importance": "-",
            "state": "{message}",
        },
    ),
}
_WORDS = {
    "level": {"none", "note", "warning", "error"},
    "importance": {"important", "essential", "unimportant"},
    "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
    "version": {"2.1.0"},
}


def check_sarif(log: dict[str, Any]) -> None:
    _check(log, "log")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        for flow in result.get("codeFlows", ()):
            orders = [step["executionOrder"] for thread in flow["threadFlows"] for step in thread["locations"]]
            assert sorted(orders) == list(range(1, len(orders) + 1))
            for thread in flow["threadFlows"]:
                own = [step["executionOrder"] for step in thread["locations"]]
                assert own == sorted(own)


def _check(value: Any, kind: str) -> None:
    if kind == "-":
        return
    if kind[0] in "[{":
        assert isinstance(value, list if kind[0] == "[" else dict)
        assert value or kind in ("[result]",), f"an empty {kind}"
        for inner in value if isinstance(value, list) else value.values():
            _check(inner, kind[1:-1])
        return
    demanded, allowed = _KINDS[kind]
    assert isinstance(value, dict)
    assert set(demanded.split()) <= value.keys() <= allowed.keys(), (kind, value.keys())
    for key, inner in value.items():
        if key in _WORDS and kind != "component":
            assert inner in _WORDS[key]
        if key in ("startLine", "startColumn"):
            assert isinstance(inner, int)
            assert inner >= 1
        if key == "uri":
            assert not set(inner) & set(' <>"\\^`{|}')
        _check(inner, allowed[key])
