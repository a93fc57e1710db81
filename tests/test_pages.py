"""README and guide: every command is run and prints what the page says; the prose is plain.

After a change that is meant, ``python tests/test_pages.py [PAGE ...]`` writes the outputs anew: read the difference.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest
from bench import python_page
from bench.prose import long_sentences, reading_ease

from cleave.cli.arguments import Extent
from cleave.cli.main import parser
from support.pages import Shell, fences, matches, rewritten

_ROOT = Path(__file__).parents[1]
_MADE = {"options.md", "python.md"}  # from tables and docstrings
PAGES = [_ROOT / "README.md", _ROOT / "examples" / "README.md", *sorted((_ROOT / "docs" / "guide").glob("*.md"))]
WRITTEN = [page for page in PAGES if page.name not in _MADE]


def name(page: Path) -> str:
    return str(page.relative_to(_ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for fence in fences(page.read_text("utf-8")):
        if fence.title:
            shell.write(fence.title, fence.text)
        if fence.language == "console":
            for command, expected in fence.commands:
                printed = shell.run(command)
                assert matches(expected, printed), f"$ {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_have_flags_that_exist(page: Path) -> None:
    """Those that are not run, too: for a cluster, say, or with the reader's own files."""
    for fence in fences(page.read_text("utf-8")):
        for line in fence.text.splitlines() if fence.language in ("sh", "console", "yaml", "") else ():
            found = re.match(r"(?:\$ |- run: |- )?cleave (.*)", line.strip())
            words = shlex.split(found[1], comments=True) if found else []
            if words and not words[0].startswith("-"):
                words = words[
                    : next((at for at, word in enumerate(words) if word in ("|", "||", "&&", ";", ">")), None)
                ]
                words = [word.rstrip(";") for word in words]
                parser(words[0], Extent.ALL).parse_args(words)


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_the_prose_is_plain(page: Path) -> None:
    text = page.read_text("utf-8")
    assert long_sentences(text, most=35) == []
    assert reading_ease(text) > 50, f"reading ease {reading_ease(text):.0f}"


def test_every_page_of_the_guide_is_in_its_index() -> None:
    index = (_ROOT / "docs" / "guide" / "README.md").read_text("utf-8")
    for page in PAGES[2:]:
        assert page.name == "README.md" or f"({page.name})" in index


def test_the_python_page_is_made_from_docstrings_and_its_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    file = _ROOT / "docs" / "guide" / "python.md"
    assert file.read_text("utf-8") == python_page.page(), "make docs"
    monkeypatch.chdir(_ROOT)
    found = doctest.testfile(str(file), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


def test_a_page_that_shows_something_else_is_noticed() -> None:
    assert matches("safe\n...\nend\n", "safe\na\nb\nend\n")
    assert matches("safe\n...\n", "safe\n")
    assert matches("  1.5 s; 3 checks", "  0.2 s; 4 checks")
    assert not matches("safe\n...\nend\n", "safe\nb\n")
    assert not matches("safe\n", "unsafe\n")


if __name__ == "__main__":
    for page in [Path(word).resolve() for word in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rewritten(page.read_text("utf-8"), Shell(Path(folder))), "utf-8")
