"""The examples do what their first lines say."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import COptions, Options, verify
from cleave.engines.threads.options import ThreadsOptions
from cleave.verdict import BoundedSafe, Safe, Unsafe

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

EXAMPLE = Path(__file__).parents[3] / "examples" / "ring_buffer.c"


def test_a_fifth_byte_overwrites_the_first() -> None:
    found = verify(str(EXAMPLE), Options(timelimit=100)).verdict
    assert isinstance(found, Unsafe)
    assert "take() == first" in found.trace.violated
    lines = {step.location.line for step in found.trace.steps if step.location is not None}
    source = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert any("slots[arrived % SLOTS] = byte;" in source[line - 1] for line in lines)


def test_the_cast_repairs_it(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    repaired = text.replace("return arrived - taken;", "return (unsigned char)(arrived - taken);")
    assert repaired != text
    file = tmp_path / "ring_buffer.c"
    file.write_text(repaired, encoding="utf-8")
    assert isinstance(verify(str(file), Options(timelimit=100)).verdict, Safe)


BUFFER = EXAMPLE.with_name("bounded_buffer.c")


def test_a_producer_overwrites_what_another_has_put() -> None:
    found = verify(str(BUFFER), Options(timelimit=100, engines=(ThreadsOptions(contexts=(6,)),))).verdict
    assert isinstance(found, Unsafe)
    assert "!full" in found.trace.violated
    assert {step.thread for step in found.trace.steps} == {0, 1, 2}


def test_looking_again_repairs_it(tmp_path: Path) -> None:
    text = BUFFER.read_text(encoding="utf-8")
    repaired = text.replace("if (full)", "while (full)")
    assert repaired != text
    file = tmp_path / "bounded_buffer.c"
    file.write_text(repaired, encoding="utf-8")
    # Within few contexts, so that the test takes little time.
    verdict = verify(str(file), Options(timelimit=100, engines=(ThreadsOptions(contexts=(4,)),))).verdict
    assert isinstance(verdict, BoundedSafe)


def test_a_midpoint_that_overflows_and_one_that_does_not() -> None:
    file = str(EXAMPLE.with_name("midpoint.c"))
    found = verify(file, Options(timelimit=100)).verdict
    assert isinstance(found, Unsafe)
    assert found.trace.check is not None
    assert found.trace.check.property == "signed-overflow"
    fixed = Options(engine="inline", timelimit=100, c=COptions(defines=("FIXED",)))
    assert isinstance(verify(file, fixed).verdict, Safe)
