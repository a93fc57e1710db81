"""Property files (``.prp``) as SV-COMP writes them: what a violation is, a CHECK for each property.

    read_properties("unreach-call.prp", b"CHECK( init(main()), LTL(G ! call(reach_error())) )")       ("assertions",)

Properties that are not checked are refused, each by its name.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.c.properties.registry import by_formula, called, properties
from cleave.logic.sexpr import decode_text

ENTRY = "main"

_RULE = re.compile(
    r"CHECK\s*\(\s*init\s*\(\s*(?P<entry>\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\((?P<formula>.*)\)\s*\)", re.DOTALL
)
_START = re.compile(r"^\s*(?=CHECK\b)", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(?://|#).*$", re.MULTILINE)
_LATER = (
    (("F end", "termination"), "termination"),
    (("COVER", "FQL", "coverage"), "coverage by tests"),
)


def read_properties(file: str, content: bytes) -> tuple[str, ...]:
    """The names of the properties that a file states, for executions that start in main."""
    text = _COMMENT.sub("", decode_text(content, file)).strip()
    rules = [rule for rule in _START.split(text) if rule.strip()]
    if not rules:
        raise _no_property(file)
    return tuple(dict.fromkeys(_stated(rule.strip(), file) for rule in rules))


def _stated(text: str, file: str) -> str:
    rule = _RULE.fullmatch(text)
    found = by_formula(rule["formula"]) if rule is not None and rule["entry"] == ENTRY else None
    if found is not None:
        return found.name
    refuse_property(text, file)
    if not text.startswith("CHECK") or "init" not in text or "," not in text:
        raise _no_property(file)
    raise UnsupportedError(f"this property can't be checked: {text}", file=file)


def _no_property(file: str) -> InputError:
    return InputError("a property expected, as in CHECK( init(main()), LTL(G ! call(reach_error())) )", file=file)


def properties_of(file: str, read: bytes | None) -> tuple[str, ...]:
    """The properties that a task names: by what the file holds if it could be ``read``, else by its name; none, where
    they can't be checked."""
    try:
        stated = read_properties(file, read) if read is not None else ()
    except (InputError, UnsupportedError):
        stated = ()
    return stated or tuple(one.name for one in called(PurePath(file).stem))


def refuse_property(text: str, file: str) -> None:
    """Raises `UnsupportedError` for a property that is known and not checked."""
    for words, name in _LATER:
        if any(word in text for word in words):
            known = ", ".join(dict.fromkeys(name for one in properties().values() for name in one.competition))
            raise UnsupportedError(f"{name} is not checked yet; what can be checked is {known}", file=file)
