"""The engine bmc through its public seam: verdicts, bounds of loops, and what holds a proof back."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave import BmcOptions, BoundedSafe, Options, Safe, Unsafe, UsageError, verify
from cleave.engines.bmc.levels import first_bounds, next_bounds, told
from cleave.engines.unfolding.options import read_unwind
from cleave.ir.loops import LoopBounds, named_loops
from cleave.ir.reader import read_program
from cleave.verdict import Result

EMBEDDED = Path(__file__).parents[3] / "bench" / "small" / "embedded"

COUNTING = """
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, k = 0;
  __VERIFIER_assume(n <= %s);
  for (i = 0; i < n; i++)
    k += 2;
  while (k > 0)
    k -= 2;
  if (i == %s) reach_error();
  return 0;
}
"""


def searched(file: Path, **options: object) -> Result:
    return verify(str(file), Options(engine="bmc", workers=1, engines=(BmcOptions(**options),)))  # type: ignore[arg-type]


@pytest.fixture
def counting(tmp_path: Path) -> Path:
    file = tmp_path / "counting.c"
    file.write_text(COUNTING % ("5", "6"))
    return file


def test_bounds_grow_until_no_execution_goes_beyond_them(counting: Path) -> None:
    result = searched(counting)
    assert isinstance(result.verdict, Safe)
    assert "another unfolding" in result.verdict.validation
    assert result.statistics["levels"] > 1


def test_a_violation_beyond_the_first_bounds_is_found_and_replayed(tmp_path: Path) -> None:
    file = tmp_path / "counting.c"
    file.write_text(COUNTING % ("9", "7"))
    result = searched(file)
    assert isinstance(result.verdict, Unsafe)
    assert "replayed" in result.verdict.validation


def test_the_loop_that_holds_a_proof_back_is_named(counting: Path) -> None:
    result = searched(counting, unwind=3)
    assert isinstance(result.verdict, BoundedSafe)
    assert dict(result.verdict.bounds) == {"unwind": 3}
    assert any("main.0 at" in note and "counting.c:8" in note for note in result.assumptions)


def test_each_loop_can_have_a_bound_of_its_own(counting: Path) -> None:
    result = searched(counting, unwind=("2", "main.0:6"))
    assert isinstance(result.verdict, BoundedSafe)
    assert dict(result.verdict.bounds) == {"unwind": 2}
    assert any("main.1 at" in note for note in result.assumptions)
    assert isinstance(searched(counting, unwind=("2", "main.0:6", "counting.c:10:6")).verdict, Safe)


def test_a_loop_that_is_not_there_is_an_error_that_names_those_there_are(counting: Path) -> None:
    with pytest.raises(UsageError, match=r"no loop 'main.7'; there are main.0 at .*counting.c:8, main.1 at"):
        searched(counting, unwind=("main.7:3",))


@pytest.mark.parametrize("text", ["0:main", "main.0:", "x:0", "8,,9"])
def test_bounds_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="LOOP:NUMBER"):
        read_unwind(text)


def test_only_bounds_that_took_part_grow() -> None:
    most = LoopBounds(10, {"main.1": 3})
    bounds = first_bounds(most)
    assert (bounds.of("main.0"), bounds.of("main.1")) == (2, 3)
    grown = next_bounds(bounds, most, {"main.0", "main.1"})
    assert grown is not None
    assert (grown.of("main.0"), grown.of("main.1"), grown.of("main.2")) == (3, 3, 2)
    assert next_bounds(grown, most, {"main.1"}) is None
    assert told(grown, {"main.0"}) == LoopBounds(3)
    assert told(LoopBounds(2, {"main.0": 9}), {"main.0", "main.2"}) == LoopBounds(2, {"main.0": 9})


def test_loops_are_numbered_in_the_order_of_their_heads() -> None:
    program = read_program("""
proc main() -> () {
  a:
    goto b
  b:
    goto c, d
  c:
    goto c, b
  d:
    goto d, e
  e:
    return
}
""")
    assert [(loop.name, loop.head) for loop in named_loops(program)] == [
        ("main.0", "b"),
        ("main.1", "c"),
        ("main.2", "d"),
    ]


BITS = """
procedure main() {
  var x: bv8, y: bv8;
  y := 0bv8;
  while (bvult(x, 200bv8)) { x := bvadd(x, 50bv8); y := bvadd(y, 1bv8); }
  assert bvult(y, %s);
}
function {:bvbuiltin "bvadd"} bvadd(a: bv8, b: bv8) returns (bv8);
function {:bvbuiltin "bvult"} bvult(a: bv8, b: bv8) returns (bool);
"""


@pytest.mark.parametrize(("most", "expected"), [("5bv8", Safe), ("4bv8", Unsafe)])
def test_boogie_with_bit_vectors(tmp_path: Path, most: str, expected: type) -> None:
    file = tmp_path / "bits.bpl"
    file.write_text(BITS % most)
    assert isinstance(searched(file).verdict, expected)


@pytest.mark.parametrize("name", ["base64", "crc16", "varint", "insertion_sort_bug", "ring_buffer_bug", "pid_bug"])
def test_embedded_programs(name: str) -> None:
    expected = dict(line.split("\t")[:2] for line in (EMBEDDED / "tasks.tsv").read_text().splitlines()[1:])
    assert searched(EMBEDDED / f"{name}.c").verdict.word == expected[f"{name}.c"]
