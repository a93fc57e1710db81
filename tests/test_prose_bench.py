"""The script that says how hard a page is to read: it finds what is hard, and only that."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from bench import prose

PLAIN = "# A title\n\nThe tool reads a file. It prints one verdict. You can trust what it says.\n"
HARD = (
    "Notwithstanding considerable methodological heterogeneity, comprehensive interpretability necessitates"
    " institutional accountability.\n"
)
LONG = f"It is {'very ' * 35}long.\n"


def carried_out(tmp_path: Path, text: str) -> int:
    page = tmp_path / "page.md"
    page.write_text(text)
    parser = argparse.ArgumentParser()
    prose.add_arguments(parser)
    return prose.main(parser.parse_args([str(page)]))


@pytest.mark.parametrize(("text", "code"), [(PLAIN, 0), (HARD, 1), (LONG, 1), (PLAIN + "\n" + LONG, 1)])
def test_the_exit_code_says_whether_a_page_is_plain(tmp_path: Path, text: str, code: int) -> None:
    assert carried_out(tmp_path, text) == code


def test_a_page_that_is_hard_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    carried_out(tmp_path, HARD)
    assert "too hard" in capsys.readouterr().out


def test_a_long_sentence_is_found_in_a_list_a_quotation_and_over_lines() -> None:
    words = "word " * 36
    for text in (f"- {words}.", f'He said: "{words}."', words.replace(" word word ", "\nword word ", 3) + "."):
        assert len(prose.long_sentences(text, most=35)) == 1


@pytest.mark.parametrize(
    "left_out",
    [
        "```\n" + "word " * 40 + "\n```\n",
        "| " + "word " * 40 + " |\n",
        "# " + "word " * 40 + "\n",
        "`" + "word " * 40 + "`\n",
    ],
    ids=["code", "table", "heading", "code in a line"],
)
def test_what_is_no_prose_does_not_count(left_out: str) -> None:
    assert prose.long_sentences(f"It ends here.\n\n{left_out}\nIt goes on.", most=35) == []


def test_a_full_stop_ends_a_sentence_and_a_colon_does_not() -> None:
    text = "It has one.  It has e.g. two: `cleave`. `cleave` has three."
    assert [len(sentence) for sentence in prose.sentences(text)] == [3, 5, 3]


def test_syllables_are_about_right() -> None:
    assert [prose.syllables(word) for word in ("proof", "verdict", "execution", "table", "used", "C")] == [
        1,
        2,
        4,
        2,
        1,
        1,
    ]
