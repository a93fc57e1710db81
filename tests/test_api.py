"""The whole of Cleave from a file to a checked verdict, by its Python calls."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from cleave import Options, resume, verify
from cleave.api import Progress
from cleave.engines.inline.merging import Merging
from cleave.engines.inline.options import InlineOptions
from cleave.errors import InputError, UsageError
from cleave.journal.journal import Journal
from cleave.journal.places import find_run
from cleave.run.recorded import plan_of
from cleave.verdict import BoundedSafe, Reason, Safe, Unknown, Unsafe, Verdict

LOOP = """\
procedure main() {
  var i: int;
  i := 0;
  while (i < 4) invariant i <= 4; { i := i + 1; }
  assert i == 4;
  assert i != 4;
}
"""
GROWS = "procedure main() { call f(); }\nprocedure f() { call f(); call f(); assert false; }"
FOR_EVER = """\
procedure main() {
  var x, y: int;
  x, y := 0, 0;
  while (*) { x, y := x + 1, y + 2; }
  assert y == 2 * x;
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "program.bpl"


def inline(bounds: tuple[int, ...] | None = None, merging: Merging | None = None, **options: object) -> Options:
    own = InlineOptions(bounds=bounds) if merging is None else InlineOptions(bounds=bounds, merging=merging)
    return Options(engine="inline", engines=(own,), **{"workers": 1, **options})  # type: ignore[arg-type]


def verdict(file: Path, text: str, options: Options) -> Verdict:
    file.write_text(text)
    return verify(str(file), options).verdict


def test_safe_bounded_safe_and_unsafe(file: Path) -> None:
    good = LOOP.replace("assert i != 4;", "")
    assert isinstance(verdict(file, good, inline((9,))), Safe)
    assert isinstance(verdict(file, good, inline()), Safe)  # the default goes beyond its bound while that is cheap
    assert verdict(file, good, inline((3,))).word == "bounded-safe"
    found = verdict(file, LOOP, inline((5,)))
    assert isinstance(found, Unsafe)
    assert found.trace.location is not None
    assert found.trace.location.line == 6
    assert "replayed" in found.validation


def test_the_bound_of_a_verdict_is_the_one_that_took_part(file: Path) -> None:
    found = verdict(file, LOOP, inline((1, 2, 3)))
    assert isinstance(found, BoundedSafe)
    assert dict(found.bounds) == {"recursion": 3}


@pytest.mark.parametrize("merging", list(Merging))
def test_a_recursive_entry(file: Path, merging: Merging) -> None:
    text = "var g: int;\nprocedure main() modifies g; {{ g := g + 1; assert g != {}; if (g < 3) {{ call main(); }} }}"
    assert isinstance(verdict(file, text.format(2), inline((4,), merging)), Unsafe)
    free = "var g: int;\nprocedure main() modifies g; { g := 1; call main(); assert false; }"
    assert isinstance(verdict(file, free, inline((4,), merging)), BoundedSafe)


@pytest.mark.parametrize("options", [Options(), Options(workers=1), inline()], ids=["plan", "in turn", "inline"])
def test_every_body_of_a_library_is_an_entry(file: Path, options: Options) -> None:
    text = "procedure f(x: int) requires x > 0; { assert x > 0; }\nprocedure g(x: int) { assert x > 0; }"
    found = verdict(file, text, options)
    assert isinstance(found, Unsafe)
    assert found.trace.steps[0].procedure == "g"


def test_one_of_several_entries(file: Path) -> None:
    text = "procedure f(x: int) requires x > 0; { assert x > 0; }\nprocedure g(x: int) { assert x > 0; }"
    assert isinstance(verdict(file, text, Options(entry="f")), Safe)


def test_a_result_that_goes_to_a_global_the_ensures_speaks_of(file: Path) -> None:
    text = (
        "var g: int;\nprocedure f() returns (r: int); modifies g; ensures g == 1 && r == 2;\n"
        "procedure main() modifies g; { call g := f(); assert g == %d; }"
    )
    assert isinstance(verdict(file, text % 2, Options()), Safe)
    assert isinstance(verdict(file, text % 1, Options()), Unsafe)


def test_the_end_is_reached_unless_a_precondition_fails_before(file: Path) -> None:
    text = (
        "var g: int;\nprocedure f(); requires g > 0;\n"
        "procedure {:entrypoint} main() { assume {:OldAssert} g %s 0; call f(); }"
    )
    assert isinstance(verdict(file, text % ">", Options()), Unsafe)
    assert isinstance(verdict(file, text % "<", Options()), Safe)


@pytest.mark.parametrize("options", [Options(entry="mian"), inline(entry="mian")], ids=["plan", "inline"])
def test_an_entry_that_is_not_there(file: Path, options: Options) -> None:
    with pytest.raises(UsageError, match="did you mean main"):
        verdict(file, LOOP, options)


# --- a plan of several engines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_no_bound_proves_another_engine_does(file: Path, workers: int) -> None:
    assert isinstance(verdict(file, FOR_EVER, inline((5,))), BoundedSafe)
    result = verify(str(file), Options(workers=workers))
    assert isinstance(result.verdict, Safe), result.verdict
    assert result.engine in ("inline", "pdr", "cegar")
    assert "safe" in [stage.verdict for stage in result.stages if stage.engine == result.engine]
    assert result.stages[0].verdict == "bounded-safe"


@pytest.mark.parametrize("workers", [1, 2])
def test_all_evidence_of_a_plan_is_that_of_the_stage_that_decides(file: Path, workers: int) -> None:
    wrong = FOR_EVER.replace("y == 2 * x", "x != 37")
    found = verdict(file, wrong, Options(workers=workers))
    assert isinstance(found, Unsafe)
    assert "replayed" in found.validation
    assert found.trace.steps[-1].kind == "violation"


HARD = """\
procedure main() {
  var a, b, c: int;
  assume a > 1 && b > 1 && c > 1 && a < 100000000 && b < 100000000;
  assert a * a * a + b * b * b != c * c * c + 3 * a * b * c + 1;
}
"""


def test_a_question_that_no_solver_answers_leaves_time_for_other_engines(file: Path) -> None:
    """The first stage is one question to the solver: no cost is told before it ends."""
    file.write_text(HARD)
    result = verify(str(file), Options(timelimit=6, workers=1))
    assert isinstance(result.verdict, Unknown)
    assert result.verdict.reason is Reason.TIMEOUT
    assert {"inline", "pdr"} <= {stage.engine for stage in result.stages}
    assert result.stages[0].seconds < 4


def test_a_limit_of_the_whole_run_leaves_what_was_proved(file: Path) -> None:
    hard = FOR_EVER.replace("y + 2; }", "y + 2 * x + 1; }").replace("y == 2 * x", "y != x * x + 7 * x + 3")
    file.write_text(hard)
    result = verify(str(file), Options(timelimit=4, workers=2))
    assert result.seconds < 12
    assert not isinstance(result.verdict, Unsafe)


# --- stop, progress, journals ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [inline((400,)), Options(workers=2)], ids=["inline", "plan"])
def test_a_run_that_was_told_to_stop_is_unknown(file: Path, options: Options) -> None:
    file.write_text(GROWS)
    stop = threading.Event()
    stop.set()
    result = verify(str(file), options, stop=stop)
    assert isinstance(result.verdict, Unknown)
    assert result.verdict.reason is Reason.INTERRUPTED


def test_progress_is_reported(file: Path) -> None:
    file.write_text(LOOP)
    seen: list[Progress] = []
    result = verify(str(file), inline((5,)), on_progress=seen.append)
    instances = [news.counters.get("instances", 0) for news in seen]
    assert sorted(instances) == instances
    assert instances[-1] > 1
    assert {news.run for news in seen} == {result.run}
    assert {news.stage.engine for news in seen} == {"inline"}


def test_every_run_has_a_journal_unless_nobody_wants_one(file: Path, tmp_path: Path) -> None:
    file.write_text(LOOP)
    folder = tmp_path / "runs"
    result = verify(str(file), inline((5,), journal=folder))
    assert result.run is not None
    with Journal.open(find_run(folder, result.run)) as journal:
        plan, input, _ = plan_of(journal)
        assert input.source == LOOP.encode()
        assert [row.number for row in journal.stages()] == [stage.number for stage in plan.stages]
        assert journal.result is not None
        assert journal.result["verdict"] == "unsafe"
    assert verify(str(file), inline((5,), journal=None)).run is None
    assert len(list(folder.glob("*.journal"))) == 1


def test_a_run_that_is_finished_tells_its_result_again_without_its_file(file: Path, tmp_path: Path) -> None:
    file.write_text(LOOP)
    first = verify(str(file), Options(workers=2, journal=tmp_path / "runs"))
    assert first.run is not None
    file.unlink()
    again = resume(find_run(tmp_path / "runs", first.run))
    assert again.verdict == first.verdict
    assert (again.engine, again.statistics) == (first.engine, first.statistics)


def test_an_error_is_what_a_run_ends_with(file: Path, tmp_path: Path) -> None:
    file.write_text(LOOP)
    with pytest.raises(UsageError):
        verify(str(file), inline(entry="mian", journal=tmp_path))
    (path,) = tmp_path.glob("*.journal")
    with Journal.open(path) as journal:
        assert journal.result is not None
        assert "did you mean main" in journal.result["error"]


def test_what_is_no_program_is_an_error_with_its_place(file: Path) -> None:
    file.write_text("procedure main( {")
    with pytest.raises(InputError) as raised:
        verify(str(file), Options(workers=2))
    assert (raised.value.file, raised.value.line) == (str(file), 1)
