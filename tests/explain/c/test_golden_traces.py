"""What a C programmer reads of a violation: a line for each line of the source that ran.

A case in ``golden/`` is arguments, a program, and the output after them, separated by lines of three dashes. After a
change that is meant, ``python tests/explain/c/test_golden_traces.py`` writes the outputs anew: read the difference.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from cleave.cli.main import main

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(GOLDEN.glob("*.txt"))
SEPARATOR = "---\n"
LONGEST = 45  # lines: what fits on a screen


def told(arguments: str, program: str, folder: Path) -> str:
    file = folder / "a.c"
    file.write_text(program)
    out = io.StringIO()
    with redirect_stdout(out):
        main(["verify", str(file), "--quiet", "--journal", str(folder), "--deterministic", *arguments.split()])
    kept = [line for line in out.getvalue().splitlines() if not line.startswith(("  checked:", "  note:"))]
    return "\n".join(kept).replace(f"{folder}/", "") + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_what_is_told(case: Path, tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    arguments, program, expected = case.read_text().split(SEPARATOR)
    found = told(arguments, program, tmp_path)
    assert found == expected
    assert len(found.splitlines()) <= LONGEST


def rewrite() -> None:
    import tempfile

    for case in CASES:
        arguments, program, *_ = case.read_text().split(SEPARATOR)
        with tempfile.TemporaryDirectory() as folder:
            case.write_text(SEPARATOR.join((arguments, program, told(arguments, program, Path(folder)))))


if __name__ == "__main__":
    rewrite()
