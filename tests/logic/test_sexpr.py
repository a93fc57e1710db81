"""S-expressions: structure, places, quotes, comments, and texts that are none."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.logic.sexpr import Node, Script, decode_text, read_expression, read_script


def plain(script: Script, node: Node) -> object:
    return script.word(node) if isinstance(node, int) else [plain(script, part) for part in node[1:]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("(a (b) c)() d", [["a", ["b"], "c"], [], "d"]),
        ("(a ; b) (\n c)", [["a", "c"]]),
        ('("a ""b"" ; (" c)', [['"a ""b"" ; ("', "c"]]),
        ("(|x| |a b| |; (| |0| |a|b)", [["x", "|a b|", "|; (|", "|0|", "a", "b"]]),
        ("(a|b c|d)", [["a", "|b c|", "d"]]),
        ("; only a comment", []),
        ("(:key #x1F -1 1.5 (_ bv5 32))", [[":key", "#x1F", "-1", "1.5", ["_", "bv5", "32"]]]),
        ("|several\nlines|", ["|several\nlines|"]),
        ("\ufeffa", ["\ufeffa"]),
    ],
)
def test_structure(text: str, expected: object) -> None:
    script = read_script(text)
    assert [plain(script, node) for node in script.expressions] == expected


def test_places() -> None:
    script = read_script("; c\n(a\n  (|b| é d)) e", "f.smt2")
    outer, last = script.expressions
    assert isinstance(outer, list)
    inner = outer[2]
    assert [script.place(node) for node in (outer, outer[1], inner, *inner[1:], last)] == [
        *((2, 1), (2, 2), (3, 3), (3, 4), (3, 8), (3, 10)),
        (3, 14),
    ]
    assert script.show(outer) == "(a (b é d))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a (b)", "f:1:1: this parenthesis is never closed\n    (a (b)\n    ^"),
        ("a\n b) c", "f:2:3: this parenthesis closes nothing\n     b) c\n      ^"),
        ("(a |b)", "f:1:4: the | is never closed\n    (a |b)\n       ^"),
        ('(a "b)', 'f:1:4: the " is never closed\n    (a "b)\n       ^'),
    ],
)
def test_what_is_not_closed_is_refused_with_its_place(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_script(text, "f")
    assert str(caught.value) == expected


def test_deep_and_wide() -> None:
    depth = 200_000
    script, node = read_expression("(" * depth + "x" + ")" * depth)
    for _ in range(depth):
        assert isinstance(node, list)
        node = node[1]
    assert script.word(node) == "x"
    assert len(read_script("a " * 100_000).expressions) == 100_000


def test_not_utf8() -> None:
    with pytest.raises(InputError, match=r"a\.smt2:2:3: the file is not UTF-8 text"):
        decode_text(b"(a\n b\xff)", "a.smt2")


@given(st.text(alphabet='()ab |";\n#0'))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        script = read_script(text)
        assert "".join(script.tokens).count("(") >= sum(isinstance(node, list) for node in script.expressions)
