"""Puts the pages of the site side by side, as their links expect them: see mkdocs.yml.

python -m bench.site build/pages
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FOLDERS = ("docs", "examples")
_FILES = ("*.md", "LICENSE", "CITATION.cff")


def stage(folder: Path) -> None:
    """Copies everything that the site shows, anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for pattern in _FILES:
        for file in ROOT.glob(pattern):
            shutil.copy(file, folder)
    for name in _FOLDERS:
        shutil.copytree(ROOT / name, folder / name)


def pages() -> list[Path]:
    return sorted(path for pattern in ("*.md", "docs/**/*.md", "examples/*.md") for path in ROOT.glob(pattern))


def unreachable(start: Path, known: Iterable[Path]) -> list[Path]:
    """Pages to which no chain of links leads."""
    seen, waiting = {start}, [start]
    while waiting:
        page = waiting.pop()
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+\.md)", page.read_text("utf-8")):
            linked = (page.parent / target).resolve()
            if linked not in seen and linked.exists():
                seen.add(linked)
                waiting.append(linked)
    return [page for page in known if page.resolve() not in seen]


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
