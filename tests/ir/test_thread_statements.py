"""Thread statements as text, well-formed or not; and who refuses them."""

from __future__ import annotations

import pytest

from cleave.errors import InputError, InternalError, UnsupportedError
from cleave.frontends.read import read_program as read_file
from cleave.ir.check import check_program
from cleave.ir.program import AtomicBegin, AtomicEnd, Join, Self, Spawn, first_thread_statement
from cleave.ir.reader import read_program
from cleave.ir.text import print_program
from cleave.passes.prepare import prepare

TEXT = """var m: (_ BitVec 8)
proc main() -> () {
  local t: (_ BitVec 8)
  local n: Int
  start:
    spawn work(3) -> (t) @ a.c:4:5
    spawn work(n) -> ()
    join t
    self n
    atomic begin
    assume (= m #b00000000)
    m := t
    atomic end
    return
}
proc work(k: Int) -> () {
  b:
    return
}
"""


def test_text_and_back() -> None:
    program = read_program(TEXT)
    check_program(program)
    assert print_program(program, locations=True) == TEXT
    kinds = [type(statement) for statement in program.procedures["main"].statements()]
    assert kinds[:5] == [Spawn, Spawn, Join, Self, AtomicBegin]
    assert kinds[-1] is AtomicEnd


def body(*statements: str) -> str:
    lines = "\n".join(f"    {statement}" for statement in statements)
    start, end = TEXT.index("    spawn"), TEXT.index("    return")
    return f"{TEXT[:start]}{lines}\n{TEXT[end:]}"


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (("spawn nobody() -> ()",), "does not exist"),
        (("spawn work() -> ()",), "0 values for 1 targets"),
        (("spawn work(t) -> ()",), "has sort Int but gets"),
        (("join (= n 1)",), "numbers a thread"),
        (("atomic begin",), "returns inside an atomic block"),
        (("atomic end",), "not open"),
        (("self m", "spawn work(1) -> (t)", "atomic begin", "atomic begin", "atomic end"), "returns inside"),
    ],
)
def test_what_is_ill_formed(statements: tuple[str, ...], why: str) -> None:
    with pytest.raises(InternalError, match=why):
        check_program(read_program(body(*statements)))
    with pytest.raises(InputError, match=why):
        read_file("threads.ir", body(*statements).encode())


def test_a_spawn_has_one_result() -> None:
    with pytest.raises(InputError, match="one result or none"):
        read_program(body("spawn work(1) -> (t, n)"))


def test_sequential_passes_refuse_threads() -> None:
    program = read_program(TEXT)
    assert first_thread_statement(program) is not None
    with pytest.raises(UnsupportedError, match=r"a\.c:4:5.*main starts or orders threads"):
        prepare(program, ("main",))
