"""Violation witnesses that machine code carries out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from bench.executed import executed, values_of

_PROGRAM = """\
extern unsigned char __VERIFIER_nondet_uchar(void);
extern double __VERIFIER_nondet_double(void);
void reach_error() { }
int main(void) {
  unsigned char a = __VERIFIER_nondet_uchar();
  double b = __VERIFIER_nondet_double();
  if (a == 200 && b < -1.4) reach_error();
  return 0;
}
"""


def _witness(*values: str) -> list[object]:
    points = [
        {"waypoint": {"type": "function_return", "constraint": {"value": f"\\\\result == {value}"}}} for value in values
    ]
    segments = [{"segment": [point]} for point in [*points, {"waypoint": {"type": "target"}}]]
    return [{"metadata": {"task": {"data_model": "LP64"}}, "content": segments}]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_values_lead_to_the_error_or_not(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(_PROGRAM)
    assert values_of(_witness("200U", "-1.5")) == ["200U", "-1.5"]
    assert executed(program, _witness("200U", "-1.5"), tmp_path) == "reached"
    assert executed(program, _witness("199U", "-1.5"), tmp_path) == "not reached"
    program.write_text("int main(void) { return gone(); }\n")
    assert executed(program, _witness(), tmp_path) == "not compiled"
