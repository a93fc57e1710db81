"""Facts about control flow."""

from __future__ import annotations

import pytest

from cleave.ir.program import Block
from cleave.passes.flow import has_cycle


@pytest.mark.parametrize(
    ("jumps", "expected"),
    [
        ({"a": ""}, False),
        ({"a": "a"}, True),
        ({"a": "bc", "b": "d", "c": "d", "d": ""}, False),
        ({"a": "bb", "b": ""}, False),
        ({"a": "b", "b": "c", "c": "b"}, True),
        ({"a": "", "b": "c", "c": "b"}, True),  # nothing reaches it
        ({"d": "", "c": "d", "b": "c", "a": "b"}, False),  # whatever the order
    ],
)
def test_has_cycle(jumps: dict[str, str], expected: bool) -> None:
    assert has_cycle({label: Block(label, (), tuple(to)) for label, to in jumps.items()}) is expected
