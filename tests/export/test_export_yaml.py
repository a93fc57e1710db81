"""What is printed as YAML is read as it was meant."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from cleave.export.yaml import print_yaml

_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.integers() | _WORDS | st.sampled_from(["true", "2026-11-16", "1e5", "- a", "a: b", "\\result == 1", "~", "'"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=50, deadline=None)
@given(_VALUES)
def test_it_is_read_back(value: Any) -> None:
    assert yaml.safe_load(print_yaml(value)) == value


def test_it_is_in_block_style() -> None:
    assert print_yaml([{"task": {"line": 1}, "input_files": []}]) == "- task:\n    line: 1\n  input_files: []\n"
