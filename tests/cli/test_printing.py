"""What comes from programs and file names does nothing to a terminal, and nothing to the compiler's command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleave.cli.main import main

PROGRAM = 'procedure main() { var x: int; assert {:msg "hello \x1b[2J\u202e"} x == 0; }'


def test_escapes_are_written_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "p\x1b[31m.bpl"
    file.write_text(PROGRAM, encoding="utf-8")
    assert main(["verify", str(file), "--engine=inline", "--workers=1", "--quiet"]) == 10
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "p\\x1b[31m.bpl" in told
    main(["show", "latest"])
    assert "\x1b" not in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "\x1b.bpl")]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [("show", "{}"), ("verify", "{}"), ("verify", "p.bpl", "--entry", "{}")])
def test_a_message_is_short_whatever_it_repeats(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.bpl").write_text(PROGRAM)
    assert main([word.format("a" * 50_000) for word in words]) in (1, 2)
    assert 0 < len(capsys.readouterr().err) < 1_500


def test_what_is_nested_too_deeply_for_a_part_is_the_input_s_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def deep(*_: object) -> int:
        raise RecursionError

    monkeypatch.setattr("cleave.cli.runs.run", deep)
    assert main(["runs"]) == 2
    assert capsys.readouterr().err == "cleave: the input is nested too deeply for a part of Cleave\n"


def test_a_folder_is_never_a_file_of_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ziglang", reason="the extra 'c' is not installed")
    (tmp_path / "@evil").mkdir()
    program = "void reach_error(void);\nint main(void) { if (FAILS) reach_error(); return 0; }\n"
    (tmp_path / "@evil" / "p.c").write_text(f"#ifndef FAILS\n#define FAILS 1\n#endif\n{program}")
    (tmp_path / "evil").write_text("-DFAILS=0")
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "@evil/p.c", "-I", "@evil", "--engine=inline", "--workers=1", "--quiet"]) == 10
    assert "unsafe" in capsys.readouterr().out
