"""A proof says so if no execution that it is about reaches a check."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import InlineOptions, Options, verify
from cleave.cli.main import main
from cleave.frontends.c.options import COptions

pytest.importorskip("ziglang", reason="the extra 'c' is not installed")

HEAD = "#include <assert.h>\nextern int nondet_int(void); void reach_error(void);\n"
LOOP = "int main(void) { int i; for (i = 0; i < 50; i++) nondet_int(); assert(i == 50); }"
PROGRAMS = {
    "behind the bound": (LOOP, "bounded-safe", False),
    "inside the bound": (
        "int main(void) { unsigned n = 0; while (nondet_int()) assert(n++ < 9); }",
        "bounded-safe",
        True,
    ),
    "never": ("int main(void) { int x = nondet_int(); if (x > 5 && x < 3) assert(x == 0); }", "safe", False),
    "usually": ("int main(void) { int x = nondet_int(); assert(x * 0 == 0); }", "safe", True),
    "for one input": ("int main(void) { unsigned x = nondet_int(); if (x == 123456789) assert(x); }", "safe", True),
    "error function": ("int main(void) { int x = nondet_int(); if (x > 5 && x < 3) reach_error(); }", "safe", True),
    "error function below": (
        "void fail(void) { reach_error(); } int main(void) { int x = nondet_int(); if (x > 5 && x < 3) fail(); }",
        "safe",
        True,
    ),
    "nothing to check": ("int main(void) { return 0; }", "safe", None),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_reached(name: str, tmp_path: Path) -> None:
    text, expected, reached = PROGRAMS[name]
    file = tmp_path / "x.c"
    file.write_text(HEAD + text)
    own = (InlineOptions(bounds=(4,)),)
    c = COptions(checks=("assertions",))
    found = verify(str(file), Options(engine="inline", engines=own, c=c, timelimit=60, workers=1, journal=None))
    assert (found.verdict.word, found.reached) == (expected, reached)


def test_the_result_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.c"
    file.write_text(HEAD + LOOP)
    flags = ["--engine", "inline", "--recursion-bound", "3", "--check", "assertions", "--journal", "none", "--quiet"]
    assert main(["verify", str(file), *flags]) == 0
    assert "no execution within the bound reaches a check: nothing was checked" in capsys.readouterr().out


def test_a_check_that_is_decided_while_reading_was_checked(tmp_path: Path) -> None:
    file = tmp_path / "half.c"
    file.write_text("int main(int argc, char **argv) { return argc / 2; }")
    result = verify(str(file), Options(workers=1, journal=None, c=COptions(checks=("division",))))
    assert result.verdict.word == "safe"
    assert result.checked == {"division": 1}
    assert result.reached is None
