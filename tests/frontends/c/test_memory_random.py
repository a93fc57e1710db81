"""Random programs about memory: the verdict is what AddressSanitizer says of all their executions.

`bench/memory_campaign.py` does that for as many as wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import InlineOptions, Options, verify
from cleave.frontends.c.options import COptions
from cleave.verdict import Safe, Unsafe
from support.c_programs import addresses_checked, compiler
from support.random_c_memory import INPUTS, random_memory_program

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")


@pytest.mark.skipif(compiler() is None, reason="no compiler with AddressSanitizer")
@pytest.mark.parametrize("seed", [2, 3, 39, 40, 41, 44])
def test_verdicts_agree_with_executions(seed: int, tmp_path: Path) -> None:
    text = random_memory_program(seed)
    file = tmp_path / "random.c"
    file.write_text(text)
    options = Options(
        engine="inline", c=COptions(checks=("memory",)), engines=(InlineOptions(bounds=(14,)),), timelimit=60, workers=1
    )
    found = verify(str(file), options).verdict
    failed = addresses_checked(text, INPUTS, tmp_path)
    assert isinstance(found, Unsafe if failed else Safe), f"{found}, but {failed} fail"
