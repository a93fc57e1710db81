"""README and guide: every command is run and prints what the page says; the prose is plain.

After a change that is meant, ``python tests/test_pages.py [PAGE ...]`` writes the outputs anew: read the difference.
"""

from __future__ import annotations

import ast
import doctest
import json
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
import yaml
from bench import commands_page, python_page
from bench.prose import long_sentences, reading_ease

from cleave.batch.project import project_tasks
from cleave.cli.arguments import Extent
from cleave.cli.main import main, parser
from cleave.engines.registry import engines
from cleave.version import __version__
from support.pages import Shell, fences, matches, rewritten

_ROOT = Path(__file__).parents[1]
_MADE = {"commands.md", "options.md", "python.md"}  # from tables and docstrings
PAGES = [_ROOT / "README.md", _ROOT / "examples" / "README.md", *sorted((_ROOT / "docs" / "guide").glob("*.md"))]
FOR_BUILDERS = [
    *(_ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md")),
    *sorted(path for folder in ("design", "decisions", "lab") for path in (_ROOT / "docs" / folder).glob("*.md")),
]
WRITTEN = [page for page in PAGES if page.name not in _MADE]


def name(page: Path) -> str:
    return str(page.relative_to(_ROOT))


_ENDS_WELL = (0, 4, 5, 10)
_NOT_RUN_HERE = (
    r"export PATH=",
    r"make ",  # the first two commands: see test_the_first_commands_are_those_of_the_makefile
    r"pip install ",  # see test_extras_that_pages_install_exist
    r".*HOST|ray start ",  # a cluster of several machines: tests/runtime/test_ray.py has one of several nodes
    r"benchexec ",  # needs rights that tests don't have: tests/test_benchexec.py asks its tool-info module
    r"cleave serve\b",  # does not end: tests/web
)
_ONCE = """git init -q && git config user.name me && git config user.email me && git add -A && git commit -qm 1
git update-ref refs/remotes/origin/main HEAD"""
_READERS_OWN = {
    "batch.md": "mkdir -p tasks src && cp examples/lock.bpl tasks/ && cp examples/share.c src/ &&"
    " echo examples/lock.bpl > loops.set && printf 'file\\nexamples/withdraw.bpl\\n' > list.csv &&"
    " printf '[[program]]\\nfiles = [\"examples/lock.bpl\"]\\n' > cleave.toml",
    "boogie-input.md": "echo 'var x: int;' > prelude.bpl &&"
    " echo 'procedure main() modifies x; { x := 1; assert x > 0; }' > main.bpl",
    "ci.md": _ONCE.replace("\n", " && "),
}
"""What a page supposes in the reader's folder beside the files that it shows."""


def test_extras_that_pages_install_exist() -> None:
    known = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = [found for page in PAGES for found in re.findall(r"\.(?:cleave)?\[([a-z,]+)\]", page.read_text("utf-8"))]
    assert named
    assert {extra for one in named for extra in one.split(",")} <= set(known)


def test_the_first_commands_are_those_of_the_makefile() -> None:
    readme = (_ROOT / "README.md").read_text("utf-8")
    wanted = re.findall(r"^make (\w+)", readme, re.MULTILINE)
    assert wanted == ["demo", "test"]
    for target, part in (("demo", "cleave verify examples/withdraw.bpl"), ("test", "-m pytest")):
        ran = subprocess.run(["make", "-n", target], cwd=_ROOT, capture_output=True, text=True, check=True)
        assert part in ran.stdout


@pytest.mark.timeout(400)  # a page has up to 30 commands
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    """Those in a console print it. Those without output end with a verdict, or without an error."""
    shell = Shell(tmp_path)
    if page.name in _READERS_OWN:
        shell.run(_READERS_OWN[page.name])
        assert shell.code == 0
    for fence in fences(page.read_text("utf-8")):
        if fence.title:
            shell.write(fence.title, fence.text)
        elif fence.language == "console":
            for command, expected in fence.commands:
                printed = shell.run(command)
                assert matches(expected, printed), f"$ {command}\n{printed}"
        elif fence.language == "sh":
            for command in fence.text.splitlines():
                if not any(re.match(pattern, command) for pattern in _NOT_RUN_HERE):
                    printed = shell.run(command)
                    assert shell.code in _ENDS_WELL, f"$ {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_have_flags_that_exist(page: Path) -> None:
    """Those that are not run, too: for a cluster, say, or with the reader's own files."""
    for fence in fences(page.read_text("utf-8")):
        for line in fence.text.splitlines() if fence.language in ("sh", "console", "yaml", "") else ():
            found = re.match(r"(?:\$ |- run: |- )?cleave (.*)", line.strip())
            words = shlex.split(found[1].rstrip("\\"), comments=True) if found else []
            if words and not words[0].startswith("-"):
                words = words[
                    : next((at for at, word in enumerate(words) if word in ("|", "||", "&", "&&", ";", ">")), None)
                ]
                words = [word.rstrip(";") for word in words]
                parser(words[0], Extent.ALL).parse_args(words)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_prose_is_plain(page: Path) -> None:
    text = page.read_text("utf-8")
    assert long_sentences(text, most=35) == []
    assert reading_ease(text) > 50, f"reading ease {reading_ease(text):.0f}"


@pytest.mark.parametrize("page", FOR_BUILDERS, ids=name)
def test_the_prose_for_builders_has_no_long_sentences(page: Path) -> None:
    assert long_sentences(page.read_text("utf-8"), most=35) == []


_OURS = re.compile(
    r"\b(bad luck|hired|whose turn|whoever|goes on|go on|going on|stands? still|of which no|led astray|telling)\b", re.I
)
"""Words that readers stumbled over. The field has others: continue, start, turn by turn, a worker that, partition."""


@pytest.mark.parametrize("page", [*PAGES, *FOR_BUILDERS], ids=name)
def test_pages_have_the_words_of_the_field(page: Path) -> None:
    assert _OURS.findall(page.read_text("utf-8")) == []


def test_docstrings_of_modules_have_the_words_of_the_field() -> None:
    found = {}
    for file in sorted((_ROOT / "src").rglob("*.py")):
        text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
        if words := _OURS.findall(text):
            found[name(file)] = words
    assert found == {}


def test_every_page_of_the_guide_is_in_its_index() -> None:
    index = (_ROOT / "docs" / "guide" / "README.md").read_text("utf-8")
    for page in PAGES[2:]:
        assert page.name == "README.md" or f"({page.name})" in index


def test_the_page_of_commands_has_every_command_as_it_is() -> None:
    assert (_ROOT / "docs" / "guide" / "commands.md").read_text("utf-8") == commands_page.page(), "make docs"


def test_the_python_page_is_made_from_docstrings_and_its_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    file = _ROOT / "docs" / "guide" / "python.md"
    assert file.read_text("utf-8") == python_page.page(), "make docs"
    monkeypatch.chdir(_ROOT)
    found = doctest.testfile(str(file), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_what_is_printed_is_in_a_console_and_so_was_run(page: Path) -> None:
    """Other blocks are files, commands without what they print, or in the languages below, which have tests too."""
    for fence in fences(page.read_text("utf-8")):
        assert fence.language, fence.text
        if fence.language == "sh" and not fence.title:
            for line in fence.text.splitlines():
                assert re.match(
                    r"cleave |make |export PATH=|pip install |python3 -m |benchexec |ray |git diff ", line
                ), line
        elif not fence.title:
            assert fence.language in ("console", "json", "yaml", "toml", "python", "c", "text"), fence.language
        if fence.language not in ("console", "json"):
            assert not re.search(r"^(safe|unsafe|bounded-safe|unknown) ", fence.text, re.MULTILINE), fence.text


def _shape(told: object) -> object:
    """A JSON value without what differs from run to run."""
    if isinstance(told, dict):
        return {key: _shape(value) for key, value in told.items() if key != "run"}
    if isinstance(told, list):
        return [_shape(one) for one in told]
    return "a number" if isinstance(told, int | float) else told


def test_the_object_on_the_page_about_json_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (_ROOT / "docs" / "guide" / "json.md").read_text("utf-8")
    (shown,) = (json.loads(fence.text) for fence in fences(page) if fence.language == "json")
    monkeypatch.chdir(_ROOT)
    main(["verify", "--workers", "1", "--json", "--journal", str(tmp_path), "examples/withdraw.bpl"])
    printed = json.loads(capsys.readouterr().out)
    printed["trace"]["steps"] = printed["trace"]["steps"][-1:]
    assert _shape(shown) == _shape(printed)


def test_every_statistic_of_an_engine_is_explained() -> None:
    page = (_ROOT / "docs" / "guide" / "json.md").read_text("utf-8")
    explained = set(re.findall(r"`(\w+)[ `]", page))
    for engine in engines():
        assert set(engine.counters.__struct_fields__) <= explained, engine.name


def test_workflows_use_inputs_and_hooks_that_exist() -> None:
    action = yaml.safe_load((_ROOT / "action.yml").read_text("utf-8"))
    hooks = yaml.safe_load((_ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    page = (_ROOT / "docs" / "guide" / "ci.md").read_text("utf-8")
    found = [yaml.safe_load(fence.text) for fence in fences(page) if fence.language == "yaml"]
    steps = [
        step
        for one in found
        for step in (*one.get("steps", ()), *one.get("jobs", {}).get("verify", {}).get("steps", ()))
    ]
    (own,) = (step for step in steps if step.get("uses", "").startswith("OWNER/cleave@"))
    assert set(own["with"]) <= set(action["inputs"])
    (used,) = (hook for one in found for repo in one.get("repos", ()) for hook in repo["hooks"])
    assert used["id"] in {hook["id"] for hook in hooks}
    parser("batch", Extent.ALL).parse_args(["batch", *used["args"], "a.c"])
    assert {one.split("@")[-1] for one in re.findall(r"v\d+\.\d+\.\d+", page)} == {f"v{__version__}"}


def test_the_projects_of_the_guide_can_be_read(tmp_path: Path) -> None:
    page = (_ROOT / "docs" / "guide" / "batch.md").read_text("utf-8")
    (shown,) = (fence.text for fence in fences(page) if fence.language == "toml")
    for name in ("src/queue.c", "src/list.c", "src/parsers/a.c", "src/parsers/b.c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("int main(void) { return 0; }\n")
    (tmp_path / "cleave.toml").write_text(shown)
    assert [len(task.files) for task in project_tasks(tmp_path / "cleave.toml")] == [2, 1, 1]


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
