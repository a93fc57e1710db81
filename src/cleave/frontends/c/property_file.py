"""Property files (``.prp``) as SV-COMP writes them: what a violation is.

    read_property("unreach-call.prp", b"CHECK( init(main()), LTL(G ! call(reach_error())) )")       Check.REACH

Properties that are not checked are refused, each by its name.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from cleave.errors import InputError, UnsupportedError
from cleave.frontends.c.options import ERROR_LABEL, Check
from cleave.logic.sexpr import decode_text

ENTRY = "main"
PROPERTIES = {
    "unreach-call": Check.REACH,
    "unreach-label": Check.LABEL,
    "no-data-race": Check.DATA_RACE,
    "no-deadlock": Check.DEADLOCK,
}
"""The properties that are checked, as their files are named."""

_RULE = re.compile(r"CHECK\s*\(\s*init\s*\(\s*(?P<entry>\w+)\s*\(\s*\)\s*\)\s*,\s*(?P<formula>.*)\)", re.DOTALL)
_FORMULAS: tuple[tuple[re.Pattern[str], Check], ...] = (
    (re.compile(r"LTL\(G!call\((?:reach_error|__VERIFIER_error)\(\)\)\)"), Check.REACH),
    (re.compile(rf"LTL\(G!label\({ERROR_LABEL}\)\)"), Check.LABEL),
    (re.compile(r"LTL\(G!data-race\)"), Check.DATA_RACE),
    (re.compile(r"LTL\(G!deadlock\)"), Check.DEADLOCK),
)
_LATER = (
    (("overflow",), "signed overflow (no-overflow)"),
    (("valid-", "memcleanup", "memtrack"), "memory safety (valid-memsafety, valid-memcleanup)"),
    (("F end", "termination"), "termination"),
    (("COVER", "FQL", "coverage"), "coverage by tests"),
)


def read_property(file: str, content: bytes) -> Check:
    """What the property in a file forbids. A file may state one property, for executions that start in main."""
    text = decode_text(content, file).strip()
    rule = _RULE.fullmatch(text)
    if rule is not None and rule["entry"] == ENTRY:
        formula = "".join(rule["formula"].split())
        for pattern, check in _FORMULAS:
            if pattern.fullmatch(formula):
                return check
    refuse_property(text, file)
    if rule is None:
        raise InputError("a property expected, as in CHECK( init(main()), LTL(G ! call(reach_error())) )", file=file)
    raise UnsupportedError(f"this property can't be checked: {text}", file=file)


def property_of(file: str, read: bytes | None) -> Check | None:
    """The property that a task names: by the name of its file, or by what it holds if it could be ``read``."""
    check = PROPERTIES.get(PurePath(file).stem)
    if check is not None or read is None:
        return check
    try:
        return read_property(file, read)
    except (InputError, UnsupportedError):
        return None


def refuse_property(text: str, file: str) -> None:
    """Raises `UnsupportedError` for a property that is known and not checked."""
    for words, name in _LATER:
        if any(word in text for word in words):
            known = ", ".join(PROPERTIES)
            raise UnsupportedError(f"{name} is not checked yet; what can be checked is {known}", file=file)
