"""Task definitions: the forms that competitions use, and the words for what is refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleave.errors import InputError
from cleave.frontends.task_definition import ExpectedProperty, TaskDefinition, read_task_definition


def test_program() -> None:
    text = b"""# a comment
format_version: '2.0'

input_files: 'loop # 1.c'  # another
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: false
  - property_file: "../properties/valid-memsafety.prp"
    expected_verdict: false
    subproperty: valid-deref
  - property_file: ../properties/coverage-branches.prp
options:
  language: C
  data_model: LP64
"""
    task = read_task_definition("loop.yml", text)
    assert task == TaskDefinition(
        input_files=("loop # 1.c",),
        properties=(
            ExpectedProperty("../properties/unreach-call.prp", False),
            ExpectedProperty("../properties/valid-memsafety.prp", False, "valid-deref"),
            ExpectedProperty("../properties/coverage-branches.prp", None),
        ),
        language="C",
        data_model="LP64",
    )
    found = task.expected("unreach-call")
    assert found is not None
    assert found.verdict == "unsafe"
    assert task.expected("termination") is None


def test_horn() -> None:
    text = b"""---
format_version: '2.0'
input_files: a.smt2
options:
  language: SMT-LIB
properties:
- expected_verdict: true
  property_file: ../check-sat.prp
"""
    task = read_task_definition("a.yml", text)
    assert task.properties[0].verdict == "safe"
    assert (task.language, task.data_model, task.input_files) == ("SMT-LIB", None, ("a.smt2",))


@pytest.mark.parametrize("files", ["['a.c', b.c]", "\n  - a.c\n  - 'b.c'", "\n- a.c\n- b.c"])
def test_several_files(files: str) -> None:
    assert read_task_definition("f", f"input_files: {files}\nproperties:".encode()).input_files == ("a.c", "b.c")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f: the task definition: keys with values expected"),
        ("- a", "f: the task definition: keys with values expected"),
        ("properties: []", "f: input_files: the name of a file, or a list of them, expected"),
        ("a: &x [1]\nb: [*x, *x]", "f:2:5: references (*) are not supported in task definitions"),
        ("a: 'b", "f:1:6: found unexpected end of stream"),
        ("a: [b\n", "f:2:1: expected ',' or ']', but got '<stream end>'"),
        ("a: 1\n  b: 2", "f:2:4: mapping values are not allowed here"),
        ("a: 1\na: 2", "f:2:1: a is given twice"),
        ("a: 1\n\tb: 2", "f:2:1: found character '\\t' that cannot start any token"),
        ("a: 1\n---\nb: 2", "f:2:1: but found another document"),
        ("[a]: 1", "f:1:1: a key is no word"),
        ("[" * 50_000, "f:1:21: nested deeper than 20"),
        ("- " * 50_000, "f:1:41: nested deeper than 20"),
        ("#" * 200_001, "f: a task definition of more than 200,000 bytes"),
        ("a: \x07", "f: unacceptable character #x0007: special characters are not allowed"),
        ("input_files: a\nproperties:\n- x: 1", "f: a property without property_file"),
        ("input_files: a\noptions:\n  data_model: X", "f: the data model X is not known; known are ILP32 and LP64"),
        ("just words", "f: the task definition: keys with values expected"),
    ],
)
def test_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_task_definition("f", text.encode())
    assert str(caught.value).split("\n")[0] == expected


@given(st.text(alphabet="ab:- \n'\"[]{}&*!?,#|\t"))
def test_junk_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        read_task_definition("f", f"input_files: a\n{text}".encode())
