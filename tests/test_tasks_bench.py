"""What the benchmarks' index says about a task, as options of ``cleave verify``."""

from __future__ import annotations

import pytest
from bench.tasks import Task

BOUNDED = Task("sdv", "a.bpl", "safe", "assertions /main:start", "recursionBound=3")
UNBOUNDED = Task("c", "a.c", "safe", "unreach-call", "data_model=ILP32")


@pytest.mark.parametrize(
    ("task", "given", "expected"),
    [
        (BOUNDED, [], ["--recursion-bound=3", "--entry=start", "--engine=inline"]),
        (BOUNDED, ["--engine=inline"], ["--recursion-bound=3", "--entry=start", "--engine=inline"]),
        (BOUNDED, ["--engine=pdr"], ["--entry=start", "--engine=pdr"]),
        (UNBOUNDED, [], ["--32"]),
        (UNBOUNDED, ["--engine=cegar"], ["--32", "--engine=cegar"]),
    ],
)
def test_a_bound_is_for_inline(task: Task, given: list[str], expected: list[str]) -> None:
    assert task.arguments_with(given) == expected
