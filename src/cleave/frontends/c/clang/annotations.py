"""Assertions and ghost code in comments, as ACSL has them, become a part of the program.

    //@ assert x == 0 ==> \\false;        { __CPROVER_assert(!(x == 0) || (0), 0); }
    //@ ghost seen = x;                  seen = x;

Assertions are about one state, so in a program with threads they are atomic. Other annotations (contracts, invariants)
are help for a proof, and say nothing about what the program does.
"""

from __future__ import annotations

import re

from cleave.errors import UnsupportedError

_COMMENT = re.compile(
    rb"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'                    # where there are no comments
    | //(?P<line>(?:[^\n\\]|\\[^\n])*) | /\*(?P<block>.*?)\*/
    """,
    re.VERBOSE | re.DOTALL,
)
_ASSERTION = re.compile(rb"@\s*assert\b\s*(?P<condition>[^;]*);\s*@?\s*")
_GHOST = re.compile(rb"@\s*ghost\b(?P<code>[^\n]*)")
_WORDS = {rb"\true": b"1", rb"\false": b"0"}
_WORD = re.compile(rb"\\\w+")
_IMPLIES = b"==>"
_MARKED = b"__cleave_annotation_begin(); __CPROVER_assert(%s, 0); __cleave_annotation_end();"
_ATOMIC = b"{ __VERIFIER_atomic_begin(); %s __VERIFIER_atomic_end(); }"


def with_assertions(content: bytes, file: str) -> bytes:
    """The same lines, with the assertions in comments as statements."""
    if b"@" not in content:
        return content
    with_threads = b"pthread" in content or b"threads.h" in content

    def replaced(comment: re.Match[bytes]) -> bytes:
        text = comment["line"] if comment["line"] is not None else comment["block"]
        lines = b"\n" * comment[0].count(b"\n")
        ghost = _GHOST.fullmatch(text or b"")
        if ghost is not None:
            return ghost["code"] + lines
        found = _ASSERTION.fullmatch(text or b"")
        if found is None:
            return comment[0]
        line = content.count(b"\n", 0, comment.start()) + 1
        statement = _MARKED % _in_c(found["condition"], file, line)
        return (_ATOMIC if with_threads else b"{ %s }") % statement + lines

    return _COMMENT.sub(replaced, content)


def _in_c(condition: bytes, file: str, line: int) -> bytes:
    for word in _WORD.findall(condition):
        if word not in _WORDS:
            raise UnsupportedError(f"{word.decode()} in an annotation is not supported", file=file, line=line)
    for word, meaning in _WORDS.items():
        condition = condition.replace(word, meaning)
    premise, implies, conclusion = condition.partition(_IMPLIES)
    if _IMPLIES in conclusion or b"^^" in condition or premise.count(b"(") != premise.count(b")"):
        raise UnsupportedError("an annotation may have one implication, outermost", file=file, line=line)
    return b"!(%s) || (%s)" % (premise, conclusion) if implies else b"(%s)" % condition
