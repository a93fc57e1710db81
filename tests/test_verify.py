"""The whole flow from a file to a checked verdict."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cleave.engines.inline.merging import Merging
from cleave.errors import UsageError
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Unsafe, Verdict
from cleave.verify import Options, verify

LOOP = """\
procedure main() {
  var i: int;
  i := 0;
  while (i < 4) invariant i <= 4; { i := i + 1; }
  assert i == 4;
  assert i != 4;
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.bpl"


def verdict(file: Path, text: str, **options: object) -> Verdict:
    file.write_text(text)
    return verify(str(file), Options(**options)).verdict  # type: ignore[arg-type]


def test_safe_bounded_safe_and_unsafe(file: Path) -> None:
    good = LOOP.replace("assert i != 4;", "")
    assert isinstance(verdict(file, good, recursion_bounds=(9,)), Safe)
    assert isinstance(verdict(file, good), Safe)  # the default goes beyond its bound while that is cheap
    assert verdict(file, good, recursion_bounds=(3,)).word == "bounded-safe"
    found = verdict(file, LOOP, recursion_bounds=(5,))
    assert isinstance(found, Unsafe)
    assert found.trace.location is not None
    assert found.trace.location.line == 6
    assert "replayed" in found.validation


def test_the_bound_of_a_verdict_is_the_one_that_took_part(file: Path) -> None:
    found = verdict(file, LOOP, recursion_bounds=(1, 2, 3))
    assert isinstance(found, BoundedSafe)
    assert dict(found.bounds) == {"recursion": 3}


@pytest.mark.parametrize("merging", list(Merging))
def test_a_recursive_entry(file: Path, merging: Merging) -> None:
    text = "var g: int;\nprocedure main() modifies g; {{ g := g + 1; assert g != {}; if (g < 3) {{ call main(); }} }}"
    assert isinstance(verdict(file, text.format(2), merging=merging), Unsafe)
    free = "var g: int;\nprocedure main() requires g == 0; modifies g; { g := 1; call main(); assert false; }"
    assert isinstance(verdict(file, free.replace("requires g == 0;", ""), merging=merging), BoundedSafe)


def test_every_body_of_a_library_is_an_entry(file: Path) -> None:
    text = "procedure f(x: int) requires x > 0; { assert x > 0; }\nprocedure g(x: int) { assert x > 0; }"
    found = verdict(file, text)
    assert isinstance(found, Unsafe)
    assert found.trace.steps[0].procedure == "g"
    assert isinstance(verdict(file, text, entry="f"), Safe)


def test_a_result_that_goes_to_a_global_the_ensures_speaks_of(file: Path) -> None:
    text = (
        "var g: int;\nprocedure f() returns (r: int); modifies g; ensures g == 1 && r == 2;\n"
        "procedure main() modifies g; { call g := f(); assert g == %d; }"
    )
    assert isinstance(verdict(file, text % 2), Safe)
    assert isinstance(verdict(file, text % 1), Unsafe)


def test_the_end_is_reached_unless_a_precondition_fails_before(file: Path) -> None:
    text = (
        "var g: int;\nprocedure f(); requires g > 0;\n"
        "procedure {:entrypoint} main() { assume {:OldAssert} g %s 0; call f(); }"
    )
    assert isinstance(verdict(file, text % ">"), Unsafe)
    assert isinstance(verdict(file, text % "<"), Safe)


def test_an_entry_that_is_not_there(file: Path) -> None:
    with pytest.raises(UsageError, match="did you mean main"):
        verdict(file, LOOP, entry="mian")


def test_a_run_that_was_told_to_stop_is_unknown(file: Path) -> None:
    file.write_text("procedure main() { call f(); }\nprocedure f() { call f(); call f(); assert false; }")
    stop = threading.Event()
    stop.set()
    result = verify(str(file), Options(recursion_bounds=(400,)), stop=stop)
    assert isinstance(result.verdict, Unknown)
    assert result.verdict.reason is Reason.INTERRUPTED


def test_progress_is_reported(file: Path) -> None:
    file.write_text(LOOP)
    seen: list[int] = []
    verify(str(file), Options(recursion_bounds=(5,)), on_progress=lambda news: seen.append(news.get("instances", 0)))
    assert sorted(seen) == seen
    assert seen[-1] > 1
