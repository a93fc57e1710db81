"""What a release says about itself in several places must agree: version, name, how to install extras."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml
from bench import site

from cleave.errors import MissingExtraError
from cleave.version import __version__

_ROOT = Path(__file__).parents[1]
_PROJECT: dict[str, Any] = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_CITATION: dict[str, Any] = yaml.safe_load((_ROOT / "CITATION.cff").read_text(encoding="utf-8"))
_PAGES = sorted(path for pattern in ("*.md", "docs/**/*.md", "examples/*.md") for path in _ROOT.glob(pattern))
_TEXTS = sorted(
    path
    for pattern in ("*.md", "src/**/*.py", "docs/**/*.md", "examples/**/*", "bench/**/*.py", "Makefile", "Dockerfile")
    for path in _ROOT.glob(pattern)
    if path.is_file() and "__pycache__" not in path.parts
)


def test_the_installed_distribution_has_the_version_of_the_package() -> None:
    assert version("cleave-verifier") == __version__


def test_the_version_is_stated_once() -> None:
    assert "version" not in _PROJECT
    assert "version" in _PROJECT["dynamic"]


@pytest.mark.parametrize("extra", ["c", "sat", "ray", "bench"])
def test_a_missing_extra_is_one_sentence_for_both_ways_to_install(extra: str) -> None:
    assert extra in _PROJECT["optional-dependencies"]
    sentence = str(MissingExtraError("it needs something", extra))
    assert re.findall(r"pip install '([^']+)'", sentence) == [f"{_PROJECT['name']}[{extra}]", f".[{extra}]"]
    assert "\n" not in sentence


def test_nothing_installs_the_other_project_called_cleave() -> None:
    # A word boundary would end before the hyphen of the right name.
    other = re.compile(
        r"pip install[^\n#`]*?[ '\"`]cleave(?![\w/.-])|(?<![\w/.])cleave\["
    )  # a path is no name of a project
    assert other.search("pip install 'cleave[c]'")
    assert other.search("pip install cleave")
    wrong = [
        f"{path.relative_to(_ROOT)}: {found}" for path in _TEXTS for found in other.findall(path.read_text("utf-8"))
    ]
    assert wrong == []


def test_extras_are_explained_in_one_place() -> None:
    with_pip = [path.name for path in _TEXTS if path.suffix == ".py" and "pip install" in path.read_text("utf-8")]
    assert with_pip == ["errors.py"]


def test_the_citation_has_what_its_format_requires() -> None:
    assert _CITATION["cff-version"] == "1.2.0"
    assert _CITATION["type"] == "software"
    assert {"message", "title", "authors"} <= _CITATION.keys()
    assert _CITATION["authors"] == [{"name": "The Cleave authors"}]
    assert _CITATION["license"] == _PROJECT["license"]


def test_the_citation_and_the_changelog_have_the_version_of_the_package() -> None:
    assert _CITATION["version"] == __version__
    newest = re.search(r"^## \[([^\]]+)\]", (_ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


def test_the_citation_names_the_papers_of_the_engines() -> None:
    papers = _CITATION["references"]
    assert [paper["authors"][0]["family-names"] for paper in papers] == [
        "Chatterjee",
        "Lal",
        "Inverso",
        "Marescotti",
        "Lopes",
    ]
    for paper in papers:
        assert {"type", "title", "authors", "collection-title", "year"} <= paper.keys()
        assert all({"family-names", "given-names"} == author.keys() for author in paper["authors"])


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def _anchors(page: Path) -> set[str]:
    """Those of its headings, as the site makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", one) for one in re.findall(r"^#+ (.+)$", text, re.MULTILINE))
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", one).strip().lower()) for one in plain}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_links_to_parts_of_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text("utf-8"))
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", text):
        linked = page.parent / target if target else page
        assert anchor in _anchors(linked), f"{target}#{anchor}"


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_links_stay_within_what_the_site_shows(page: Path) -> None:
    """`make docs` finds the others, too, but needs packages that tests do not have."""
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8")):
        inside = (page.parent / target).resolve().relative_to(_ROOT)
        assert len(inside.parts) == 1 or inside.parts[0] in ("docs", "examples"), target


def test_every_page_can_be_reached_from_the_front_page() -> None:
    assert site.unreachable(_ROOT / "README.md", site.pages()) == []


def test_the_site_has_every_page_of_guide_design_and_laboratory() -> None:
    menu = yaml.safe_load((_ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    pages = {
        str(page.relative_to(_ROOT))
        for name in ("guide", "design", "lab")
        for page in (_ROOT / "docs" / name).glob("*.md")
    }
    assert pages - set(re.findall(r"docs/\w+/[\w-]+\.md", str(menu))) == set()


def test_every_decision_is_in_the_index() -> None:
    folder = _ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text("utf-8")
    records = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    assert records
    for record in records:
        assert f"({record.name})" in index
        parts = re.findall(r"^## (.*)$", record.read_text("utf-8"), re.MULTILINE)
        assert parts == ["Context", "Decision", "Consequences", "What would change our mind"]
