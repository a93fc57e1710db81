"""What simulators of hardware replay: the states at the start, and the inputs of each step."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.cli.main import main

# sum := sum + in, if enabled; `any` has no next value. Bad: sum is 9 and any is 3.
ADDER = """\
1 sort bitvec 4
2 sort bitvec 1
3 zero 1
4 state 1 sum
5 init 1 4 3
6 state 1 any
7 input 1 in
8 input 2 enabled
9 add 1 4 7
10 ite 1 8 9 4
11 next 1 4 10
12 constd 1 9
13 constd 1 3
14 eq 2 4 12
15 eq 2 6 13
16 and 2 14 15
17 constd 1 4
18 ulte 2 7 17
19 constraint 18
20 bad 16
"""
# A latch that keeps the conjunction of two inputs, and one that starts with any value.
LATCHES = "aag 6 2 2 0 2 1\n2\n4\n6 10\n8 8 8\n12\n10 2 4\n12 6 8\ni0 first\ni1 second\n"


# A memory of bytes, written at `at`. Bad: what is at 2 is 7, and what is at 3 is not what is at 1.
MEMORY = """\
1 sort bitvec 2
2 sort bitvec 8
3 sort array 1 2
4 sort bitvec 1
5 zero 2
6 state 3 memory
7 input 1 at
8 input 2 byte
9 write 3 6 7 8
10 next 3 6 9
11 constd 1 1
12 constd 1 2
13 constd 1 3
14 read 2 6 11
15 read 2 6 12
16 read 2 6 13
17 constd 2 7
18 eq 4 15 17
19 neq 4 14 16
20 and 4 18 19
21 bad 20
"""


def _stimulus(folder: Path, name: str, text: str) -> list[str]:
    (folder / name).write_text(text)
    flags = ["--workers=1", "--quiet", "--journal=none", "--stimulus", str(folder / "s")]
    assert main(["verify", str(folder / name), *flags]) == 10
    return (folder / "s").read_text().splitlines()


def test_a_btor2_witness_leads_to_the_bad_state(tmp_path: Path) -> None:
    lines = _stimulus(tmp_path, "m.btor2", ADDER)
    assert lines[:3] == ["sat", "b0", "#0"]
    assert lines[-1] == "."
    total, free, frame, kind = 0, 0, -1, ""
    inputs: dict[int, list[int]] = {}
    for line in lines[2:-1]:
        if line[0] in "#@":
            kind, frame = line[0], int(line[1:])
            continue
        number, bits, name = line.split()
        assert name.endswith(f"{kind}{frame}")
        if kind == "@":
            inputs.setdefault(frame, [0, 0])[int(number)] = int(bits, 2)
        elif number == "0":
            assert (frame, bits) == (0, "0000")
        else:
            assert len(bits) == 4
            free = int(bits, 2)
    assert all(added <= 4 for added, _ in inputs.values())
    for step in range(frame):
        added, enabled = inputs[step]
        total = (total + added) % 16 if enabled else total
    assert (total, free) == (9, 3)
    assert frame >= 3  # at most 4 is added in a step


def test_an_array_is_told_by_its_elements(tmp_path: Path) -> None:
    lines = _stimulus(tmp_path, "m.btor2", MEMORY)
    memory, given = [0] * 4, dict[str, int]()
    for line in lines:
        parts = line.split()
        if line.endswith("memory#0"):
            places = range(4) if parts[1] == "[*]" else [int(parts[1].strip("[]"), 2)]
            for place in places:
                memory[place] = int(parts[2], 2)
        elif "@" in line[1:]:
            given[parts[2].partition("@")[0]] = int(parts[1], 2)
            if "byte" in line and f"@{lines[-1]}" != line:
                before, memory = memory, [*memory]
                memory[given["at"]] = given["byte"]
    assert lines[2] == "#0"
    assert before[2] == 7  # the last inputs come after the bad state
    assert before[1] != before[3]


def test_an_aiger_stimulus_sets_latches_and_inputs(tmp_path: Path) -> None:
    assert _stimulus(tmp_path, "m.aag", LATCHES)[:4] == ["1", "b0", "01", "11"]


def test_other_languages_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p.bpl"
    file.write_text("procedure main() { assert false; }")
    assert main(["verify", str(file), "--stimulus", str(tmp_path / "s"), "--journal=none"]) == 1
    assert "--stimulus is for hardware models in BTOR2 and AIGER" in capsys.readouterr().err
