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
        ("", "f: the task definition is empty"),
        ("- a", "f: the task definition: keys with values expected"),
        ("properties: []", "f: input_files: the name of a file, or a list of them, expected"),
        ("a: &x 1", "f:1:1: this form of YAML is not supported in task definitions: &x 1"),
        ("a: {b: 1}", "f:1:1: this form of YAML is not supported in task definitions: {b: 1}"),
        ("a: |\n  text", "f:1:1: this form of YAML is not supported in task definitions: |"),
        ("a: 'b", "f:1:1: the quotes are not closed, or hold escapes"),
        ("a: [b\n", "f:1:1: the list is not closed on its line"),
        ("a: 1\n  b: 2", "f:2:3: unexpected indentation"),
        ("a: 1\na: 2", "f:2:1: a is given twice"),
        ("a: 1\n\tb: 2", "f:2:1: YAML is not indented with tabs"),
        ("a: 1\n---\nb: 2", "f:2:1: several documents in a task definition are not supported"),
        ("input_files: a\nproperties:\n- x: 1", "f: a property without property_file"),
        ("input_files: a\noptions:\n  data_model: X", "f: the data model X is not known; known are ILP32 and LP64"),
        ("just words", "f:1:1: a key with a value expected, as in language: C"),
    ],
)
def test_refusals(text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_task_definition("f", text.encode())
    assert str(caught.value).split("\n")[0] == expected


@given(st.text(alphabet="ab:- \n'\"[],#|\t"))
def test_junk_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        read_task_definition("f", f"input_files: a\n{text}".encode())
